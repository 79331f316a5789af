// The packed form: what a start needs, compiled, with a manifest of its own. `npm run package` packs it, and the image holds it.
//   PF1. Its manifest lists only the packages that are not bundled: everything else is in dist.
//   `node scripts/packed-form.mjs FOLDER` writes it, from a finished build, to a folder that is not there.

import {cpSync, existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {noticesFile} from './notices.mjs';
import {inProject, npmReason, runNpm, runScript, SetupFault} from './project.mjs';

/** Packages that are not bundled: native modules, which search their binaries relative to themselves. */
export const unbundled = ['uWebSockets.js', 'uWebSockets.js-newer'];

const kernels = () => readdirSync(inProject('kernels')).filter((name) => name.endsWith('.wasm'));

const files = () => [
  'LICENSE',
  'README.md',
  'bench/history.ndjson',
  'bin',
  'dist/.commit',
  'dist/docs.html',
  'dist/openapi.json',
  noticesFile,
  'dist/pages',
  'dist/sdk.js',
  'dist/service',
  ...kernels().map((name) => `kernels/${name}`),
  'scripts/configuration.mjs',
  'scripts/machine.mjs',
  'scripts/nats-server.mjs',
  'scripts/project.mjs',
  'src/variables.json',
];

export async function writePackedForm(folder) {
  if (existsSync(folder)) throw new SetupFault(`${folder} is there already`);
  for (const file of files()) {
    if (!existsSync(inProject(file))) throw new SetupFault(`${file} is missing: npm run build makes what is compiled`);
    cpSync(inProject(file), join(folder, file), {recursive: true});
  }
  writeJson(join(folder, 'package.json'), manifest());
  writeJson(join(folder, 'sbom.cdx.json'), await componentList());
}

/** Packs the packed form that is in `folder`. @returns the path of the archive, in the folder `target`. */
export async function pack(folder, target) {
  const end = await runNpm(['pack', '--ignore-scripts', '--json', '--pack-destination', target], folder);
  if (end.code !== 0) throw new SetupFault(`npm pack failed: ${npmReason(end)}`);
  return join(target, JSON.parse(end.stdout)[0].filename);
}

const keptFields = ['name', 'version', 'description', 'license', 'private', 'type', 'engines', 'bin'];

/** PF1 */
function manifest() {
  const {scripts, dependencies, ...fields} = readJson('package.json');
  return {
    ...Object.fromEntries(keptFields.map((field) => [field, fields[field]])),
    // With the flags that are measured; `millrace` reads them here.
    scripts: {start: scripts.start.replace('scripts/start.mjs', 'dist/service/main.js')},
    dependencies: Object.fromEntries(unbundled.map((name) => [name, dependencies[name]])),
  };
}

/** What npm says of the packages in package-lock.json that run in the service and in its pages, as CycloneDX. */
async function componentList() {
  const words = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only', '--omit=dev'];
  const end = await runNpm([...words, '--workspaces=false', '--offline']);
  if (end.code !== 0) throw new SetupFault(`npm sbom failed: ${npmReason(end)}`);
  // Without its number and time: equal sources make equal packages.
  const {serialNumber: _, metadata, ...list} = JSON.parse(end.stdout);
  const {timestamp: __, component, ...about} = metadata;
  // npm names the program like the folder that it is in.
  return {...list, metadata: {...about, component: {...component, name: readJson('package.json').name}}};
}

const readJson = (file) => JSON.parse(readFileSync(inProject(file), 'utf8'));
const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runScript(async () => {
    const [folder, ...more] = process.argv.slice(2);
    if (folder === undefined || more.length > 0) throw new SetupFault('usage: node scripts/packed-form.mjs FOLDER');
    await writePackedForm(resolve(folder));
  });
}

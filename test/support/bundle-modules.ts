// Which packages the builds of the service and of the pages take in, found without what the builds say of it: the bundlers are
// asked again, with the entries and nothing else of our configuration.
import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {rolldown} from 'rolldown';
import {build, type Plugin, type Rolldown} from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Names and versions, such as `zod 4.6.7`. */
export async function packagesInBundles(unbundled: readonly string[]): Promise<ReadonlySet<string>> {
  const files = [...(await serviceFiles(unbundled)), ...(await pageFiles()), ...iconFiles()];
  return new Set(files.flatMap(packageOf));
}

/** Entries: the programs that the build made. */
async function serviceFiles(unbundled: readonly string[]): Promise<string[]> {
  const built = readdirSync(join(root, 'dist/service'), {recursive: true, encoding: 'utf8'});
  const programs = built.filter((name) => name.endsWith('.js') && !name.startsWith('chunks/'));
  const entries = programs.map((name) =>
    name === 'demo.js' ? join(root, 'tools/demo/main.ts') : join(root, 'src', name.replace(/\.js$/, '.ts')),
  );
  const bundle = await rolldown({
    input: entries,
    cwd: root,
    platform: 'node',
    external: [...unbundled],
    resolve: {extensionAlias: {'.js': ['.ts', '.js']}},
  });
  const {output} = await bundle.generate({format: 'esm'});
  await bundle.close();
  return filesOf(output);
}

async function pageFiles(): Promise<string[]> {
  const found: string[] = [];
  const listing: Plugin = {
    name: 'listing',
    generateBundle: (_, bundle) => void found.push(...filesOf(Object.values(bundle))),
  };
  await build({
    configFile: false,
    root: join(root, 'dashboard'),
    logLevel: 'error',
    oxc: {jsx: {runtime: 'automatic', importSource: 'preact'}},
    plugins: [listing],
    worker: {format: 'es', plugins: () => [listing]},
    build: {write: false, minify: false, assetsInlineLimit: 0, modulePreload: {polyfill: false}},
  });
  return found;
}

const filesOf = (output: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]): string[] =>
  output.flatMap((file) =>
    file.type === 'chunk'
      ? Object.keys(file.modules)
      : file.originalFileNames.map((name) => join(root, 'dashboard', name)),
  );

/** Icons are read by a plugin of ours, which no bundler sees. */
function iconFiles(): string[] {
  const named = /require\.resolve\(`([^`$]+)\$/.exec(readFileSync(join(root, 'dashboard/icons.ts'), 'utf8'))?.[1];
  if (named === undefined) throw new Error('dashboard/icons.ts reads its icons in another way');
  return [join(root, 'node_modules', named, 'icon.svg')];
}

/** Of the folder above that has a manifest with a name: nested folders of a package may have one without. */
function packageOf(file: string): string[] {
  const isOfBundler = file.startsWith('\0');
  if (!isOfBundler && !file.includes('/node_modules/')) return [];
  const path = isOfBundler ? join(root, 'node_modules', file.slice(1)) : file;
  for (let folder = dirname(path); folder !== root && folder !== '/'; folder = dirname(folder)) {
    const {name, version} = readManifest(folder);
    if (name !== undefined && version !== undefined) return [`${name} ${version}`];
  }
  throw new Error(`${JSON.stringify(file)} is of no package`);
}

function readManifest(folder: string): {readonly name?: string; readonly version?: string} {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {name?: string; version?: string};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

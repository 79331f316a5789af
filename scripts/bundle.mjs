// Compiles and bundles the programs of the service: src/PROGRAM.ts and everything that it imports, packages included, to
// dist/service/PROGRAM.js and chunks that programs share. So a start loads 12 files, and not 700 in each thread. Types are not
// checked. Tests and benches import single modules, which the compiler writes to dist/src. It runs after the build of the pages, as
// it also writes the notices of all packages that either took in. Then it writes the description of the API, which no start makes.

import {execFileSync} from 'node:child_process';
import {rmSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import {rolldown} from 'rolldown';
import {writeNotices} from './notices.mjs';
import {unbundled} from './packed-form.mjs';
import {inProject, projectRoot} from './project.mjs';

const bundled = inProject('dist/service');
const programs = [
  'main',
  'partition/worker',
  'report/worker',
  'webhooks/worker',
  'edge/admission/large-bodies-worker',
  'edge/parquet/worker',
  'cli/ask',
  'cli/backup',
  'cli/cluster',
  'cli/dashboard',
  'cli/doctor',
  'cli/export',
  'cli/import',
  'cli/keys',
  'cli/names',
  'cli/relink',
  'cli/repartition',
  'cli/retention',
  'edge/write-description',
];
const sources = {
  ...Object.fromEntries(programs.map((program) => [program, inProject(`src/${program}.ts`)])),
  demo: inProject('tools/demo/main.ts'),
};

/**
 * Lets modules that open files relative to themselves (workers, kernels, pages) find them from there, although they are part of
 * a chunk elsewhere: dist/service has the layout of src, and dist that of the root.
 */
function ownUrls() {
  const mark = (path) => `__OWN_URL__(${JSON.stringify(path)})`;
  const marks = /__OWN_URL__\("([^"]+)"\)/g;
  return {
    name: 'own-urls',
    transform(code, id) {
      const path = relative(projectRoot, id);
      if (path.startsWith('node_modules') || !code.includes('import.meta.url')) return undefined;
      return {code: code.replaceAll('import.meta.url', mark(placeOf(path)))};
    },
    renderChunk(code, {fileName}) {
      if (!code.includes('__OWN_URL__')) return undefined;
      const urlOf = (path) => `new URL(${JSON.stringify(pathFrom(fileName, path))}, import.meta.url)`;
      return {code: code.replaceAll(marks, (_, path) => urlOf(path))};
    },
  };
}

/** Path of a source in dist/service, as if it were not part of a chunk. */
const placeOf = (path) => (path.startsWith('src/') ? path.slice('src/'.length) : join('..', path));

const pathFrom = (fileName, path) => `./${relative(dirname(fileName), path)}`;

const build = await rolldown({
  input: sources,
  resolve: {extensionAlias: {'.js': ['.ts', '.js']}},
  platform: 'node',
  external: unbundled,
  plugins: [ownUrls()],
  logLevel: 'warn',
});
rmSync(bundled, {recursive: true, force: true});
const {output} = await build.write({
  dir: bundled,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
});
await build.close();
// What /openapi.json and /docs answer (src/edge/openapi/routes.ts).
execFileSync(process.execPath, [join(bundled, 'edge/write-description.js'), inProject('dist')], {stdio: 'inherit'});
writeNotices(output.flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : [])));

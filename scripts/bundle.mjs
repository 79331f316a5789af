// Bundles the compiled programs of the service: dist/src/PROGRAM.js and all it imports, also from packages, to
// dist/service/PROGRAM.js and the chunks that programs share. A start loads 12 files so, and not 700 in each thread.
// Tests and tools import single modules: these stay in dist/src.

import {rmSync} from 'node:fs';
import {dirname, relative} from 'node:path';
import {rolldown} from 'rolldown';
import {inProject} from './project.mjs';

const compiled = inProject('dist/src');
const bundled = inProject('dist/service');
const programs = [
  'main',
  'partition/worker',
  'report/worker',
  'report/second-walker-worker',
  'edge/large-bodies-worker',
  'cli/backup',
  'cli/dashboard',
  'cli/import',
  'cli/keys',
];
/** A native module: its package finds the binary beside itself. */
const external = ['uWebSockets.js'];

/**
 * Modules that look for files relative to their own place (workers, kernels, pages) find them from there, and not from the
 * place of the chunk that they became a part of: dist/service has the layout of dist/src.
 */
function ownUrls() {
  const mark = (path) => `__OWN_URL__(${JSON.stringify(path)})`;
  const marks = /__OWN_URL__\("([^"]+)"\)/g;
  return {
    name: 'own-urls',
    transform(code, id) {
      if (!id.startsWith(`${compiled}/`) || !code.includes('import.meta.url')) return undefined;
      return {code: code.replaceAll('import.meta.url', mark(relative(compiled, id)))};
    },
    renderChunk(code, {fileName}) {
      if (!code.includes('__OWN_URL__')) return undefined;
      const urlOf = (path) => `new URL(${JSON.stringify(pathFrom(fileName, path))}, import.meta.url)`;
      return {code: code.replaceAll(marks, (_, path) => urlOf(path))};
    },
  };
}

const pathFrom = (fileName, path) => `./${relative(dirname(fileName), path)}`;

const build = await rolldown({
  input: Object.fromEntries(programs.map((program) => [program, `${compiled}/${program}.js`])),
  platform: 'node',
  external,
  plugins: [ownUrls()],
  logLevel: 'warn',
});
rmSync(bundled, {recursive: true, force: true});
await build.write({dir: bundled, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js'});
await build.close();

// Build of the dashboard into dist/pages. Links are relative: the service may be behind any path prefix.
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {extname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {brotliCompressSync, gzipSync} from 'node:zlib';
import {defineConfig, type Plugin} from 'vite';
import {budget} from './budget.ts';
import {iconSprite} from './icons.ts';
import {pagePaths} from './page-paths.ts';
import {takenIn} from './taken-in.ts';
import {uplotLines} from './uplot-lines.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const out = fileURLToPath(new URL('../dist/pages', import.meta.url));
const taken = takenIn(root, out);

/** The edge serves exactly these paths, and each file as it is compressed here. */
const forTheEdge = (): Plugin => ({
  name: 'for-the-edge',
  closeBundle() {
    writeFileSync(join(out, 'pages.json'), JSON.stringify(pagePaths));
    for (const name of readdirSync(out, {recursive: true, encoding: 'utf8'})) {
      if (!['.js', '.css', '.svg'].includes(extname(name))) continue;
      const bytes = readFileSync(join(out, name));
      writeFileSync(join(out, `${name}.gz`), gzipSync(bytes, {level: 9}));
      writeFileSync(join(out, `${name}.br`), brotliCompressSync(bytes));
    }
  },
});

export default defineConfig({
  root,
  base: './',
  oxc: {jsx: {runtime: 'automatic', importSource: 'preact'}},
  plugins: [iconSprite(), uplotLines(), forTheEdge(), budget(out), taken.ofPages],
  build: {
    outDir: out,
    emptyOutDir: true,
    target: ['chrome125', 'firefox128', 'safari18'],
    assetsInlineLimit: 0,
    modulePreload: {polyfill: false},
    reportCompressedSize: false,
    // Few scripts: a request costs more than some kilobytes that a page does not need, and small files compress worse.
    rolldownOptions: {
      output: {
        // The first view names every other file: shorter hashes, which nothing compresses, are a part of it that nobody misses.
        entryFileNames: 'assets/[name]-[hash:7].js',
        chunkFileNames: 'assets/[name]-[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:7][extname]',
        codeSplitting: {
          groups: [
            {name: 'first-view', tags: ['$initial']},
            // What Overview and the sign-in load later, with all that only these have.
            {
              name: 'start',
              test: /src\/(pages\/(overview|sign-in|no-page)|reports\/active\/report|shell\/(annotations-button|day-notes|without-switch)|charts\/time-table-rows)/,
            },
            {
              name: 'shell',
              test: /src\/((address|asks|charts|controls|design|explained|service|shell)\/|reports\/(firing|plain-numbers))/,
            },
            {
              name: 'reports',
              test: /src\/(boards|digests|reports|share|pages\/(boards|report|saved|web))\//,
            },
            {name: 'people', test: /src\/pages\/(events|people)\//},
            {name: 'operation', test: /src\/(pages|webhooks)\//},
          ],
        },
      },
    },
  },
  worker: {
    format: 'es',
    plugins: () => [taken.ofWorkers()],
    rolldownOptions: {output: {entryFileNames: 'assets/[name]-[hash:7].js'}},
  },
});

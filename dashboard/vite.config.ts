// Build of the dashboard into dist/pages. Links are relative: the service may be behind any path prefix.
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {extname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {brotliCompressSync, gzipSync} from 'node:zlib';
import {defineConfig, type Plugin} from 'vite';
import {budget} from './budget.ts';
import {iconSprite} from './icons.ts';
import {pagePaths} from './src/address/page-paths.ts';
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
    // Everything of the first view in one script: each further one is a request, and compresses worse. The fields that choose from
    // lists are one as well, so that a part of a page that has them does not import the page; what asks is used without them as well, and
    // so is what all questions of reports have in common. Boards are known to pins and the palette, too, and words of alerts to their form.
    // A funnel's address and the words of its window go together: alone, the words are smaller than what a file costs.
    rolldownOptions: {
      output: {
        // The first view names every other file: shorter hashes, which nothing compresses, are a part of it that nobody misses.
        entryFileNames: 'assets/[name]-[hash:7].js',
        chunkFileNames: 'assets/[name]-[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:7][extname]',
        codeSplitting: {
          groups: [
            {name: 'first-view', tags: ['$initial']},
            {name: 'asked', test: /src\/service\/asked\./},
            {name: 'questions', test: /src\/(address\/(zone|conditions)|shell\/(zone-day|question))\./},
            {name: 'pickers', test: /src\/controls\/(event-)?picker\./},
            {name: 'trends-address', test: /src\/address\/trends-address\./},
            {name: 'funnel-address', test: /src\/address\/(funnel-address|window-text)\./},
            {name: 'alert-words', test: /src\/pages\/(alerts\/(alert-words|reach)|webhooks\/webhook-words)\./},
            {name: 'boards-known', test: /src\/(service\/board|address\/(board-address|pin-list))/},
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

// What the build counts as one page, and against which bound.
import type {Rolldown} from 'vite';
import {expect, test} from 'vitest';
import {weightsOf} from '../../dashboard/budget.js';

interface Given {
  readonly kind?: 'entry' | 'page';
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
  readonly assets?: readonly string[];
}

const chunk = (fileName: string, {kind, imports = [], css = [], assets = []}: Given) =>
  ({
    fileName,
    name: fileName.replace('.js', ''),
    isEntry: kind === 'entry',
    isDynamicEntry: kind === 'page',
    imports,
    viteMetadata: {importedCss: new Set(css), importedAssets: new Set(assets)},
  }) as unknown as Rolldown.OutputChunk;

const sizes: Readonly<Record<string, number>> = {
  'index.html': 1,
  'mark.svg': 2,
  'assets/icons.svg': 4,
  'index.js': 10,
  'index.css': 20,
  'worker.js': 40,
  'table.js': 100,
  'trends.js': 1_000,
  'trends.css': 2_000,
};

test('the first view is all that its entry loads; a page is what it adds, what pages share among it', () => {
  const chunks = [
    chunk('index.js', {kind: 'entry', css: ['index.css'], assets: ['worker.js', 'inter.woff2']}),
    chunk('trends.js', {kind: 'page', imports: ['index.js', 'table.js'], css: ['trends.css']}),
    chunk('table.js', {imports: ['index.js']}),
  ];
  const weights = weightsOf(chunks, (file) => sizes[file]!);
  expect(weights.map(({name, bytes, bytesMax}) => ({name, bytes, bytesMax}))).toEqual([
    {name: 'first view', bytes: 77, bytesMax: 64_000},
    {name: 'trends', bytes: 3_100, bytesMax: 15_000},
  ]);
});

// What the build counts as one page, and against which bound.
import type {Rolldown} from 'vite';
import {expect, test} from 'vitest';
import {weightsOf} from '../../dashboard/budget.js';

interface Given {
  readonly kind?: 'entry';
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
  readonly assets?: readonly string[];
}

const chunk = (fileName: string, {kind, imports = [], css = [], assets = []}: Given) =>
  ({
    fileName,
    name: fileName.replace('.js', ''),
    isEntry: kind === 'entry',
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
  'runtime.js': 100,
  'start.js': 1_000,
  'start.css': 2_000,
  'inter.woff2': 4_000,
  'reports.js': 10_000,
  'reports.css': 20_000,
  'shell.js': 40_000,
};

test('the first view is what its entry loads, the first page what comes later, too; another script is one weight', () => {
  const chunks = [
    chunk('index.js', {
      kind: 'entry',
      imports: ['runtime.js'],
      css: ['index.css'],
      assets: ['worker.js', 'inter.woff2'],
    }),
    chunk('runtime.js', {}),
    chunk('start.js', {imports: ['index.js'], css: ['start.css']}),
    chunk('reports.js', {imports: ['index.js', 'shell.js'], css: ['reports.css']}),
    chunk('shell.js', {imports: ['index.js']}),
  ];
  const weights = weightsOf(chunks, (file) => sizes[file]!);
  expect(weights.map(({name, bytes, bytesMax}) => ({name, bytes, bytesMax}))).toEqual([
    {name: 'the first view', bytes: 177, bytesMax: 64_000},
    {name: 'the first page', bytes: 7_177, bytesMax: 150_000},
    {name: 'reports', bytes: 30_000, bytesMax: 45_000},
    {name: 'shell', bytes: 40_000, bytesMax: 45_000},
  ]);
});

import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {brotliCompressSync, gzipSync} from 'node:zlib';
import * as fc from 'fast-check';
import {afterAll, expect, test} from 'vitest';
import {ArraySplitter} from '../../../src/cli/import/array-splitter.js';
import {lineBytesMax} from '../../../src/cli/import/line.js';
import {openLines} from '../../../src/cli/import/lines.js';
import {sourceFiles} from '../../../src/cli/import/source-files.js';
import {type Packed, zipOf} from '../../support/zip.js';

const folder = mkdtempSync(join(tmpdir(), 'millrace-content-'));
afterAll(() => rmSync(folder, {recursive: true}));

function fileOf(content: string | Buffer, name = `file-${Math.random()}`): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function readAll(path: string): Promise<(string | null)[]> {
  const read: (string | null)[] = [];
  for await (const lines of (await openLines(path)).chunks()) {
    for (const line of lines) {
      read.push(line.bytes?.toString() ?? null);
      expect(line.number).toBe(read.length);
    }
  }
  return read;
}

const hours: readonly Packed[] = [
  {name: '1/', content: Buffer.alloc(0)},
  {name: '1/b_2024-03-01_11.json.gz', content: gzipSync('{"n":3}\n'), isDeflated: false},
  {name: '1/a_2024-03-01_10.json.gz', content: gzipSync('{"n":1}\n{"n":2}')},
  {name: '__MACOSX/1/._a', content: Buffer.from('x')},
  {name: '1/c.json', content: Buffer.from('[{"n":4},{"n":5}]')},
];
const inOrder = ['{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}', '{"n":5}'];

test.each([false, true])(
  'an archive is its files by name, whatever they are packed with; large ones: %s',
  async (is64) => {
    expect(await readAll(fileOf(zipOf(hours, is64)))).toEqual(inOrder);
  },
);

test('brotli is told by its name', async () => {
  expect(await readAll(fileOf(brotliCompressSync('a\nb\n'), 'lines.jsonl.br'))).toEqual(['a', 'b']);
});

test.each<[string, Buffer, RegExp]>([
  ['zstd', Buffer.from('28b52ffd00', 'hex'), /compressed by zstd, which Node 20 does not read/],
  ['Parquet', Buffer.from('PAR1....'), /is Parquet, which is not imported/],
  ['an encrypted archive', zipOf([{name: 'a', content: Buffer.from('x'), isEncrypted: true}]), /a in .* is encrypted/],
  ['a cut archive', zipOf(hours).subarray(0, 200), /archive is cut or broken/],
  ['Plausible', zipOf([{name: 'imported_visitors_1.csv', content: Buffer.from('date')}]), /no events/],
  [
    'tables',
    zipOf([{name: 'website_event.csv', content: Buffer.from('a,b')}]),
    /has tables \(website_event\.csv\): say --from umami/,
  ],
])('what is not read says so: %s', async (_, content, message) => {
  await expect(readAll(fileOf(content))).rejects.toThrow(message);
});

test('the elements of a list are lines, however it is written', async () => {
  const elements = await readAll(fileOf('\ufeff\n[\n  {"a": "],{"},\r\n  {"b": [1, {"c": "\\\\\\""}]}\n]\n'));
  // White space around an element is no line's: whoever reads it takes it away.
  expect(elements.map((element) => element?.trim())).toEqual(['{"a": "],{"}', '{"b": [1, {"c": "\\\\\\""}]}']);
  const long = JSON.stringify({long: 'x'.repeat(lineBytesMax)});
  expect(await readAll(fileOf(`[{"a":1},${long},{"b":2}]`))).toEqual(['{"a":1}', null, '{"b":2}']);
  await expect(readAll(fileOf('[{"a":1}]\n[{"b":2}]'))).rejects.toThrow(/after line 1: something follows the list/);
  await expect(readAll(fileOf('[{"a":1},{"b":2}'))).rejects.toThrow(/after line 1: the list does not end/);
});

test('the borders of chunks change no element', () => {
  const values = fc.array(fc.object({maxDepth: 2}), {maxLength: 6});
  fc.assert(
    fc.property(values, fc.array(fc.nat(400), {maxLength: 6}), (elements, cuts) => {
      const content = Buffer.from(JSON.stringify(elements, undefined, 1));
      const splitter = new ArraySplitter();
      const borders = [0, ...cuts.filter((at) => at < content.length).sort((a, b) => a - b), content.length];
      const lines = borders.slice(1).flatMap((end, n) => splitter.take(content.subarray(borders[n], end)));
      expect([...lines, ...splitter.end()].map(({bytes}) => JSON.parse(bytes!.toString()) as unknown)).toEqual(
        JSON.parse(JSON.stringify(elements)),
      );
    }),
  );
});

test('a folder is its files by path; what an import keeps beside them is none', async () => {
  const home = join(folder, 'home');
  mkdirSync(join(home, '2024-03-02'), {recursive: true});
  mkdirSync(join(home, '2024-03-01'));
  for (const name of ['2024-03-02/a.gz', '2024-03-01/b.json', '2024-03-01/b.json.import-state.json', 'note.txt'])
    writeFileSync(join(home, name), '');
  expect(await sourceFiles([home, join(home, 'note.txt'), join(home, '2024-03-01/b.json')])).toEqual([
    join(home, '2024-03-01/b.json'),
    join(home, '2024-03-02/a.gz'),
    join(home, 'note.txt'),
  ]);
  mkdirSync(join(folder, 'empty'));
  await expect(sourceFiles([join(folder, 'empty')])).rejects.toThrow(/^no file in .*empty ends in/);
});

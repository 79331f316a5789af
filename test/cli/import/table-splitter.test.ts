import {expect, test} from 'vitest';
import type {Line} from '../../../src/cli/import/line.js';
import {lineBytesMax} from '../../../src/cli/import/line.js';
import {TableSplitter} from '../../../src/cli/import/table-splitter.js';

async function linesOf(table: string | Buffer, chunkBytes = 1 << 18): Promise<Line[]> {
  const bytes = Buffer.from(table as string);
  const splitter = new TableSplitter();
  const lines: Line[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes)
    lines.push(...(await splitter.take(bytes.subarray(at, at + chunkBytes))));
  return [...lines, ...(await splitter.end())];
}
const shown = (lines: readonly Line[]): unknown[] =>
  lines.map(({number, bytes, fault}) => [number, bytes === null ? fault : JSON.parse(bytes.toString())]);

const table = '\ufeffname,note,\r\nsignup,"a ""quoted"", text",1\r\n\r\norder,"two\nlines",2\r\ncafé,,3';

test.each([1, 7, 1 << 18])(
  'rows are objects by column, with the numbers of their lines; chunks of %i bytes',
  async (bytes) => {
    expect(shown(await linesOf(table, bytes))).toEqual([
      [2, {name: 'signup', note: 'a "quoted", text'}],
      [5, {name: 'order', note: 'two\nlines'}],
      [6, {name: 'café'}],
    ]);
  },
);

test.each([';', '\t'])('columns may be apart by %j', async (by) => {
  expect(shown(await linesOf(`a${by}b${by}c,d\n1${by}2${by}3,4\n`))).toEqual([[2, {a: '1', b: '2', 'c,d': '3,4'}]]);
});

test('a row that does not fit is refused by its number, and the next ones are read', async () => {
  const lines = shown(await linesOf('a,b\n1\n2,3\n"x"y"z",4\n5,6,7\n8,9\n'));
  expect(lines).toEqual([
    [2, expect.stringMatching(/expect 2, got 1/)],
    [3, {a: '2', b: '3'}],
    [4, expect.stringMatching(/Closing Quote/)],
    [5, expect.stringMatching(/expect 2, got 3/)],
    [6, {a: '8', b: '9'}],
  ]);
});

test.each<[string, string | Buffer, RegExp]>([
  ['a quote that does not end', 'a,b\n1,"2\n3,4\n', /Quote Not Closed/],
  ['a row without an end in sight', `a,b\n1,"${'x'.repeat(lineBytesMax + 1)}"\n`, /Max Record Size/],
  ['another encoding', Buffer.from('a,b\n1,caf\xe9\n', 'latin1'), /not UTF-8/],
  ['two columns of one name', 'a,b,a\n1,2,3\n', /two columns of the table are named "a"/],
])('reading ends with a sentence: %s', async (_, text, message) => {
  await expect(linesOf(text)).rejects.toThrow(message);
});

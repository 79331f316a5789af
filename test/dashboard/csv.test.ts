// CSV as RFC 4180 has it, read back by a reader that knows nothing of how it was written.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type Cell, csvOf as csvOfPage} from '../../dashboard/src/charts/csv.js';
import {csvOf as csvOfReport} from '../../src/edge/tables/csv.js';

/** RFC 4180, 2: records end with CRLF; a quoted field may hold commas, line ends and doubled quotes. */
function read(text: string): string[][] {
  const records: string[][] = [];
  let [fields, field, at] = [[] as string[], '', 0];
  while (at < text.length) {
    if (text[at] === '"') {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        field += text[at];
        if (text[at] === '"') at++;
      }
      at++;
    } else if (text[at] === ',') {
      fields.push(field);
      field = '';
      at++;
    } else if (text.startsWith('\r\n', at)) {
      records.push([...fields, field]);
      [fields, field] = [[], ''];
      at += 2;
    } else field += text[at++];
  }
  return records;
}

const asText = (cell: Cell): string => {
  if (cell === null) return '';
  return typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell);
};

const writers = [
  ['a page', csvOfPage],
  ['a report', csvOfReport],
] as const;

test.each(writers)('every table of %s is read back as it was', (_, csvOf) => {
  const cell: fc.Arbitrary<Cell> = fc.oneof(
    fc.string({unit: fc.constantFrom('a', '"', ',', '\r', '\n', '=', '-', "'", 'é', ' ')}),
    fc.integer(),
    fc.double({noNaN: true, noDefaultInfinity: true}),
    fc.constant(null),
  );
  fc.assert(
    fc.property(fc.array(fc.array(cell, {minLength: 1}), {minLength: 1}), (rows) => {
      expect(read(csvOf(rows))).toEqual(rows.map((cells) => cells.map(asText)));
    }),
  );
});

test.each(writers)(
  'in a table of %s a text that a spreadsheet would compute gets an apostrophe, a number does not',
  (_, csvOf) => {
    expect(csvOf([['=1+1', '+1', '-1', '@x', '\tx', 'a=b', -1]])).toBe("'=1+1,'+1,'-1,'@x,'\tx,a=b,-1\r\n");
  },
);

// What an assistant reads before it asks, and how a result keeps within its bound.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type Cell, resultBytesMax, resultOf} from '../../src/edge/mcp/result.js';
import {tools} from '../../src/edge/mcp/tools.js';

/** Encodings have some four characters a token for such text (o200k_base: 4.2), so that 4,000 tokens are more than this. */
const definitionCharsMax = 14_000;

test('the definitions of all tools are short, and each argument is described once', () => {
  expect(tools).toHaveLength(12);
  const definitions = tools.map(({name, description, inputSchema}) => ({name, description, inputSchema}));
  expect(JSON.stringify(definitions).length).toBeLessThan(definitionCharsMax);
  const count = tools.find(({name}) => name === 'count')!.inputSchema as {properties: Record<string, object>};
  expect(count.properties.interval).toEqual({
    type: 'string',
    enum: ['hour', 'day', 'week', 'month', 'quarter', 'year'],
    description: 'Length of a bucket, in the zone',
  });
  const active = tools.find(({name}) => name === 'active_users')!.inputSchema as typeof count;
  expect(active.properties.interval).toEqual({
    type: 'string',
    enum: ['hour', 'day', 'week', 'month', 'quarter', 'year'],
  });
});

const cell: fc.Arbitrary<Cell> = fc.oneof(
  fc.string({unit: 'binary', maxLength: 700}),
  fc.double({noNaN: true, noDefaultInfinity: true}),
  fc.constant(null),
);

test('a result fits, has as many rows as fit, and says how many it left out', () => {
  const table = fc.tuple(
    fc.array(fc.tuple(cell, cell), {maxLength: 200}),
    fc.constantFrom('first' as const, 'last' as const),
  );
  fc.assert(
    fc.property(table, ([rows, keeps]) => {
      const whole = {title: 'All', columns: ['a', 'b'], rows, keeps, notes: []};
      const result = resultOf(whole, {curl: 'curl', question: {}, asOf: 'now', logPosition: '1:2.3', hint: null});
      const {content, structuredContent} = result;
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(resultBytesMax);
      const shown = structuredContent!.rows as readonly Cell[][];
      const leftOut = (structuredContent!.rows_left_out as number | undefined) ?? 0;
      expect(shown.length + leftOut).toBe(rows.length);
      expect(content[0]!.text.includes(`${leftOut} of ${rows.length} rows are left out`)).toBe(leftOut > 0);
      const expected = keeps === 'first' ? rows.slice(0, shown.length) : rows.slice(rows.length - shown.length);
      for (const [at, row] of expected.entries())
        for (const [column, value] of row.entries())
          if (typeof value !== 'string' || value.length <= 300) expect(shown[at]![column]).toBe(value);
      // A line a row: no text of a client makes another one.
      expect(content[0]!.text.split('\n').filter((line) => line.includes(' | '))).toHaveLength(
        rows.length === 0 ? 0 : shown.length + 1,
      );
    }),
    {numRuns: 60},
  );
});

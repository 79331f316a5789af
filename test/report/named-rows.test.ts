// Rows of some names, cached where all rows do not fit, answer as the parts do, and these are not read again.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {ReportQuery} from '../../src/asks/report.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {Evaluation} from '../../src/report/evaluate.js';
import {MemoryParts, TestPartition} from '../support/snapshot.js';

const startMs = Date.UTC(2024, 1, 22);
const dayMs = 86_400_000;
const chunkCount = 12;
const rowsOfChunk = 600;
const names = 'ABCDEFGHIJ';
const range = {fromMs: startMs - dayMs, toMs: startMs + 30 * dayMs};

/** Each tenth event has the name; some come late, several of a user at one time. */
function world() {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  const grow = (chunks: number): void => {
    for (let chunk = 0; chunk < chunks; chunk++) {
      for (let row = 0; row < rowsOfChunk; row++) {
        const drawn = (chunk * rowsOfChunk + row) * 7_919;
        const lateMs = drawn % 50 === 0 ? drawn % dayMs : 0;
        const timeMs = startMs + chunk * 3_600_000 + (row >> 2) * 1_000 - lateMs;
        partition.append({user: `u${drawn % 83}`, event: names[(drawn >> 3) % names.length]!, timeMs});
      }
      partition.cutChunk();
    }
  };
  grow(chunkCount);
  return {parts, partition, grow};
}

const stepsOf = (names: readonly string[]) => names.map((event) => ({event}));
const funnel = (...steps: string[]): ReportQuery => ({report: 'funnel', steps: stepsOf(steps), ...range});
const within = (windowMs: number, ...steps: string[]): ReportQuery => ({
  report: 'funnel',
  steps: stepsOf(steps),
  windowMs,
  ...range,
});

type Snapshot = ReturnType<TestPartition['publish']>;
const plain = (parts: MemoryParts, query: ReportQuery, snapshot: Snapshot): Promise<string> =>
  new Evaluation(new PartsCache(parts, 1 << 24), 1 << 22).answer(query, [snapshot]);

const rowsBytes = ({index}: Snapshot): number => index.chunks.reduce((sum, {rows}) => sum + rows.bytes, 0);

/** Asks over a cache of this share of the rows; returns how many parts were read. */
function asking(parts: MemoryParts, snapshot: Snapshot, share: number) {
  const cache = new PartsCache(parts, Math.floor(rowsBytes(snapshot) * share));
  return async (query: ReportQuery, of = snapshot): Promise<number> => {
    const expected = await plain(parts, query, of);
    parts.reads = 0;
    expect(await new Evaluation(cache, Math.floor(cache.memory.bytesMax / 8)).answer(query, [of])).toBe(expected);
    return parts.reads;
  };
}

test('rows of a name that was asked for are not read again, with the other names that were', async () => {
  const {parts, partition, grow} = world();
  const snapshot = partition.publish();
  const ask = asking(parts, snapshot, 1);
  expect(await ask(funnel('A', 'B'))).toBe(chunkCount);
  expect(await ask(funnel('A', 'B'))).toBe(0);
  expect(await ask(within(7_200_000, 'B', 'A'))).toBe(0);
  expect(await ask(funnel('C', 'A'))).toBe(chunkCount);
  expect(await ask(funnel('A', 'B', 'C'))).toBe(0);
  expect(await ask(funnel('A', 'never', 'B'))).toBe(0);
  grow(1);
  expect(await ask(funnel('A', 'B', 'C'), partition.publish())).toBe(1);
});

test('a user who was erased is in no answer', async () => {
  const {parts, partition} = world();
  const ask = asking(parts, partition.publish(), 1);
  await ask(funnel('A', 'B'));
  const erased = partition.erase('u7').publish();
  expect(await ask(funnel('A', 'B'), erased)).toBeGreaterThan(0);
  expect(await ask(funnel('A', 'B'), erased)).toBe(0);
});

test('names that do not fit together take each other’s place; what fits by no means is read again', async () => {
  const {parts, partition} = world();
  const snapshot = partition.publish();
  const ask = asking(parts, snapshot, 1 / 5);
  expect(await ask(funnel('A', 'B'))).toBe(chunkCount);
  expect(await ask(funnel('A', 'B'))).toBe(0);
  expect(await ask(funnel('C', 'D'))).toBe(chunkCount);
  expect(await ask(funnel('C', 'D'))).toBe(0);
  const frugal = asking(parts, snapshot, 1 / 50);
  for (let time = 0; time < 3; time++) expect(await frugal(funnel('A', 'B'))).toBeGreaterThan(chunkCount / 2);
});

test('any funnel over any share of the rows answers as over all of them', async () => {
  const {parts, partition} = world();
  const snapshot = partition.publish();
  const shares = [1 / 50, 1 / 8, 1 / 3, 1].map((share) => asking(parts, snapshot, share));
  const some = fc.record({
    steps: fc.array(fc.constantFrom(...names), {minLength: 1, maxLength: 5}),
    windowMs: fc.constantFrom(undefined, 0, 5_000, dayMs),
    fromMs: fc.integer({min: -3_600_000, max: chunkCount * 3_600_000}),
    share: fc.nat(shares.length - 1),
  });
  await fc.assert(
    fc.asyncProperty(some, async ({steps, windowMs, fromMs, share}) => {
      const query = {report: 'funnel', steps: stepsOf(steps), ...range, fromMs: startMs + fromMs} as const;
      await shares[share]!(windowMs === undefined ? query : {...query, windowMs});
    }),
    {numRuns: 30},
  );
});

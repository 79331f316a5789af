// Columns of many paths, and notes of many events: both grow.
import {expect, test} from 'vitest';
import {StepNotes} from '../../../../actors/report/funnel/event-notes.js';
import {NumberLists} from '../../../../actors/report/funnel/median.js';
import {PathLog} from '../../../../actors/report/funnel/path-log.js';
import {summarize} from '../../../../actors/report/funnel/path-summary.js';

function result<T>(work: Generator<void, T, void>): T {
  for (;;) {
    const {done, value} = work.next();
    if (done) return value as T;
  }
}

test('notes: each triple has a number, and keeps it', () => {
  const notes = new StepNotes();
  const triples = Array.from({length: 5_000}, (_, i) => [i % 7, (i * i) % 1_000, i % 300] as const);
  const numbers = triples.map(([set, held, group]) => notes.noteOf(set, held, group));
  expect(new Set(numbers).size).toBe(new Set(triples.map(String)).size);
  for (const [i, [set, held, group]] of triples.entries()) {
    const note = notes.noteOf(set, held, group);
    expect([note, notes.set(note), notes.held(note), notes.group(note)]).toEqual([numbers[i], set, held, group]);
  }
});

test('a log of many paths: all of them, and those of each row', () => {
  const log = new PathLog();
  const paths = Array.from({length: 40_000}, (_, i) => ({depth: 1 + (i % 3), group: i % 5, startMs: i * 1_000}));
  for (const {depth, group, startMs} of paths) {
    const times = Float64Array.of(startMs, startMs + 10 * group, startMs + 10 * group + 7);
    log.add({depth, times}, group, group % 2, depth === 1);
  }
  const lists = new NumberLists(1 << 20);
  const shape = {stepCount: 3, bucketCount: 2, hasPercentiles: true, histogram: 'decimal' as const};
  const whole = result(summarize(log, undefined, shape, lists));
  expect(whole.steps.map(({count}) => count)).toEqual([40_000, 26_666, 13_333]);
  expect(whole.steps[2]).toMatchObject({medianMs: 7, meanSeconds: 0.007});
  expect([...whole.entered]).toEqual([24_000, 16_000]);
  expect(whole.undecided).toBe(13_334);
  expect([...result(log.totals(5))]).toEqual([8_000, 8_000, 8_000, 8_000, 8_000]);
  // Groups 1 and 4 share a row; no group is in the last one.
  const rows = result(log.byRow(Uint32Array.of(0, 1, 2, 0, 1), 4));
  expect(rows.map(({length}) => length)).toEqual([16_000, 16_000, 8_000, 0]);
  const second = result(summarize(log, rows[1], shape, lists));
  const gaps = paths.filter(({depth, group}) => depth > 1 && (group === 1 || group === 4)).map(({group}) => 10 * group);
  expect(second.steps[1]).toEqual({
    count: gaps.length,
    medianMs: 25,
    meanSeconds: gaps.reduce((sum, gap) => sum + gap, 0) / (gaps.length * 1_000),
    percentilesMs: [40, 40, 40],
    histogram: [
      {fromMs: 10, toMs: 20, count: gaps.filter((gap) => gap === 10).length},
      {fromMs: 20, toMs: 50, count: gaps.filter((gap) => gap === 40).length},
    ],
  });
  const none = result(summarize(log, rows[3], shape, lists)).steps;
  expect(none.map(({count}) => count)).toEqual([0, 0, 0]);
  expect(none.map(({percentilesMs}) => percentilesMs)).toEqual(new Array(3).fill([null, null, null]));
});

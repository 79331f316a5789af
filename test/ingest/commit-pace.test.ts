// How long a commit cycle waits for company: numbers in, milliseconds out.
import {expect, test} from 'vitest';
import {CommitPace, enoughBytes, entriesPerLingerMs, lingerMsMax, togetherMs} from '../../src/ingest/commit-pace.js';

/** A pace whose newest cycle had `messages` messages with `entries` each, and was answered at `endMs`. */
function paceAfter(messages: number, entries: number, endMs: number): CommitPace {
  const pace = new CommitPace();
  pace.wait(messages * entries, messages * entries * 100);
  pace.begin(endMs - 1);
  for (let i = 0; i < messages; i++) pace.sent(entries, entries * 100);
  for (let i = 0; i < messages; i++) pace.settled(endMs);
  return pace;
}

test('the first entry leaves at once, and so do few after few (C1)', () => {
  const pace = new CommitPace();
  pace.wait(1, 100);
  expect(pace.waitMs(0)).toBe(0);
  const few = paceAfter(4, entriesPerLingerMs / 8, 10);
  few.wait(1, 100);
  expect(few.waitMs(10)).toBe(0);
});

test('after many, a cycle waits for as many, for a time that grows with their number (C1)', () => {
  for (const [entries, lingerMs] of [
    [entriesPerLingerMs / 4, 1],
    [entriesPerLingerMs / 2, 2],
    [entriesPerLingerMs * 100, lingerMsMax],
  ] as const) {
    const pace = paceAfter(4, entries, 10);
    pace.wait(1, 100);
    expect(pace.waitMs(10)).toBe(lingerMs);
    expect(pace.waitMs(10 + lingerMs)).toBe(0);
    pace.wait(4 * entries - 1, 100);
    expect(pace.waitMs(10)).toBe(0);
  }
});

test('what waited since long ago does not wait on for company', () => {
  const pace = paceAfter(4, 100, 10);
  pace.wait(1, 100);
  expect(pace.waitMs(1_000)).toBe(0);
});

test('many bytes wait for nobody', () => {
  const pace = paceAfter(4, 1_000, 10);
  pace.wait(20, enoughBytes);
  expect(pace.waitMs(10)).toBe(0);
});

test('a cycle begins when all of the one before are answered, or when one of them takes too long (C2)', () => {
  const pace = new CommitPace();
  pace.wait(3, 300);
  pace.begin(10);
  pace.sent(1, 100);
  pace.sent(1, 100);
  expect(pace.waitMs(10)).toBe(togetherMs);
  pace.settled(11);
  expect(pace.waitMs(11)).toBe(togetherMs - 1);
  expect(pace.waitMs(10 + togetherMs)).toBe(0);
  pace.settled(12);
  pace.wait(1, 100);
  expect(pace.waitMs(12)).toBe(0);
});

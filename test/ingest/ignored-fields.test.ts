// Names of ignored fields: bounded in number and length, and labels out of a fixed list.
import {expect, test} from 'vitest';
import {
  countIgnored,
  IgnoredNames,
  ignoredFieldLabels,
  ignoredFieldsText,
  newIgnoredCounts,
} from '../../src/ingest/ignored-fields.js';

function named(...names: readonly string[]): readonly string[] {
  const ignored = new IgnoredNames();
  for (const name of names) ignored.add(name);
  return ignored.names;
}

test('each name once, ten of them at most', () => {
  expect(named('time', 'ts', 'time')).toEqual(['time', 'ts']);
  expect(named(...Array.from({length: 20}, (_, i) => `f${i}`))).toEqual(Array.from({length: 10}, (_, i) => `f${i}`));
});

test('a long name is cut, and what does not fit 1 KiB of a header is left out', () => {
  expect(named('k'.repeat(1_000))).toEqual([`${'k'.repeat(64)}…`]);
  const long = (first: string) => first + '😀'.repeat(63);
  expect(named(long('a'), long('b'), 'short')).toEqual([long('a'), 'short']);
  expect(ignoredFieldsText(named(long('a'), long('b'), 'short')).length).toBeLessThanOrEqual(1_024);
});

test('a header is ASCII whatever the names are', () => {
  expect(ignoredFieldsText(named('a,b', 'ü', '\ud800', '\r\nX: 1', ''))).toBe('a%2Cb,%C3%BC,%EF%BF%BD,%0D%0AX%3A%201,');
});

test('what is not well known counts as other', () => {
  const counts = newIgnoredCounts();
  for (const name of ['time', 'time', 'my own', 'constructor']) countIgnored(counts, name);
  const told = Object.fromEntries(ignoredFieldLabels.map((label, at) => [label, counts[at]]).filter(([, n]) => n));
  expect(told).toEqual({time: 2, other: 2});
  expect(new Set(ignoredFieldLabels).size).toBe(ignoredFieldLabels.length);
});

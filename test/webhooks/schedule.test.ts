import {describe, expect, test} from 'vitest';
import {
  attemptsMax,
  hasCome,
  probeDelayMs,
  probedAfter,
  retryAfterMs,
  retryDelayMs,
} from '../../src/webhooks/schedule.js';

test('ten attempts, each a tenth earlier or later than its time', () => {
  const seconds = Array.from({length: attemptsMax}, (_, attempt) => (retryDelayMs(attempt, 0.5) ?? 0) / 1_000);
  expect(seconds).toEqual([0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  expect(retryDelayMs(attemptsMax, 0.5)).toBeUndefined();
  expect([retryDelayMs(1, 0), retryDelayMs(1, 1)]).toEqual([4_500, 5_500]);
});

test('an endpoint that goes on failing is probed ever less often', () => {
  expect(probeDelayMs(probedAfter, 0.5)).toBe(5_000);
  expect(probeDelayMs(probedAfter + 1, 0.5)).toBe(300_000);
  expect(probeDelayMs(10_000, 0.5)).toBe(86_400_000);
});

test.each([
  ['before it', 1_000, 999, 5_000, false],
  ['at it', 1_000, 1_000, 5_000, true],
  ['after it', 1_000, 1_001, 5_000, true],
  ['by the clock of another process, which is behind', 40_000, 0, 5_000, false],
  ['by a clock that went back by a day', 86_405_000, 0, 5_000, true],
  ['of a longer pause, by a clock that went back by a day', 86_400_000 + 3_600_000, 0, 3_600_000, true],
  ['of a pause that is not known', 86_405_000, 0, Number.POSITIVE_INFINITY, false],
])('a time of attempts, %s', (_, timeMs, nowMs, waitMs, come) => {
  expect(hasCome(timeMs, waitMs, nowMs)).toBe(come);
});

describe('Retry-After', () => {
  const nowMs = Date.parse('2026-11-27T12:00:00Z');
  test.each([
    ['7', 7_000],
    ['0', 1_000],
    ['1000000000', 86_400_000],
    ['Fri, 27 Nov 2026 12:01:00 GMT', 60_000],
    ['Fri, 27 Nov 2026 11:00:00 GMT', 1_000],
    ['-1', undefined],
    ['soon', undefined],
    ['', undefined],
    ['1.5', undefined],
    [undefined, undefined],
  ])('%s', (text, ms) => {
    expect(retryAfterMs(text, nowMs)).toBe(ms);
  });
});

// The arithmetic of a rate limit, on a clock driven by hand.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {RateLimit, rateLimits} from '../../src/edge/http/rate-limit.js';
import {runs} from '../support/runs.js';

const fresh = () => ({events: 0, reads: 0, deletions: 0});
const headersOf = (refusal: {headers?: readonly (readonly [string, string])[]} | undefined) =>
  Object.fromEntries(refusal?.headers ?? []);

describe('a limit of 4 events within 2 s', () => {
  test('lets its quota in at once, and then one event each half second', () => {
    const limit = new RateLimit('events', 4, 2);
    const usage = fresh();
    const admittedAt = (nowMs: number): boolean => limit.admit(usage, nowMs) === undefined;
    const moments = [10_000, 10_000, 10_000, 10_000, 10_000, 10_499, 10_500, 10_501, 11_000, 30_000, 30_000];
    expect(moments.map(admittedAt)).toEqual([
      ...[true, true, true, true, false],
      ...[false, true, false, true, true, true],
    ]);
  });

  test('lets its quota in at whatever fraction of a millisecond it comes', () => {
    const limit = new RateLimit('events', 3, 60);
    const moment = fc.double({min: 0, max: 1e9, noNaN: true});
    fc.assert(
      fc.property(moment, (nowMs) => {
        const usage = fresh();
        const admitted = [1, 2, 3, 4].map(() => limit.admit(usage, nowMs) === undefined);
        expect(admitted).toEqual([true, true, true, false]);
      }),
      {numRuns: runs(10_000)},
    );
  });

  test('lets a batch in as a whole while there is room for one event, and then makes its key wait for all of it', () => {
    const limit = new RateLimit('events', 4, 2);
    const usage = fresh();
    expect(limit.admit(usage, 0)).toBeUndefined();
    limit.charge(usage, 999);
    const refusal = limit.admit(usage, 0);
    // 1,000 events take 500 s; the last 2 s of them are the burst, and one event of it must be free.
    expect(headersOf(refusal)).toEqual({
      'Retry-After': '499',
      RateLimit: '"events";r=0;t=499',
      'RateLimit-Policy': '"events";q=4;w=2',
    });
    expect(limit.admit(usage, 498_499)?.code).toBe('rate_limited');
    expect(limit.admit(usage, 498_500)).toBeUndefined();
  });

  test('charges a refused request nothing, and tells it to wait at least a second', () => {
    const limit = new RateLimit('events', 4, 2);
    const usage = fresh();
    for (let i = 0; i < 4; i++) limit.admit(usage, 0);
    for (let i = 0; i < 100; i++) expect(headersOf(limit.admit(usage, 499))['Retry-After']).toBe('1');
    expect(limit.admit(usage, 500)).toBeUndefined();
  });

  test('says what is left once more than half of it is used', () => {
    const limit = new RateLimit('events', 4, 2);
    const usage = fresh();
    const lowAfterEach = [1, 2, 3, 4].map(() => {
      limit.admit(usage, 0);
      return limit.isRunningLow(usage, 0);
    });
    expect(lowAfterEach).toEqual([false, false, true, true]);
    expect(Object.fromEntries(limit.fields(usage, 600))).toEqual({
      RateLimit: '"events";r=1;t=2',
      'RateLimit-Policy': '"events";q=4;w=2',
    });
  });
});

test('no time window has more than the quota and what came back meanwhile', () => {
  const step = fc.record({waitMs: fc.integer({min: 0, max: 400}), units: fc.integer({min: 1, max: 5})});
  fc.assert(
    fc.property(fc.array(step, {maxLength: 100}), (steps) => {
      const limit = new RateLimit('reads', 10, 1);
      const usage = fresh();
      let nowMs = 5_000;
      let left = 10; // A token bucket with the same numbers, filled at every step.
      for (const {waitMs, units} of steps) {
        nowMs += waitMs;
        left = Math.min(10, left + waitMs / 100);
        const isAdmitted = limit.admit(usage, nowMs) === undefined;
        if (Math.abs(left - 1) > 1e-6) expect(isAdmitted).toBe(left > 1);
        if (!isAdmitted) continue;
        limit.charge(usage, units - 1);
        left -= units;
      }
    }),
    {seed: 4, numRuns: runs(200)},
  );
});

test('the limits of the configuration: 0 is off, events and deletions have two seconds of burst, reads a minute', () => {
  const off = rateLimits({eventsPerSecond: 0, readsPerMinute: 0, deletesPerSecond: 0});
  expect(off).toEqual({events: undefined, reads: undefined, deletions: undefined});
  const limits = rateLimits({eventsPerSecond: 50_000, readsPerMinute: 600, deletesPerSecond: 10});
  const policies = Object.values(limits).map(
    (limit) => Object.fromEntries(limit!.fields(fresh(), 1))['RateLimit-Policy'],
  );
  expect(policies).toEqual(['"events";q=100000;w=2', '"reads";q=600;w=60', '"deletions";q=20;w=2']);
});

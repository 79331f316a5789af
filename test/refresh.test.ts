// How soon reports refresh in the first hour of a deployment and later, under clocks that jump and processes that restart.
import {expect, test} from 'vitest';
import {ordinaryRefreshPlan, Refresh, steadyRefreshPlan} from '../src/refresh.js';

const createdMs = Date.UTC(2026, 4, 1, 12);
const minuteMs = 60_000;

/** A machine whose wall clock is set by hand; `pass` moves both clocks on. */
class Machine {
  wall = createdMs;
  private monotonic = 7;
  readonly clock = {wallMs: () => this.wall, monotonicMs: () => this.monotonic};

  pass(ms: number): void {
    this.wall += ms;
    this.monotonic += ms;
  }

  start(plan = ordinaryRefreshPlan): Refresh {
    return new Refresh(plan, createdMs, this.clock);
  }
}

test('a new deployment refreshes every 5 s for an hour, then every 300 s, without a restart', () => {
  const machine = new Machine();
  const refresh = machine.start();
  expect([refresh.ms, refresh.leftMs]).toEqual([5_000, 60 * minuteMs]);
  expect(refresh.change).toEqual({fromMs: 5_000, toMs: 300_000, atMs: createdMs + 60 * minuteMs});
  machine.pass(60 * minuteMs - 1);
  expect(refresh.ms).toBe(5_000);
  machine.pass(1);
  expect([refresh.ms, refresh.change, refresh.leftMs]).toEqual([300_000, undefined, 0]);
});

test('a restart within the hour goes on with the rest of it', () => {
  const machine = new Machine();
  machine.pass(50 * minuteMs);
  const refresh = machine.start();
  expect([refresh.ms, refresh.leftMs]).toEqual([5_000, 10 * minuteMs]);
  machine.pass(10 * minuteMs);
  expect([refresh.ms, machine.start().ms]).toEqual([300_000, 300_000]);
});

test('a clock that jumps while a process runs changes nothing', () => {
  const machine = new Machine();
  const refresh = machine.start();
  machine.wall += 400 * 24 * 60 * minuteMs;
  expect(refresh.ms).toBe(5_000);
  machine.pass(60 * minuteMs);
  machine.wall = createdMs;
  expect(refresh.ms).toBe(300_000);
});

test.each([
  ['a little before it was created', -minuteMs, 5_000],
  ['a day before it was created', -1_440 * minuteMs, 300_000],
  ['a year later', 525_600 * minuteMs, 300_000],
])('a start %s', (_, offsetMs, ms) => {
  const machine = new Machine();
  machine.wall += offsetMs;
  const refresh = machine.start();
  expect(refresh.ms).toBe(ms);
  expect(refresh.leftMs).toBeLessThanOrEqual(60 * minuteMs);
});

test('a set refresh is the same in the first hour', () => {
  const refresh = new Machine().start(steadyRefreshPlan(500));
  expect([refresh.ms, refresh.change, refresh.leftMs]).toEqual([500, undefined, 0]);
});

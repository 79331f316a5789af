import {expect, test} from 'vitest';
import {type LoadReading, LoadRing, ringRows} from '../../../src/edge/dashboard/load-ring.js';
import {AckTimes, percentilesBetween} from '../../../src/edge/metrics/ack-times.js';

interface Story {
  readonly ring: LoadRing;
  /** One look, so many ms after the one before, with what changed since. */
  look(ms: number, change?: Partial<LoadReading['totals'] & LoadReading['gauges']>, refused?: number): void;
  readonly acks: AckTimes;
}

const zeros = {batch: 0, single: 0, identify: 0, folded: 0, cpu_service: 0, cpu_nats: 0};
const gauges = {
  behind_ms: 0,
  report_age_ms: 0,
  open: 0,
  log_bytes: 0,
  fold_bytes: 0,
  body_bytes: 0,
  intake_bytes: 0,
  answer_bytes: 0,
  late_edge_ms: 0,
  late_others_ms: 0,
  snapshot_ms: 0,
  disk_free_bytes: 0,
};

function story(): Story {
  const [ring, acks] = [new LoadRing(), new AckTimes()];
  let values: Record<string, number> = {...zeros, ...gauges};
  let [atMs, limited] = [1_000_000, 0];
  return {
    ring,
    acks,
    look(ms, change = {}, refused = 0) {
      atMs += ms;
      limited += refused;
      values = {...values, ...change};
      const of = <Name extends string>(names: Readonly<Record<Name, number>>) =>
        Object.fromEntries(Object.keys(names).map((name) => [name, values[name]])) as Record<Name, number>;
      const refusals = new Map([['rate_limited', limited] as const]);
      ring.add({atMs, totals: of(zeros), gauges: of(gauges), refusals, acks: acks.counts});
    },
  };
}

test('what is counted becomes a rate over the time that passed, and a gauge is what it is', () => {
  const {ring, look} = story();
  look(0, {batch: 500});
  look(1_000, {batch: 1_500, behind_ms: 40});
  look(2_000, {batch: 2_500, behind_ms: 0}, 6);
  const {at, columns} = ring.rows(0);
  expect(at).toEqual([1_001_000, 1_003_000]);
  expect(columns).toMatchObject({batch: [1_000, 500], behind_ms: [40, 0], 'refused.rate_limited': [0, 3]});
  expect(ring.newest()!.at).toBe(1_003_000);
});

test('codes that nothing was refused with are no columns', () => {
  const {ring, look} = story();
  for (const refused of [0, 0, 1]) look(1_000, {}, refused);
  expect(Object.keys(ring.rows(0).columns).filter((name) => name.startsWith('refused.'))).toEqual([
    'refused.rate_limited',
  ]);
});

test('what was silent, and what began anew, is not known for that second, and is known again after it', () => {
  const {ring, look} = story();
  look(0, {folded: 100});
  look(1_000, {folded: Number.NaN, behind_ms: Number.NaN});
  look(1_000, {folded: 300, behind_ms: 5});
  look(1_000, {folded: 400});
  look(1_000, {folded: 10});
  look(1_000, {folded: 30});
  expect(ring.rows(0).columns).toMatchObject({folded: [null, null, 100, null, 20], behind_ms: [null, 5, 5, 5, 5]});
});

test('percentiles of acks are of their second alone, within an eighth of a doubling', () => {
  const {ring, look, acks} = story();
  look(0);
  for (let i = 0; i < 98; i++) acks.observe(2);
  for (let i = 0; i < 2; i++) acks.observe(40);
  look(1_000);
  look(1_000);
  acks.observe(8.3);
  look(1_000);
  const {ack_p50_ms: p50, ack_p99_ms: p99} = ring.rows(0).columns;
  expect(p50[1]).toBeNull();
  for (const [value, real] of [
    [p50[0], 2],
    [p99[0], 40],
    [p99[2], 8.3],
  ]) {
    expect(value).toBeGreaterThanOrEqual(real!);
    expect(value).toBeLessThan(real! * 2 ** (1 / 8) + 0.01);
  }
});

test('times below and above all bounds are in the first and in the last cell', () => {
  const acks = new AckTimes();
  const before = new Float64Array(acks.counts);
  acks.observe(0);
  expect(percentilesBetween(before, acks.counts, [0.5, 1])).toEqual([0.25, 0.25]);
  acks.observe(60_000);
  expect(percentilesBetween(before, acks.counts, [0.5, 1])).toEqual([0.25, 8_192]);
});

test('the ring holds a quarter of an hour, and of that what is asked for', () => {
  const {ring, look} = story();
  for (let second = 0; second <= ringRows + 10; second++) look(1_000, {single: 2 * second});
  const {at, columns} = ring.rows(0);
  expect(at).toHaveLength(ringRows);
  expect(at.at(-1)! - at[0]).toBe((ringRows - 1) * 1_000);
  expect(new Set(columns.single)).toEqual(new Set([2]));
  expect(ring.rows(at.at(-1)! - 60_000).at).toHaveLength(60);
});

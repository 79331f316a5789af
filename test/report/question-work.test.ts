// The work on one question: what it is charged, and what ends it.
import {expect, test} from 'vitest';
import {neverStops, newStop, Stopped} from '../../src/pacing/stop.js';
import {BusyTime, QuestionWork, TooExpensive} from '../../src/report/question-work.js';

const slot = {nextSlice: async () => undefined, free: () => undefined};

test('each question is charged its own slices, and stops beyond its bound', async () => {
  let busyMs = 1_000;
  const busy = new BusyTime(() => busyMs);
  const bounds = {busy, busyMsMax: 20};
  const [one, other] = [new QuestionWork(slot, neverStops, bounds), new QuestionWork(slot, neverStops, bounds)];
  for (let slice = 0; slice < 4; slice++) {
    busyMs += 5;
    await one.nextSlice();
    busyMs += 1;
    await other.nextSlice();
  }
  busyMs += 5;
  await expect(one.nextSlice()).rejects.toThrow(
    new TooExpensive(
      'this question takes more than the 0.02 s of computing that one question may (REPORT_CPU_SECONDS): ' +
        'ask for a shorter range, a longer interval, or fewer conditions, values and steps',
    ),
  );
  busyMs += 16;
  await other.nextSlice(); // 20 in all.
  busyMs += 1;
  await expect(other.nextSlice()).rejects.toBeInstanceOf(TooExpensive);
});

test('it stops after its slice, and before the next one, once nobody waits', async () => {
  const bounds = {busy: new BusyTime(() => 0), busyMsMax: Number.POSITIVE_INFINITY};
  const stop = newStop();
  const leaving = {...slot, nextSlice: async () => stop.abort()};
  const work = new QuestionWork(leaving, stop.signal, bounds);
  for (let slice = 0; slice < 2; slice++) await expect(work.nextSlice()).rejects.toBeInstanceOf(Stopped);
});

test('time in which the thread waits is not busy time', async () => {
  const busy = new BusyTime();
  busy.take();
  const startMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const waitedMs = performance.now() - startMs;
  expect(busy.take()).toBeLessThan(waitedMs);
});

// The work on one question: what it is charged, and what ends it.
import {expect, test} from 'vitest';
import {threadCpuClock} from '../../src/clock.js';
import {neverStops, newStop, Stopped} from '../../src/pacing/stop.js';
import {CpuTime, QuestionWork, TooExpensive} from '../../src/report/question-work.js';

const slot = {nextSlice: async () => undefined, free: () => undefined};

test('each question is charged its own slices, and stops beyond its bound', async () => {
  let usedMs = 1_000;
  const bounds = {cpu: new CpuTime(() => usedMs), cpuMsMax: 20};
  const [one, other] = [new QuestionWork(slot, neverStops, bounds), new QuestionWork(slot, neverStops, bounds)];
  for (let slice = 0; slice < 4; slice++) {
    usedMs += 5;
    await one.nextSlice();
    usedMs += 1;
    await other.nextSlice();
  }
  usedMs += 5;
  await expect(one.nextSlice()).rejects.toThrow(
    new TooExpensive(
      'this question takes more than the 0.02 s of computing that one question may (REPORT_CPU_SECONDS): ' +
        'ask for a shorter range, a longer interval, or fewer conditions, values and steps',
    ),
  );
  usedMs += 16;
  await other.nextSlice(); // 20 in all.
  usedMs += 1;
  await expect(other.nextSlice()).rejects.toBeInstanceOf(TooExpensive);
});

test('it stops after its slice, and before the next one, once nobody waits', async () => {
  const bounds = {cpu: new CpuTime(() => 0), cpuMsMax: Number.POSITIVE_INFINITY};
  const stop = newStop();
  const leaving = {...slot, nextSlice: async () => stop.abort()};
  const work = new QuestionWork(leaving, stop.signal, bounds);
  for (let slice = 0; slice < 2; slice++) await expect(work.nextSlice()).rejects.toBeInstanceOf(Stopped);
});

test('time in which the thread waits does not count, whatever it waits for', async () => {
  const cpu = new CpuTime();
  cpu.take();
  const startMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 50));
  // Its loop counts as busy meanwhile, as it does while another process has the core.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  const waitedMs = performance.now() - startMs;
  expect(cpu.take()).toBeLessThan(waitedMs / 2);
  const usedMs = threadCpuClock();
  const beforeMs = usedMs();
  while (usedMs() - beforeMs < 20);
  expect(cpu.take()).toBeGreaterThan(20);
});

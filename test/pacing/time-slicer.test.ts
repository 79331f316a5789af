import {expect, test} from 'vitest';
import {TimeSlicer} from '../../src/pacing/time-slicer.js';

test('nothing comes between while a slice lasts; the next one begins after what came between', async () => {
  let atMs = 0;
  const worked: number[] = [];
  const between = async (workedMs: number): Promise<void> => {
    worked.push(workedMs);
    atMs += 100;
  };
  const slicer = new TimeSlicer({sliceMs: 4, nowMs: () => atMs, between});
  for (const ms of [3, 0.5, 0.5, 3.5, 9, 1]) {
    atMs += ms;
    await slicer.pause();
  }
  expect(worked).toEqual([4, 12.5]);
  expect(slicer.pauseIfDue()).toBeUndefined();
});

test('what comes between may be done at once', () => {
  let atMs = 0;
  let naps = 0;
  const nap = (): undefined => {
    naps += 1;
    atMs += 1;
  };
  const slicer = new TimeSlicer({sliceMs: 1, nowMs: () => atMs, between: nap});
  for (let step = 0; step < 8; step++) {
    atMs += 0.5;
    expect(slicer.pauseIfDue()).toBeUndefined();
  }
  expect(naps).toBe(4);
});

test('a long scan gives way to whoever else waits for the thread, but not after every step', async () => {
  const slicer = new TimeSlicer();
  let turns = 0;
  const turn = () => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  let steps = 0;
  // A turn costs some 10 us: on a busy machine a few steps may take a whole slice each, but not nearly all of them.
  while (turns < 3 || steps <= 2 * turns) {
    Math.hypot(...Array.from({length: 100}, (_, i) => i));
    await slicer.pause();
    steps += 1;
  }
  clearImmediate(next);
});

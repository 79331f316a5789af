// When the bytes that were folded since the last snapshot force the next one.
import {expect, test} from 'vitest';
import type {LogWriter} from '../../../src/partition/log/log-writer.js';
import {Ticks} from '../../../src/partition/snapshot/ticks.js';

const tailBytesMax = 1_000;

function newTicks(): {ticks: Ticks; sent: () => number} {
  let sent = 0;
  const writer = {tick: async () => ++sent} as unknown as LogWriter;
  const ticks = new Ticks({
    writer,
    ownership: {epoch: 3},
    refresh: {ms: 300_000},
    stagger: 0,
    tailBytesMax,
    onFatal: (error) => {
      throw error;
    },
  });
  return {ticks, sent: () => sent};
}

test('a tail of the longest length sends one tick, whatever follows, until a snapshot begins', () => {
  const {ticks, sent} = newTicks();
  ticks.folded(tailBytesMax - 1, false);
  expect(sent()).toBe(0);
  ticks.folded(1, false);
  ticks.folded(5 * tailBytesMax, false);
  expect(sent()).toBe(1);
  ticks.snapshotBegun();
  ticks.folded(tailBytesMax - 1, false);
  expect(sent()).toBe(1);
  ticks.folded(1, false);
  expect(sent()).toBe(2);
});

test('a start sends none: it ends with a tick of its own', () => {
  const {ticks, sent} = newTicks();
  ticks.folded(5 * tailBytesMax, true);
  expect(sent()).toBe(0);
});

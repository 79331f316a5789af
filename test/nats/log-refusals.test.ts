import {expect, test} from 'vitest';
import {keptMs, LogRefusals} from '../../src/nats/log-refusals.js';
import {until} from '../support/until.js';

function world(streams: readonly boolean[] = []) {
  const said: string[] = [];
  const now = {ms: 0};
  const looked: number[] = [];
  const refusals = new LogRefusals({
    isStreamThere: async (partition) => {
      looked.push(partition);
      return streams[partition];
    },
    monotonicMs: () => now.ms,
    logger: {
      error: (fields: {reason: string}) => said.push(fields.reason),
      warn: (text: string) => said.push(text),
    } as never,
  });
  return {refusals, said, now, looked};
}

const full = 'insufficient resources (10023)';

test('a refusal stands until the same log takes a message, and is said once for all', () => {
  const {refusals, said} = world();
  refusals.stored(0);
  for (const partition of [0, 1, 0, 1]) refusals.refused(partition, full);
  expect(refusals.reasons()).toEqual([`the log refuses events: ${full}`]);
  refusals.stored(0);
  refusals.stored(0);
  expect(refusals.reasons()).toEqual([`the log refuses events: ${full}`]);
  refusals.stored(1);
  expect(refusals.reasons()).toEqual([]);
  expect(said).toEqual([`the log refuses events: ${full}`, 'the log accepts events again']);
});

test('nobody who sends nothing waits for ever: a refusal is old after a while', () => {
  const {refusals, now} = world();
  refusals.refused(0, full);
  now.ms = keptMs - 1;
  expect(refusals.reasons()).toHaveLength(1);
  refusals.refused(0, full);
  now.ms = 2 * keptMs - 2;
  expect(refusals.reasons()).toHaveLength(1);
  now.ms = 2 * keptMs - 1;
  expect(refusals.reasons()).toEqual([]);
});

test('a message that nobody hears is a missing stream only where NATS says so, which is asked once a second', async () => {
  const {refusals, now, looked} = world([true, false]);
  for (let i = 0; i < 10; i++) {
    refusals.unheard(0);
    refusals.unheard(1);
  }
  await until('it is known', () => refusals.reasons().length > 0);
  expect(refusals.reasons()).toEqual(['stream LOG-1 does not exist']);
  expect(looked).toEqual([0, 1]);
  now.ms = 1_000;
  refusals.unheard(1);
  expect(looked).toEqual([0, 1, 1]);
});

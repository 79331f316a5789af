// What is handed over to a partition and the knowledge of which log that is from.
import {beforeEach, expect, test} from 'vitest';
import {LogIdentity} from '../../../src/partition/log/log-identity.js';

let identity: LogIdentity;
let calls: string[];
/** Whether the log still has what was folded last. */
let holds: boolean;

beforeEach(async () => {
  calls = [];
  holds = true;
  let newest = 0;
  const reader = {
    holds: async () => {
      calls.push('compared');
      return holds;
    },
    takeHanded: (connection: number) => {
      const isFirst = connection > newest;
      newest = Math.max(newest, connection);
      return isFirst;
    },
    reopen: () => calls.push('reopened'),
    forgetHanded: () => calls.push('forgot'),
    interrupt: () => {},
    expedite: () => {},
  };
  const partition = {partition: 0, appliedSequence: 5, appliedMark: 'mark', generation: 1, rewind: () => {}};
  const snapshots = {publishedSequence: 3, idle: async () => {}, logReplaced: async () => {}};
  identity = new LogIdentity({
    partition,
    reader,
    snapshots,
    ownership: {isOutlived: async () => false},
    noteCompared: () => {},
    renewHandOver: () => calls.push('asked for a new connection'),
    log: {error: () => {}, warn: () => {}},
    onFatal: (error: Error) => {
      throw error;
    },
  } as never);
  await identity.agree();
  calls = [];
});

test('the first messages of a connection are folded only after the log was compared, the next ones at once', async () => {
  identity.takeHanded(1, []);
  expect([identity.isKnown, calls]).toEqual([false, ['reopened']]);
  await identity.agree();
  expect([identity.isKnown, calls]).toEqual([true, ['reopened', 'compared']]);
  identity.takeHanded(1, []);
  expect(identity.isKnown).toBe(true);
});

test('after a lost connection, and with another log, the edge is asked for a new connection', async () => {
  identity.disconnected();
  expect(calls).toEqual(['forgot', 'asked for a new connection']);
  await identity.agree();
  calls = [];
  holds = false;
  identity.readingEnded();
  await identity.agree();
  expect(calls).toEqual(['compared', 'forgot', 'asked for a new connection']);
});

// Live reads while the log says nothing: whoever asks is told in the time that it waits.
import {setImmediate as turnEnd} from 'node:timers/promises';
import {describe, expect, test, vi} from 'vitest';
import {Conflicts} from '../../../actors/dedupe/conflicts.js';
import {idCharsMax} from '../../../actors/limits.js';
import {replyBytesMax} from '../../../src/asks/subjects.js';
import type {ReadBarrier} from '../../../src/partition/log/read-barrier.js';
import {LiveReads} from '../../../src/partition/reads/live-reads.js';
import {longReadSlots} from '../../../src/partition/reads/read-budget.js';
import type {Runner} from '../../../src/partition/runner.js';
import {Replaced} from '../../../src/partition/snapshot/manifest-store.js';
import {Ownership} from '../../../src/partition/snapshot/ownership.js';
import {shortestMs} from '../../support/until.js';

/** The edge gives up then, and says that the partition does not answer. */
const edgeWaitsMs = 1_000;

/** A partition that folded 7 messages, over a log whose last sequence, and a store whose word, comes when it comes. */
function reads(
  sequence: () => Promise<number>,
  successorOf: () => Promise<Replaced | undefined> = () => sequence().then(() => undefined),
  phase: Runner['phase'] = 'live',
): LiveReads {
  const runner = {
    view: {
      partition: {partition: 0, appliedSequence: 7, deletions: new Map(), tables: {}},
      layout: {writing: new Map(), chunks: {byOrdinal: []}},
      damage: {countOf: () => 0},
      writer: {fault: undefined},
      refresh: {ms: 1_000, change: undefined},
      ownership: new Ownership({successorOf}, 1, () => undefined),
    },
    phase,
    published: null,
    snapshotAgeMs: null,
    whenApplied: async (wanted: number) => wanted <= 7,
  };
  const newest: Pick<ReadBarrier, 'sequence'> = {sequence};
  return new LiveReads(runner as unknown as Runner, longReadSlots(), newest as ReadBarrier);
}

describe('the status of a partition', () => {
  const behind = {kind: 'status', phase: 'live', appliedSequence: 7, appendFault: null, lag: 'it is behind its log'};

  test('comes while the edge waits, however long the log says nothing', async () => {
    const silent = reads(() => new Promise(() => undefined));
    const tookMs = await shortestMs(edgeWaitsMs, async () => {
      const startMs = performance.now();
      expect(await silent.answer({ask: 'status'})).toMatchObject(behind);
      return performance.now() - startMs;
    });
    expect(tookMs).toBeLessThan(edgeWaitsMs);
  });

  test('is of the log once it says something, also when it did not at first', async () => {
    let asked = 0;
    const late = reads(async () => {
      asked += 1;
      if (asked === 1) throw new Error('the server was restarted');
      return 7;
    });
    expect(await late.answer({ask: 'status'})).toMatchObject({...behind, lag: null});
    expect(await reads(async () => 8).answer({ask: 'status'})).toMatchObject(behind);
  });

  test("is nobody's of an owner that was paused while it looked at its log, and has a successor now", async () => {
    let pausedMs = 0;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + pausedMs);
    const replacing = new Replaced(0, 2);
    const woken = reads(
      async () => {
        await turnEnd(); // By now the store has answered.
        pausedMs = 60_000;
        return 7;
      },
      async () => (pausedMs === 0 ? undefined : replacing),
    );
    expect(await woken.answer({ask: 'status'})).not.toMatchObject({kind: 'status'});
    expect(await woken.measures()).toBeUndefined();
    vi.restoreAllMocks();
  });
});

test('a deletion whose entry may not be folded yet is not unknown', async () => {
  const question = {ask: 'deletion', id: 'del_0_x', waitMs: 0} as const;
  expect(await reads(async () => 8).answer(question)).toMatchObject({kind: 'unavailable'});
  expect(await reads(async () => 7).answer(question)).toEqual({kind: 'unknown_deletion'});
});

test('rows are not read while a start folds the log again: some are missing, and users who joined are back', async () => {
  const recovering = reads(async () => 8, undefined, 'recovering');
  expect(await recovering.answer({ask: 'tail', from: 0, limit: 1})).toMatchObject({kind: 'unavailable'});
  expect(await recovering.answer({ask: 'bodies', ordinals: []})).toMatchObject({kind: 'unavailable'});
});

test('rows that are read without asking the log are given by an owner that the store confirms, not by one that has a successor', async () => {
  let successor: Replaced | undefined;
  let asked = 0;
  const owner = reads(
    async () => 7,
    async () => {
      asked += 1;
      return successor;
    },
  );
  const question = {ask: 'bodies', ordinals: []} as const;
  for (let page = 0; page < 3; page++) expect(await owner.answer(question)).toMatchObject({kind: 'bodies'});
  expect(asked).toBe(1);
  let laterMs = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + laterMs);
  laterMs = 60_000; // It was paused.
  successor = new Replaced(0, 2);
  expect(await owner.answer(question)).toMatchObject({kind: 'moved'});
  vi.restoreAllMocks();
});

test('a deletion that another partition passes on is awaited, and every message until then is read at once', async () => {
  const id = 'del_0_x';
  const wanted: number[] = [];
  let hasWaited = false;
  const partition = {partition: 0, appliedSequence: 7, deletions: new Map<string, object>()};
  const record = {id, position: {generation: 1, sequence: 9}, eventsDeleted: 2, completed: {timeMs: 0, verified: []}};
  const runner = {
    view: {partition, ownership: new Ownership({successorOf: async () => undefined}, 1, () => undefined)},
    whenApplied: async (sequence: number) => {
      if (sequence <= partition.appliedSequence) return true;
      wanted.push(sequence);
      partition.appliedSequence = sequence;
      if (sequence === 9) partition.deletions.set(id, record);
      return true;
    },
    whenErased: async () => {
      hasWaited = true;
      return true;
    },
    isErased: () => hasWaited,
  };
  const newest: Pick<ReadBarrier, 'sequence'> = {sequence: async () => 7};
  const live = new LiveReads(runner as unknown as Runner, longReadSlots(), newest as ReadBarrier);
  const answer = await live.answer({ask: 'deletion', id, waitMs: 60_000});
  expect(answer).toMatchObject({kind: 'deletion', deletion: {status: 'completed', events_deleted: 2}});
  expect(wanted).toEqual([8, 9]);
});

test('a reply carries all conflicts that a partition holds, whatever their names', () => {
  const conflicts = new Conflicts();
  for (let i = 0; i < 2_000; i++) conflicts.add({timeMs: Date.UTC(2100, 0), event: '🌊'.repeat(idCharsMax)});
  const reply = JSON.stringify({kind: 'conflicts', conflicts: conflicts.newest()});
  expect(Buffer.byteLength(reply)).toBeLessThanOrEqual(replyBytesMax);
});

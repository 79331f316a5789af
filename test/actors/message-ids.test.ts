// Message ids that a partition remembers: the same behind a restart as without one, also where memory does not suffice.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {Conflicts} from '../../actors/dedupe/conflicts.js';
import {dayMs} from '../../actors/limits.js';
import {
  type AcceptedEvent,
  beginMessage,
  sealMessage,
  writeEvent,
  writeIdentify,
  writeTick,
} from '../../actors/log/entries.js';
import type {SnapshotDelta} from '../../actors/manifest.js';
import {Partition} from '../../actors/partition.js';
import {Profile} from '../../actors/user/profile.js';
import {loadRowKernel} from '../../src/partition/row-kernel.js';
import {KeptState} from '../support/kept-state.js';
import {runs} from '../support/runs.js';

const startMs = Date.UTC(2026, 4, 1);
// 768 ids, of which a bound that is reached drops 96.
const setup = {partition: 0, partitions: 1, seeds: [1, 2, 3] as const, dedupeBytesMax: 15 * 1_024};

/** A partition and what its snapshots would put of message ids. */
class Remembering {
  partition = new Partition({...setup, rowKernel: loadRowKernel()});
  private readonly kept = new KeptState();
  private sequence = 0;

  private fold(write: (writer: ByteWriter) => void, entries: number): void {
    const writer = new ByteWriter(1_024);
    beginMessage(writer);
    write(writer);
    this.sequence += 1;
    const bytes = sealMessage(writer, new Uint8Array(8), this.sequence, startMs, entries).slice();
    const cursor = this.partition.openMessage(this.sequence, bytes)!;
    for (let stop = this.partition.fold(this.sequence, cursor); stop.kind !== 'done'; ) {
      if (stop.kind === 'profile') this.partition.users.activate(stop.user, new Profile());
      stop = this.partition.fold(this.sequence, cursor);
    }
  }

  events(ids: readonly number[]): void {
    this.fold((writer) => {
      for (const id of ids)
        writeEvent(writer, {event: 'x', userId: 'u', timeMs: startMs, receivedMs: startMs, messageId: `id ${id}`});
    }, ids.length);
  }

  event(event: AcceptedEvent): void {
    this.fold((writer) => writeEvent(writer, event), 1);
  }

  identify(traitsJson: string): void {
    this.fold((writer) => writeIdentify(writer, 'u', traitsJson, startMs, {messageId: 'i'}), 1);
  }

  tick(timeMs: number): void {
    this.fold((writer) => writeTick(writer, timeMs, dayMs, 1), 1);
  }

  async snapshot(): Promise<void> {
    const {parts, ...rest} = this.partition.freeze();
    for (const frozen of parts)
      for (const key of await this.kept.put(frozen))
        expect(this.kept.has(key), 'nothing is put to be dropped').toBe(true);
    this.partition.snapshotDone();
    this.at = rest;
  }

  private at: Omit<SnapshotDelta, 'parts'> | undefined;

  /** From the newest snapshot, which is taken now. */
  async restart(): Promise<void> {
    await this.snapshot();
    const {sequence, mark, ...at} = this.at!;
    const next = new Partition({...setup, rowKernel: loadRowKernel()});
    await this.kept.restore(...next.actors);
    next.restore(sequence, mark, at, undefined);
    this.partition = next;
  }
}

const step = fc.oneof(
  // Few enough ids that forgotten ones come again.
  {
    weight: 6,
    arbitrary: fc.record({from: fc.integer({min: 0, max: 1_200}), count: fc.integer({min: 1, max: 500})}),
  },
  {weight: 2, arbitrary: fc.constant('day' as const)},
  {weight: 1, arbitrary: fc.constant('snapshot' as const)},
  {weight: 1, arbitrary: fc.constant('restart' as const)},
);

test('a restart remembers the ids that the running process did, no fewer and no others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, {minLength: 20, maxLength: 60}), async (steps) => {
      const running = new Remembering();
      const restarted = new Remembering();
      let days = 0;
      let duplicates = 0;
      for (const what of steps) {
        if (what === 'day') {
          days += 1;
          for (const one of [running, restarted]) one.tick(startMs + days * dayMs);
        } else if (what === 'snapshot') await restarted.snapshot();
        else if (what === 'restart') {
          await restarted.restart();
          duplicates = running.partition.events.tally.duplicate;
        } else {
          const ids = Array.from({length: what.count}, (_, i) => what.from + i);
          for (const one of [running, restarted]) one.events(ids);
        }
        expect(restarted.partition.events.tally.duplicate).toBe(running.partition.events.tally.duplicate - duplicates);
        expect(restarted.partition.dedupe.messageIds.count).toBe(running.partition.dedupe.messageIds.count);
        expect(restarted.partition.dedupe.messageIds.heldFromDay).toBe(running.partition.dedupe.messageIds.heldFromDay);
      }
    }),
    {numRuns: runs(30)},
  );
});

const sentMs = startMs - 7_000;
const sent = {event: 'buy', userId: 'u', anonymousId: 'a', messageId: 'id', properties: {n: 1, t: 'x'}};
const first: AcceptedEvent = {...sent, timeMs: sentMs, sentMs, receivedMs: startMs};

test.each<[string, Partial<AcceptedEvent>, 'retry' | 'conflict']>([
  ['the same', {}, 'retry'],
  ['received later', {receivedMs: startMs + 9_000}, 'retry'],
  ['its time corrected', {timeMs: sentMs - 5_000}, 'retry'],
  ['another context', {context: {page: '/b'}}, 'retry'],
  ['another name', {event: 'sell'}, 'conflict'],
  ['another anonymousId', {anonymousId: 'b'}, 'conflict'],
  ['no anonymousId', {anonymousId: undefined}, 'conflict'],
  ['another property', {properties: {n: 2, t: 'x'}}, 'conflict'],
  ['a property less', {properties: {n: 1}}, 'conflict'],
  ['no properties', {properties: undefined}, 'conflict'],
  ['properties in another order', {properties: {t: 'x', n: 1}}, 'conflict'],
  ['another time', {timeMs: sentMs + 1, sentMs: sentMs + 1}, 'conflict'],
  ['no time', {timeMs: startMs, sentMs: undefined}, 'conflict'],
  [
    'a later second that is a multiple of 2^32 ms away',
    {timeMs: sentMs - 2 ** 32, sentMs: sentMs - 2 ** 32},
    'conflict',
  ],
])('a second copy of a message id is a retry or a conflict, also behind a restart: %s', async (_, changed, verdict) => {
  const remembering = new Remembering();
  remembering.event(first);
  for (const isRestarted of [false, true]) {
    if (isRestarted) await remembering.restart();
    const {conflicts} = remembering.partition.dedupe;
    const before = conflicts.count;
    remembering.event({...first, ...changed});
    expect(conflicts.count - before).toBe(verdict === 'conflict' ? 1 : 0);
    expect(conflicts.newest()).toEqual(
      Array.from({length: conflicts.count}, () => ({timeMs: startMs, event: changed.event ?? 'buy'})),
    );
  }
  expect(remembering.partition.events.tally, 'the first one wins').toMatchObject({counted: 0, duplicate: 1});
});

test('an event without properties is retried with a context alone', () => {
  const remembering = new Remembering();
  const bare = {event: 'e', userId: 'u', messageId: 'm', timeMs: startMs, receivedMs: startMs};
  remembering.event(bare);
  remembering.event({...bare, context: {library: 'x'}, timeMs: startMs + 3, receivedMs: startMs + 3});
  expect(remembering.partition.dedupe.conflicts.count).toBe(0);
});

test('an identify with other traits is a conflict; an event with the same id is none', () => {
  const remembering = new Remembering();
  remembering.identify('{"plan":"free"}');
  remembering.identify('{"plan":"free"}');
  remembering.event({...first, messageId: 'i'});
  expect(remembering.partition.dedupe.conflicts.count).toBe(0);
  remembering.identify('{"plan":"pro"}');
  expect(remembering.partition.dedupe.conflicts.newest()).toEqual([{timeMs: startMs, event: null}]);
});

test('all conflicts are counted, and the newest are held (C1)', () => {
  const conflicts = new Conflicts();
  for (let timeMs = 0; timeMs < 2_500; timeMs++) conflicts.add({timeMs, event: 'e'});
  const held = conflicts.newest().map(({timeMs}) => timeMs);
  expect([conflicts.count, held.length, held[0], held.at(-1)]).toEqual([2_500, 800, 2_499, 1_700]);
  expect(held).toEqual(held.toSorted((a, b) => b - a));
});

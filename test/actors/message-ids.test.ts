// Message ids that a partition remembers: the same behind a restart as without one, also where memory does not suffice.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {ByteWriter} from '../../actors/codec/bytes.js';
import {beginMessage, sealMessage, tickReason, writeEvent, writeTick} from '../../actors/codec/entries.js';
import {FingerprintSet} from '../../actors/fingerprints.js';
import {dayMs} from '../../actors/limits.js';
import {type FingerprintsPart, forgottenIds, newestParts, type SnapshotIndex} from '../../actors/manifest.js';
import {Partition} from '../../actors/partition.js';

const startMs = Date.UTC(2026, 4, 1);
// 768 ids, of which a bound that is reached drops 96.
const setup = {partition: 0, seeds: [1, 2, 3] as const, dedupeBytesMax: 13 * 1_024};

interface Stored extends FingerprintsPart {
  readonly payload: Uint8Array;
}

/** A partition and what its snapshots would put of message ids. */
class Remembering {
  partition = new Partition(setup);
  private parts: readonly Stored[] = [];
  private index: SnapshotIndex | undefined;
  private sequence = 0;

  private fold(write: (writer: ByteWriter) => void, entries: number): void {
    const writer = new ByteWriter(1_024);
    beginMessage(writer);
    write(writer);
    this.sequence += 1;
    const bytes = sealMessage(writer, new Uint8Array(8), this.sequence, startMs, entries).slice();
    const cursor = this.partition.openMessage(this.sequence, bytes)!;
    for (let stop = this.partition.fold(this.sequence, cursor); stop.kind !== 'done'; ) {
      stop = this.partition.fold(this.sequence, cursor);
    }
  }

  events(ids: readonly number[]): void {
    this.fold((writer) => {
      for (const id of ids)
        writeEvent(writer, {event: 'x', userId: 'u', timeMs: startMs, receivedMs: startMs, messageId: `id ${id}`});
    }, ids.length);
  }

  tick(timeMs: number): void {
    this.fold((writer) => writeTick(writer, timeMs, dayMs, tickReason.interval), 1);
  }

  snapshot(): void {
    const {fingerprints, rest, sequence, mark} = this.partition.cut();
    const fresh = [...fingerprints].map((one) => ({...one, part: undefined as never}));
    const next = [...this.parts, ...fresh];
    this.parts = newestParts(next, rest.dedupeCount) as readonly Stored[];
    for (const one of fresh) expect(this.parts).toContain(one); // Nothing is put that would be dropped at once.
    this.index = {...rest, dedupe: this.parts} as unknown as SnapshotIndex;
    this.partition.snapshotDone();
    this.at = {sequence, mark};
  }

  private at = {sequence: 0, mark: ''};

  /** From the newest snapshot, which is taken now. */
  restart(): void {
    this.snapshot();
    const index = this.index!;
    const next = new Partition(setup);
    let forgotten = forgottenIds(index);
    for (const {logicalDay, payload} of this.parts) forgotten = next.restoreMessageIds(logicalDay, payload, forgotten);
    next.restore(this.at.sequence, this.at.mark, index, undefined, undefined);
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

test('a restart remembers the ids that the running process did, no fewer and no others', () => {
  fc.assert(
    fc.property(fc.array(step, {minLength: 20, maxLength: 60}), (steps) => {
      const running = new Remembering();
      const restarted = new Remembering();
      let days = 0;
      let duplicates = 0;
      for (const what of steps) {
        if (what === 'day') {
          days += 1;
          for (const one of [running, restarted]) one.tick(startMs + days * dayMs);
        } else if (what === 'snapshot') restarted.snapshot();
        else if (what === 'restart') {
          restarted.restart();
          duplicates = running.partition.tally.duplicate;
        } else {
          const ids = Array.from({length: what.count}, (_, i) => what.from + i);
          for (const one of [running, restarted]) one.events(ids);
        }
        expect(restarted.partition.tally.duplicate).toBe(running.partition.tally.duplicate - duplicates);
        expect(restarted.partition.messageIds.count).toBe(running.partition.messageIds.count);
        expect(restarted.partition.messageIds.heldFromDay).toBe(running.partition.messageIds.heldFromDay);
      }
    }),
    {numRuns: 60},
  );
});

test('ids of deleted events are restored as fast as they came, in the order in which a snapshot has them', () => {
  const count = 100_000;
  const set = new FingerprintSet(Number.POSITIVE_INFINITY);
  const startedMs = performance.now();
  for (let i = 0; i < count; i++) set.add(Uint32Array.of(Math.imul(i, 2_654_435_761), i, 7), 0, 1);
  const addedMs = performance.now() - startedMs;
  const words: number[] = [];
  set.forEach((from, start, day) => {
    words.push(from[start]!, from[start + 1]!, from[start + 2]!, day);
  });
  const partition = new Partition(setup);
  const restoredMs = performance.now();
  partition.restoreTombstones(new Uint8Array(Uint32Array.from(words).buffer));
  expect(partition.tombstones.count).toBe(count);
  // Each going over all before it took a hundred times as long.
  expect(performance.now() - restoredMs).toBeLessThan(20 * addedMs + 200);
});

test('ids of deleted events leave an older part of all days for parts by day, once', () => {
  const words = Array.from({length: 3_000}, (_, i) => [Math.imul(i + 1, 2_654_435_761) >>> 0, i, 7, 1 + (i % 3)]);
  const partition = new Partition(setup);
  partition.restoreTombstones(new Uint8Array(Uint32Array.from(words.flat()).buffer));
  const parts = [...partition.cut().erasedIds];
  partition.snapshotDone();
  expect(parts.map(({logicalDay, count}) => [logicalDay, count]).sort()).toEqual([
    [1, 1_000],
    [2, 1_000],
    [3, 1_000],
  ]);
  expect([...partition.cut().erasedIds]).toEqual([]);
  const restarted = new Partition(setup);
  for (const {logicalDay, payload} of parts) restarted.restoreErasedIds(logicalDay, payload);
  expect(restarted.tombstones.count).toBe(3_000);
  for (const [a, b, c] of words) expect(restarted.tombstones.has(Uint32Array.of(a!, b!, c!))).toBe(true);
  restarted.tombstones.expireBefore(3);
  expect(restarted.tombstones.count).toBe(1_000);
  expect([...restarted.cut().erasedIds]).toEqual([]);
});

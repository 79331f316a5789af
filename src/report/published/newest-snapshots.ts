// The newest snapshot of every partition: its manifest, its index, and the event names.
//   NS1. A reader gets snapshots at least as new as the newest that was published when it asked.
//   NS2. A partition's snapshot is replaced as a whole, once everything it needs was read.
//   NS3. Parts that only the last set named leave the cache. A report that still needs one reads it again.
//   NS4. Snapshots are handed out as a set that agrees on who moved (actors/identity/snapshot-set.ts). One that is older than
//       what another one knows of it is read again: a newer one is published.
//   NS5. A halted partition publishes no newer one. The last set that agreed is handed out then, until the snapshots know another
//       deletion than it does: nothing is answered of a user whose receipt was given.

import {setTimeout as pause} from 'node:timers/promises';
import {
  arrivedMoves,
  type CountedSnapshot,
  countedWithout,
  outdatedIn,
  retainedFromDayOf,
} from '../../../actors/identity/snapshot-set.js';
import {must} from '../../../actors/invariant.js';
import {
  type Manifest,
  type Move,
  type PartRef,
  partsOf,
  partsOfChunk,
  type SnapshotIndex,
} from '../../../actors/manifest.js';
import {InternedTable} from '../../../actors/table/interned.js';
import {UserSet} from '../../../actors/table/user-set.js';
import {monotonicMs} from '../../clock.js';
import {isBefore} from '../../log-position.js';
import {whenAllEnded} from '../../pacing/when-all-ended.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import {IndexReader} from '../../parts/stored-index.js';
import {MissingPart} from '../../parts/stored-parts.js';
import {readPublished} from '../../parts/stored-state.js';
import {SingleFlight} from '../../single-flight.js';
import type {HandedManifest} from '../../worker-messages.js';

/** Source of published manifests. */
export interface ManifestSource {
  /** Changes whenever a manifest of any partition is published. */
  lastRevision(): Promise<number>;
  /** Counts the same without a question to NATS; undefined if other processes may publish, too. */
  readonly publications?: CountedPublications | undefined;
  /** The newest manifest; undefined before the first. */
  newest(partition: number): Promise<Manifest | undefined>;
}

/** Publications of threads of this process. */
export interface CountedPublications {
  /** A new number for every manifest of the partition, before any notice of it. */
  count(partition: number): number;
  /** The manifest with this count, if it was handed over; once. */
  takeHanded(partition: number, count: number): HandedManifest | undefined;
}

/** Time for which snapshots that disagree are read again, and the pause between two readings. NS4 */
const agreeMsMax = 2_000;
const agreePauseMs = 20;

/** Snapshots do not agree on who moved, reading them again did not help, and no earlier set can answer: 503. NS5 */
export class Disagreement extends Error {
  override name = 'Disagreement';

  constructor() {
    super('the snapshots of the partitions do not agree yet on which users moved');
  }
}

interface PublishedSnapshot {
  readonly manifest: Manifest;
  readonly index: SnapshotIndex;
  /** Event names of the partition, to their indexes. */
  readonly names: InternedTable;
  /** Users whom the snapshot leaves out, whatever the set. */
  readonly settled: UserSet;
}

/** A snapshot as it counts in its set. NS4 */
export interface PartitionSnapshot extends Omit<PublishedSnapshot, 'settled'>, CountedSnapshot {}

/** Snapshot per partition; undefined: the partition has not published yet. */
export type SnapshotSet = readonly (PartitionSnapshot | undefined)[];

/** Inputs of a snapshot of a set. */
interface Counted {
  readonly of: PublishedSnapshot;
  readonly arrived: readonly Move[];
  readonly fromDay: number;
  readonly snapshot: PartitionSnapshot;
}

export class NewestSnapshots {
  private readonly source: ManifestSource;
  private readonly parts: PartsCache;
  /** Index reader per partition. */
  private readonly indexes: readonly IndexReader[];
  /** A new array for every change. */
  private held: readonly (PublishedSnapshot | undefined)[];
  /** The last set that agreed, and what it was made of. NS4 */
  private set: {
    readonly of: unknown;
    readonly counted: readonly (Counted | undefined)[];
    readonly snapshots: SnapshotSet;
  };
  /** Key of the index of each partition whose snapshot stayed outdated, by partition. NS5 */
  private stayedOutdated: ReadonlyMap<number, string> = new Map();
  private readonly refreshing = new SingleFlight(() => this.refresh());
  /** Revision of the bucket when all were read. */
  private revision: number | undefined;
  /** Count of each partition when it was read; undefined: its snapshot is not trusted. */
  private readonly counts: (number | undefined)[];
  /** Incremented by `doubt`: reads that began before are not trusted, either. */
  private era = 0;

  constructor(source: ManifestSource, parts: PartsCache, partitionCount: number) {
    this.source = source;
    this.parts = parts;
    this.indexes = Array.from({length: partitionCount}, () => new IndexReader());
    this.held = new Array(partitionCount).fill(undefined);
    this.set = {of: this.held, counted: [], snapshots: new Array(partitionCount).fill(undefined)};
    this.counts = new Array(partitionCount).fill(undefined);
  }

  /** Newest set, or the last that agreed (NS5); the array is the same until a partition publishes. NS1 @throws Disagreement */
  async read(): Promise<SnapshotSet> {
    if (!this.isNewest() || this.set.of !== this.held) await this.refreshing.run();
    return this.set.snapshots;
  }

  /** Partitions that keep newer snapshots out of the set: theirs stay outdated. NS5 */
  get outdated(): readonly number[] {
    return [...this.stayedOutdated.keys()];
  }

  /** Whether no manifest was counted since these were read. */
  private isNewest(): boolean {
    const {publications} = this.source;
    return (
      publications !== undefined && this.counts.every((count, partition) => count === publications.count(partition))
    );
  }

  /**
   * The next read trusts no cached snapshot. Also called after a lost connection: a bucket that lost manifests has the same
   * revision again once as many are published.
   */
  doubt(): void {
    this.era += 1;
    this.revision = undefined;
    this.counts.fill(undefined);
  }

  /** Whether the newest manifests name a part that was missing. */
  async nameNow({key}: PartRef): Promise<boolean> {
    this.doubt();
    for (const [partition] of this.held.entries()) {
      const manifest = await this.source.newest(partition);
      if (manifest === undefined) continue;
      if (manifest.index.key === key) return true;
      const index = await this.indexOf(manifest);
      if (index !== undefined && [...partsOf(index)].some((part) => part.key === key)) return true;
    }
    return false;
  }

  /** Undefined when the manifest was replaced in the meantime. */
  private async indexOf(manifest: Manifest): Promise<SnapshotIndex | undefined> {
    try {
      return await this.whole(manifest);
    } catch (error) {
      if (error instanceof MissingPart) return undefined;
      throw error;
    }
  }

  private async refresh(): Promise<void> {
    await this.refreshHeld();
    await this.agree();
  }

  /** NS4 */
  private async agree(): Promise<void> {
    const endMs = monotonicMs() + agreeMsMax;
    while (this.set.of !== this.held) {
      const outdated = outdatedIn(this.held);
      if (outdated.length === 0) return this.makeSet();
      if (outdated.every((partition) => this.staysOutdated(partition)) || monotonicMs() >= endMs)
        return this.keepSet(outdated);
      await pause(agreePauseMs);
      await whenAllEnded(outdated.map((partition) => this.refreshPartition(partition)));
    }
  }

  /** NS3 */
  private makeSet(): void {
    const {held, set} = this;
    const fromDay = retainedFromDayOf(held);
    const counted = held.map((each, partition) => each && countedIn(held, each, fromDay, set.counted[partition]));
    for (const [partition, last] of set.counted.entries())
      if (last !== undefined) this.forgetReplaced(last.of.index, held[partition]!.index);
    this.set = {of: held, counted, snapshots: counted.map((each) => each?.snapshot)};
    this.stayedOutdated = new Map();
  }

  private forgetReplaced(last: SnapshotIndex, next: SnapshotIndex): void {
    if (last !== next) for (const part of replacedParts(last, next)) this.parts.forget(part);
  }

  /** NS5 @throws Disagreement */
  private keepSet(outdated: readonly number[]): void {
    this.stayedOutdated = new Map(outdated.map((partition) => [partition, this.indexKeyOf(partition)]));
    const {snapshots} = this.set;
    if (snapshots.includes(undefined) || deletionsOf(snapshots) !== deletionsOf(this.held)) throw new Disagreement();
  }

  /** A new snapshot of the partition may agree. */
  private staysOutdated(partition: number): boolean {
    return this.stayedOutdated.get(partition) === this.indexKeyOf(partition);
  }

  private indexKeyOf(partition: number): string {
    return must(this.held[partition], 'a snapshot that is there is outdated').manifest.index.key;
  }

  private async refreshHeld(): Promise<void> {
    const {publications} = this.source;
    if (publications !== undefined)
      return this.refreshEach((partition) => this.refreshCounted(partition, publications));
    const {era} = this;
    const revision = await this.source.lastRevision();
    if (revision === this.revision) return;
    await this.refreshEach((partition) => this.refreshPartition(partition));
    if (era === this.era) this.revision = revision;
  }

  private async refreshEach(refresh: (partition: number) => Promise<void>): Promise<void> {
    await whenAllEnded(this.held.map((_, partition) => refresh(partition)));
  }

  private async refreshCounted(partition: number, publications: CountedPublications): Promise<void> {
    const {era} = this;
    const count = publications.count(partition);
    if (this.counts[partition] === count) return;
    // Without a trusted count a handed manifest may be older than the one in the bucket.
    const handed = this.counts[partition] === undefined ? undefined : publications.takeHanded(partition, count);
    await this.refreshPartition(partition, handed);
    if (era === this.era) this.counts[partition] = count;
  }

  private async refreshPartition(partition: number, handed?: HandedManifest): Promise<void> {
    const manifest =
      handed === undefined ? await this.source.newest(partition) : readPublished(handed.manifest, partition);
    const held = this.held[partition];
    if (manifest === undefined) return;
    // The bucket may have shown a newer one before it was counted.
    if (handed !== undefined && held !== undefined && isBefore(manifest.position, held.manifest.position)) return;
    if (held !== undefined && isSamePart(held.manifest.index, manifest.index)) {
      this.hold(partition, {...held, manifest});
      return;
    }
    const index = await this.whole(manifest, handed?.index);
    const isSameNames = held !== undefined && areSameParts(held.index.names.blocks, index.names.blocks);
    const isSameLeftOut = held !== undefined && held.index.leftOut?.key === index.leftOut?.key;
    const names = isSameNames ? held.names : await this.readNames(index);
    const settled = isSameLeftOut ? held.settled : await this.readSettled(index);
    this.hold(partition, {manifest, index, names, settled}); // NS2
  }

  private whole({partition, index}: Manifest, bytes?: Uint8Array): Promise<SnapshotIndex> {
    return this.indexes[partition]!.read(index, (ref) => this.parts.load(ref), bytes);
  }

  private hold(partition: number, snapshot: PublishedSnapshot): void {
    this.held = this.held.with(partition, snapshot);
  }

  private async readNames(index: SnapshotIndex): Promise<InternedTable> {
    const names = new InternedTable();
    for (const block of index.names.blocks) names.restoreBlock(await this.parts.load(block));
    return names;
  }

  private async readSettled({leftOut}: SnapshotIndex): Promise<UserSet> {
    const settled = new UserSet();
    if (leftOut !== null) settled.restore(await this.parts.loadUncached(leftOut));
    return settled;
  }
}

/** The last one where it would be the same: what reports know of its index stays. */
function countedIn(
  held: readonly (PublishedSnapshot | undefined)[],
  of: PublishedSnapshot,
  fromDay: number,
  last: Counted | undefined,
): Counted {
  const arrived = arrivedMoves(of, held);
  const isSame = last?.of === of && last.fromDay === fromDay && arrived.length === last.arrived.length;
  if (isSame && arrived.every((move, i) => move === last.arrived[i])) return last;
  const {manifest, names} = of;
  return {of, arrived, fromDay, snapshot: {manifest, names, ...countedWithout(of.index, of.settled, arrived, fromDay)}};
}

/** Differs between two sets if a deletion was folded or completed in between. */
export const deletionsOf = (snapshots: readonly ({readonly index: SnapshotIndex} | undefined)[]): string =>
  JSON.stringify(snapshots.map((each) => each && deletionsIn(each.index)));

/** Another list of deletions has another part: no key is used twice. */
const deletionsIn = ({deletions, completedDeletions}: SnapshotIndex): readonly string[] => [
  ...deletions.map(({id, position: {generation, sequence}}) => `${id} ${generation}.${sequence}`),
  ...completedDeletions.map(({key}) => key),
];

/** Chunks keep their places in the list. */
function* replacedParts(last: SnapshotIndex, next: SnapshotIndex): Generator<PartRef, void, void> {
  for (const [i, chunk] of last.chunks.entries()) {
    const now = next.chunks[i];
    const kept = now === undefined ? [] : partsOfChunk(now);
    yield* partsOfChunk(chunk).filter(({key}, kind) => key !== kept[kind]?.key);
  }
  const blocks = new Set(next.windowRuns.flatMap((run) => run.blocks.map(({part}) => part.key)));
  for (const run of last.windowRuns) for (const {part} of run.blocks) if (!blocks.has(part.key)) yield part;
}

const isSamePart = (a: PartRef, b: PartRef): boolean => a.key === b.key;

const areSameParts = (a: readonly PartRef[], b: readonly PartRef[]): boolean =>
  a.length === b.length && a.every((part, i) => isSamePart(part, b[i]!));

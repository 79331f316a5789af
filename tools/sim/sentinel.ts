// Watches every change at the fake server, and fails at once when one of these rules is broken.
//   W1. A published manifest names parts that exist and are whole, and its position is never before that of its predecessor.
//   W2. A part that one of the two kept manifests of a partition names is not removed.
//   W3. The log is not truncated past the older kept manifest.
//   W4. Parts are removed by overwriting alone: any other way leaves their bytes on the disk.
//   W5. A message of a log has the bytes of every other message with its producer and number.
//   W6. If users are joined, every set of kept snapshots that a report may be based on counts each event up to its positions
//       once, wherever it is by then; and the newest snapshots of all partitions are such a set.
import {outdatedIn} from '../../actors/identity/snapshot-set.js';
import {entryKind} from '../../actors/log/entries.js';
import {MessageCursor} from '../../actors/log/entry-view.js';
import {type ChunkEntry, isClaim, type Manifest, type PartRef, partsOf, wholeIndex} from '../../actors/manifest.js';
import {readChunks, readIndex, readManifest} from '../../src/parts/stored-state.js';
import {tokenOf} from './clients.js';
import {countFaults} from './final-state.js';
import {type LogFacts, LogModel, ModelOfAll} from './model.js';
import {PublishedSet, PublishedSnapshot, payloadOf} from './published.js';
import type {SimServer, Watch} from './server.js';
import type {SimStream, Stored} from './store.js';

/** What the sentinel knows of one partition. */
interface Watched {
  newest: Manifest | undefined;
  /** Revisions that the newest manifest's index names, and those of its predecessor. */
  named: {readonly current: ReadonlySet<number>; readonly previous: ReadonlySet<number>};
  /** Model of the partition. W6 */
  readonly model: LogModel;
  /** Kept snapshots, the newest first. */
  kept: readonly PublishedSnapshot[];
  /** All log messages ever stored, in order: the accepted ones. */
  readonly accepted: Stored[];
  /** Highest epoch of a tick. */
  tickEpoch: number;
}

export class Sentinel implements Watch {
  manifestCount = 0;
  /** Number of messages of moves, and of the events in them. */
  moves = 0;
  joined = 0;
  /** Number of sets of snapshots that were counted, and of sets that no report uses. W6 */
  sets = 0;
  tornSets = 0;
  private readonly fail: (text: string) => void;
  private readonly server: () => SimServer;
  /** State by partition. */
  private readonly watched: readonly Watched[];
  /** Marks of the messages at the positions of manifests that have a newer one. */
  private readonly milestones = new Set<string>();
  private readonly bytesOf = new Map<string, Stored>();

  /** `countsEvents`: W6 is checked. */
  constructor(
    partitions: number,
    server: () => SimServer,
    fail: (text: string) => void,
    private readonly countsEvents: boolean,
  ) {
    this.server = server;
    this.fail = fail;
    this.watched = Array.from({length: partitions}, (_, partition) => ({
      newest: undefined,
      named: {current: new Set(), previous: new Set()},
      model: new LogModel(partition, tokenOf),
      kept: [],
      accepted: [],
      tickEpoch: 0,
    }));
  }

  /** All log messages ever stored, in order: the accepted ones. */
  acceptedOf(partition: number): readonly Stored[] {
    return this.of(partition).accepted;
  }

  /** Highest epoch of a tick that is stored. */
  tickEpochOf(partition: number): number {
    return this.of(partition).tickEpoch;
  }

  isShared(partition: number, key: string): boolean {
    return this.of(partition).model.isShared(key);
  }

  get acceptedCount(): number {
    return this.watched.reduce((sum, {accepted}) => sum + accepted.length, 0);
  }

  private of(partition: number): Watched {
    return this.watched[partition] as Watched;
  }

  stored(stream: SimStream, message: Stored): void {
    const server = this.server();
    const partition = server.logs.indexOf(stream);
    if (partition >= 0) this.logStored(partition, message);
    if (stream !== server.manifests) return;
    const manifest = readManifest(message.data, Number(message.subject.split('.p').at(-1)));
    this.manifestStored(manifest);
    if (this.countsEvents && !isClaim(manifest)) this.checkCounts(manifest);
  }

  private logStored(partition: number, message: Stored): void {
    const {accepted, model} = this.of(partition);
    accepted.push(message);
    if (this.countsEvents) model.apply(message);
    const cursor = new MessageCursor(message.data);
    const mark = `${partition} ${cursor.mark}`;
    const other = this.bytesOf.get(mark);
    if (other !== undefined && Buffer.compare(other.data, message.data) !== 0)
      this.fail(`W5: two messages of log ${mark}: ${other.seq} and ${message.seq}`);
    this.bytesOf.set(mark, message);
    if (!cursor.next()) return;
    const {kind, epoch} = cursor.entry;
    if (kind === entryKind.tick) this.of(partition).tickEpoch = Math.max(this.of(partition).tickEpoch, epoch);
    if (kind !== entryKind.arrive) return;
    this.moves += 1;
    this.joined += cursor.count - 1;
  }

  // ---- W6 ----

  private checkCounts(manifest: Manifest): void {
    const {partition, index, previous} = manifest;
    const watched = this.of(partition);
    if (watched.kept[0]?.manifest.index.key === index.key) return;
    const newest = new PublishedSnapshot(this.server(), manifest);
    const before = watched.kept.filter((kept) => kept.manifest.index.key === previous?.index.key);
    watched.kept = [newest, ...before];
    this.checkNewest();
    for (const snapshots of this.setsWith(newest)) this.checkSet(snapshots);
  }

  private checkNewest(): void {
    const newest = this.watched.flatMap(({kept}) => kept[0] ?? []);
    if (newest.length < this.watched.length || this.isWhole(newest)) return;
    this.fail(`W6: no report can stand on the newest snapshots: ${newest.map(({moves}) => JSON.stringify(moves))}`);
  }

  /** Whether a report may be based on these, as it must be and as it finds out. */
  private isWhole(snapshots: readonly PublishedSnapshot[]): boolean {
    const isWhole = PublishedSet.isWhole(snapshots);
    const outdated = outdatedIn(snapshots);
    if (isWhole !== (outdated.length === 0))
      this.fail(`W6: reports read ${outdated} again, and need ${isWhole ? 'not' : 'to'}`);
    return isWhole;
  }

  /** All sets of kept snapshots that contain this one. */
  private setsWith(snapshot: PublishedSnapshot): PublishedSnapshot[][] {
    let sets: PublishedSnapshot[][] = [[]];
    for (const [partition, {kept}] of this.watched.entries()) {
      const choices = partition === snapshot.partition ? [snapshot] : kept;
      sets = sets.flatMap((set) => choices.map((choice) => [...set, choice]));
    }
    return sets;
  }

  private checkSet(snapshots: readonly PublishedSnapshot[]): void {
    if (!this.isWhole(snapshots)) {
      this.tornSets += 1;
      return;
    }
    this.sets += 1;
    const facts = snapshots.map(({manifest: {partition, position}}) =>
      this.of(partition).model.facts(position.sequence),
    );
    const published = new PublishedSet(snapshots);
    const tokens = new Set(published.rows().map(tokenOf));
    const model = new ModelOfAll(facts, (json) => tokens.has(tokenOf(json)));
    const faults = [
      ...snapshots.flatMap((snapshot, at) => [
        ...snapshot.faults(),
        ...receivedFaults(snapshot, facts[at] as LogFacts),
      ]),
      ...countFaults(model, published),
    ];
    const where = snapshots.map(({manifest: {position}}) => position.sequence);
    for (const fault of faults) this.fail(`W6: ${fault} (at ${where})`);
  }

  // ---- manifests ----

  private manifestStored(manifest: Manifest): void {
    this.manifestCount += 1;
    const watched = this.of(manifest.partition);
    const last = watched.newest;
    watched.newest = manifest;
    if (last !== undefined && isBefore(manifest, last)) {
      this.fail(`W1: a manifest at ${textOf(manifest)} followed one at ${textOf(last)}`);
    }
    if (isClaim(manifest)) return;
    if (manifest.previous !== null) this.milestones.add(manifest.previous.mark);
    const isSameIndex = last?.index.key === manifest.index.key;
    const current = isSameIndex ? watched.named.current : this.revisionsOf(manifest.index);
    const previous = manifest.previous === null ? new Set<number>() : this.revisionsOf(manifest.previous.index);
    watched.named = {current, previous};
  }

  /** Revisions of a part, which must exist and be whole. W1 */
  private revisionsOf(ref: PartRef): ReadonlySet<number> {
    const server = this.server();
    const payload = payloadOf(server, ref);
    if (payload === undefined) {
      this.fail(`W1: the index ${ref.key} of a kept manifest is gone or damaged`);
      return new Set();
    }
    const stored = readIndex(payload, ref);
    const chunksOf = (block: PartRef): readonly ChunkEntry[] => {
      const bytes = payloadOf(server, block);
      return bytes === undefined ? [] : readChunks(bytes, block);
    };
    const whole = wholeIndex(stored, stored.chunkBlocks.map(chunksOf));
    const parts = [...partsOf(whole)];
    const bad = parts.find((part) => payloadOf(server, part) === undefined);
    if (bad !== undefined) this.fail(`W1: part ${bad.key} of a kept manifest is gone or damaged`);
    return new Set([ref, ...parts].flatMap(({revisions}) => revisions));
  }

  removing(stream: SimStream, message: Stored, how: 'erase' | 'delete' | 'replace'): void {
    const server = this.server();
    if (!server.parts.includes(stream)) return;
    const isNamed = ({named}: Watched) => named.current.has(message.seq) || named.previous.has(message.seq);
    if (this.watched.some((watched, partition) => server.partsOf(partition) === stream && isNamed(watched))) {
      this.fail(`W2: ${how} of ${message.subject} (${message.seq}), which a kept manifest names`);
    }
    if (how === 'delete') this.fail(`W4: ${message.subject} (${message.seq}) was deleted without overwriting`);
  }

  purging(stream: SimStream, seq: number): void {
    const partition = this.server().logs.indexOf(stream);
    if (partition < 0) {
      this.fail(`W4: ${stream.name} was purged up to ${seq}`);
      return;
    }
    if (seq > stream.firstSeq) this.checkTruncation(this.of(partition), stream, seq);
  }

  /**
   * The message at an older manifest's position stays, and so do all later ones; a log without its tail may lack the last of
   * them. W3
   */
  private checkTruncation({newest}: Watched, log: SimStream, seq: number): void {
    const kept = [...log.live.values()].filter((message) => message.seq >= seq);
    if (kept.some(({data}) => this.milestones.has(new MessageCursor(data).mark))) return;
    const older = newest?.previous?.position;
    this.fail(`W3: ${log.name} was truncated up to ${seq}; the older manifest stands at ${JSON.stringify(older)}`);
  }
}

/** Faults of a snapshot whose moves are not those that its log has as a whole. */
const receivedFaults = ({partition, moves}: PublishedSnapshot, {received}: LogFacts): string[] =>
  moves.received.flatMap((n, from) =>
    n === (received.get(from) ?? 0)
      ? []
      : [`${partition} received move ${received.get(from) ?? 0} from ${from}, and says ${n}`],
  );

const isBefore = ({position: a, epoch}: Manifest, {position: b, epoch: last}: Manifest): boolean =>
  a.generation < b.generation || (a.generation === b.generation && a.sequence < b.sequence) || epoch < last;

const textOf = ({position: {generation, sequence}, epoch}: Manifest): string => `${generation}.${sequence} (${epoch})`;

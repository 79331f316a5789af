// The shell's part of a partition without a world: parts in a map, everything at once. It drives the real core, layout,
// compaction and erasure, with a store that cannot fail.

import {crc32} from 'node:zlib';
import type {Actor} from '../../actors/actor.js';
import type {RowRun} from '../../actors/aggregator/aggregator.js';
import {windowsFrom} from '../../actors/aggregator/windows.js';
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {BodyBlock} from '../../actors/chunk/bodies.js';
import type {RowKernel} from '../../actors/chunk/event-rows.js';
import {eventJson} from '../../actors/chunk/event-texts.js';
import {countedRows} from '../../actors/chunk/left-rows.js';
import {RestoredChunk} from '../../actors/chunk/restored-chunk.js';
import {isChunkDue} from '../../actors/expired-parts.js';
import {must} from '../../actors/invariant.js';
import {bodyBlockRows} from '../../actors/limits.js';
import {writeArrivedEvent} from '../../actors/log/arrived-event.js';
import {beginMessage, sealMessage, writeArrive, writeLeave, writeTick} from '../../actors/log/entries.js';
import type {EntryView} from '../../actors/log/entry-view.js';
import {
  encodeIndex,
  type Manifest,
  type Move,
  type MoveCounts,
  manifestFormat,
  type PartRef,
  type SnapshotIndex,
  storedIndex,
  wholeIndex,
} from '../../actors/manifest.js';
import {Partition, type PartitionSetup} from '../../actors/partition.js';
import {UserSet} from '../../actors/table/user-set.js';
import {Erasure} from '../../src/partition/erasure/erasure.js';
import {contentsOf, eventsOf} from '../../src/partition/identity/left-rows.js';
import {loadRowKernel} from '../../src/partition/row-kernel.js';
import {restoreActors} from '../../src/partition/snapshot/actor-state.js';
import {imageOf, putChunk} from '../../src/partition/snapshot/chunk-parts.js';
import {appendUserRun, appendWindowRun} from '../../src/partition/snapshot/compaction.js';
import {Layout} from '../../src/partition/snapshot/layout.js';
import type {PartStore} from '../../src/partition/snapshot/part-store.js';
import {loadProfile, loadRecord} from '../../src/partition/snapshot/user-loader.js';
import {Throttle} from '../../src/partition/throttle.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {MissingPart} from '../../src/parts/stored-parts.js';

const setup = {seeds: [1, 2, 3] as const, dedupeBytesMax: 1024 * 1024};

/** Parts by revision; what is retired is gone at once, so a use after that is found. */
class MemoryParts {
  private readonly payloads = new Map<number, Uint8Array>();
  private next = 1;
  /** Length and checksum of all that was ever put. */
  readonly written: string[] = [];

  async put(payload: Uint8Array): Promise<PartRef> {
    const revision = this.next++;
    this.payloads.set(revision, payload.slice());
    this.written.push(`${payload.length} ${crc32(payload)}`);
    const bytes = payload.length;
    return {key: String(revision), revisions: [revision], bytes, valueBytes: bytes, crcs: [crc32(payload)]};
  }

  retire(...refs: readonly PartRef[]): void {
    for (const ref of refs) {
      if (!this.payloads.delete(ref.revisions[0])) throw new MissingPart(ref);
    }
  }

  read = async (revision: number): Promise<Uint8Array | undefined> => this.payloads.get(revision);
}

/** The parts of every snapshot stay, for readers of all of them; several partitions may share them. */
export class KeptParts extends MemoryParts {
  override retire(): void {}
}

export class MemoryShell {
  readonly partition: Partition;
  /** As the mover says it. */
  isSent: (user: number) => boolean = () => false;
  gaps = 0;
  private readonly parts: PartStore;
  private readonly throttle = new Throttle(() => 0);
  private layout: Layout;
  private readonly cache: PartsCache;
  private index: SnapshotIndex | undefined;
  private indexSequence = 0;
  private moveCounts: MoveCounts = {left: [], settled: [], received: []};
  private sequence = 0;
  private n = 0;

  /** `rowKernel`: one that nothing else uses any more; the restarted shell goes on with it. */
  constructor(
    private readonly rowKernel?: RowKernel,
    private readonly place: Pick<PartitionSetup, 'partition' | 'partitions'> = {partition: 0, partitions: 1},
    private readonly values = new MemoryParts(),
    private readonly furtherActors: () => readonly Actor<RowRun>[] = () => [],
  ) {
    this.partition = new Partition({...setup, ...place, rowKernel: rowKernel ?? loadRowKernel()});
    this.partition.events.rowActors.push(...furtherActors());
    this.parts = values as unknown as PartStore;
    this.cache = new PartsCache(values, 0);
    this.layout = new Layout(this.parts, this.throttle, this.partition.moves.leftOut);
  }

  /** Tells the parts that were written so far from others; puts that run together come in any order. */
  get written(): readonly string[] {
    return this.values.written.toSorted();
  }

  /** What live reads work with; its cache holds `cacheBytesMax`. */
  readable(cacheBytesMax: number) {
    return {partition: this.partition, layout: this.layout, cache: new PartsCache(this.values, cacheBytesMax)};
  }

  erasureFor(cache: PartsCache): Erasure {
    return new Erasure(this.partition, this.layout, this.parts, cache, () => undefined);
  }

  async append(write: (writer: ByteWriter) => void, n = this.n + 1, entries = 1): Promise<void> {
    const writer = new ByteWriter(256);
    beginMessage(writer);
    write(writer);
    this.n = n;
    this.sequence += 1;
    await this.fold(this.sequence, Buffer.from(sealMessage(writer, new Uint8Array(8), n, 0, entries))); // As the log brings it.
  }

  async fold(sequence: number, bytes: Uint8Array): Promise<void> {
    const {partition, layout} = this;
    const cursor = partition.openMessage(sequence, bytes);
    if (cursor === undefined) return;
    let stop = partition.fold(sequence, cursor);
    while (stop.kind !== 'done') {
      for (const chunk of partition.takeClosedChunks()) layout.writeClosed(chunk);
      if (stop.kind === 'profile') {
        partition.users.activate(stop.user, await loadProfile(partition, layout, this.cache, stop.user));
        stop = partition.fold(sequence, cursor, true);
        continue;
      }
      if (stop.kind === 'tick') {
        this.gaps += stop.gaps;
        await layout.settle(0);
        if (stop.hasExpired) this.erasureFor(this.cache).expire();
        await layout.settle(0);
        await this.snapshot();
      } else if (stop.kind === 'name_erasure') await this.eraseName(sequence, stop.name, cursor.entry);
      else await this.erase(sequence, stop.users, cursor.entry);
      stop = partition.fold(sequence, cursor);
    }
    for (const chunk of partition.takeClosedChunks()) layout.writeClosed(chunk);
    await layout.settle(0);
  }

  /** Takes expired rows out of the chunks that have many; returns how many chunks these were. */
  async rewriteExpired(): Promise<number> {
    const erasure = this.erasureFor(this.cache);
    const due = [...this.layout.chunks.values()].filter(isChunkDue);
    for (const entry of due) erasure.replaceLeft(entry, await erasure.takeOutExpired(entry));
    return due.length;
  }

  private async erase(sequence: number, users: readonly number[], entry: EntryView) {
    const erasure = this.erasureFor(this.cache);
    const taken = await erasure.takeOut(users);
    erasure.replace(taken);
    const erased = users.map((user) => ({...taken.erased.of(user), isSent: this.isSent(user)}));
    this.partition.erasures.applyUsers(sequence, entry, erased);
  }

  private async eraseName(sequence: number, name: number, entry: EntryView) {
    const erasure = this.erasureFor(this.cache);
    const taken = name < 0 ? undefined : await erasure.takeOutName(name, (user) => this.isSent(user));
    if (taken !== undefined) erasure.replace(taken);
    this.partition.erasures.applyName(sequence, entry, taken?.erased);
  }

  private async snapshot(): Promise<void> {
    const {partition, layout, parts, cache} = this;
    const open = partition.open.count > 0 ? imageOf(partition.open) : undefined;
    const cut = partition.freeze();
    const slicer = this.throttle.slicer();
    for (const frozen of cut.parts) await layout.actors.put(frozen, (ref) => cache.load(ref), slicer);
    for (const move of cut.moves) move.contents ??= await contentsOf(this.readable(0), move.users, async () => {});
    const erased = new Set(cut.erasedUsers);
    layout.setRuns(
      'windowRuns',
      await appendWindowRun(layout.windowRuns, cut.windowBlocks, parts, cache, erased, slicer),
    );
    layout.setRuns('userRuns', await appendUserRun(layout.userRuns, cut.userBlocks, parts, cache, slicer));
    layout.setOpenEntry(
      open === undefined ? null : await putChunk(parts, open, partition.moves.leftOut, false, slicer),
    );
    partition.snapshotDone();
    partition.users.profiles.passivate(0).next(); // There are few: one piece.
    this.indexSequence = cut.sequence;
    this.index = wholeIndex(layout.indexOf(cut, layout.openEntry), []);
    this.moveCounts = cut.moveCounts;
  }

  /** Takes a snapshot at a tick, and publishes it. */
  async publish(asOfMs = 0): Promise<Manifest> {
    await this.append((writer) => writeTick(writer, asOfMs, 60_000, 1));
    const index = must(this.index, 'a tick takes a snapshot');
    return {
      format: manifestFormat,
      writtenBy: 'a test',
      partition: this.partition.partition,
      position: {generation: 1, sequence: this.indexSequence},
      mark: '',
      epoch: 1,
      asOfMs,
      index: await this.parts.put(encodeIndex(storedIndex(index))),
      moves: this.moveCounts,
      previous: null,
    };
  }

  // -- what the owner does for users who leave (src/partition/identity/mover.ts), step by step --

  /** All candidates leave. */
  leave(): Promise<void> {
    const leavers = [...this.partition.moves.candidates].map((user) => ({user, isTooLarge: false}));
    return this.append((writer) => writeLeave(writer, leavers));
  }

  /** Appends the events of a move to the log of its destination. */
  async sendTo(destination: MemoryShell, {users, n}: Move): Promise<void> {
    const {partition} = this;
    const events = new ByteWriter(1_024);
    let count = 0;
    for await (const {entry, user, ordinal} of eventsOf(this.readable(0), users)) {
      writeArrivedEvent(events, entry, partition.identity.ownerKeyOf(user), `${partition.partition}-${ordinal}`);
      count += 1;
    }
    const arrive = (writer: ByteWriter): void => {
      writeArrive(writer, {from: partition.partition, n, piece: 0, pieces: 1});
      writer.raw(events.finish());
    };
    await destination.append(arrive, undefined, 1 + count);
  }

  /** `published`: of the destination. */
  settle({partition, moves}: Manifest): void {
    for (const {contents} of this.partition.settle(partition, moves.received[this.partition.partition]))
      for (const [chunk, rows] of must(contents, 'the move was published').chunks) {
        const entry = this.layout.chunks.get(chunk);
        if (entry !== undefined) this.layout.setChunk({...entry, leftOut: entry.leftOut + rows});
      }
  }

  /** A process that starts from the last snapshot. Without one it starts from nothing. It appends behind what this one did. */
  async restarted(): Promise<MemoryShell> {
    const isKept = this.values instanceof KeptParts;
    const shell = new MemoryShell(this.rowKernel, this.place, isKept ? this.values : undefined, this.furtherActors);
    shell.sequence = this.sequence;
    shell.n = this.n;
    const {index} = this;
    if (index === undefined) return shell;
    // The newest snapshot's parts as they are; what came later may have retired some, so snapshots are taken last in tests.
    const copy = isKept ? {} : await this.copyOf(index);
    if (copy === undefined) return shell;
    Object.assign(shell.values, copy);
    const {cache, partition} = shell;
    await restoreActors(partition.actors, index, (ref) => cache.load(ref), false);
    const open = index.chunks.find((entry) => entry.chunk === index.nextChunk);
    const blocks: Uint8Array[] = [];
    for (let row = 0; open !== undefined && row < open.count; row += bodyBlockRows) {
      blocks.push(await cache.loadBodyBlock(open.bodies, row / bodyBlockRows));
    }
    const chunk = open === undefined ? undefined : new RestoredChunk(await cache.wholeRows.load(open), blocks);
    partition.restore(this.indexSequence, '', index, chunk);
    shell.layout.restore(index);
    shell.index = index;
    shell.indexSequence = this.indexSequence;
    return shell;
  }

  /** Undefined when an erasure after the snapshot has retired some of its parts (the real store keeps them). */
  private async copyOf(index: SnapshotIndex): Promise<Partial<MemoryParts> | undefined> {
    const {partsOf} = await import('../../actors/manifest.js');
    for (const ref of partsOf(index)) if ((await this.values.read(ref.revisions[0])) === undefined) return undefined;
    const {payloads, next} = this.values as unknown as {payloads: Map<number, Uint8Array>; next: number};
    return {payloads: new Map(payloads), next} as unknown as Partial<MemoryParts>;
  }

  /** All that can be asked of the state, after a last snapshot. */
  async state(): Promise<unknown> {
    await this.snapshot();
    const {partition, layout, cache} = this;
    const users: unknown[] = [];
    for (let user = 0; user < partition.users.table.count; user++) {
      if (!partition.users.table.has(user)) users.push(null);
      else {
        const {chunks: _, user: __, ...record} = (await loadRecord(partition, layout, cache, user))!;
        users.push([partition.users.table.text(user), record]);
      }
    }
    const index = this.index!;
    return {
      users,
      events: await this.events(index),
      windows: await this.windows(index),
      deletions: index.deletions.map(({id, userHash, eventsDeleted}) => ({id, userHash, eventsDeleted})),
      ids: [partition.dedupe.messageIds.count, partition.dedupe.tombstones.count],
      time: index.values.time,
      nextOrdinal: index.nextOrdinal,
    };
  }

  private async events(index: SnapshotIndex): Promise<string[]> {
    const events: string[] = [];
    for (const entry of index.chunks.filter(({live}) => live > 0)) {
      const rows = countedRows(entry, await this.cache.wholeRows.load(entry), new UserSet());
      for (const row of rows.order) {
        const block = await this.cache.loadBodyBlock(entry.bodies, Math.floor(row / bodyBlockRows));
        const body = new BodyBlock(block, rows).entry(
          row,
          this.partition.users.table,
          this.partition.aggregator.names,
        )!;
        const said = `${this.partition.users.table.text(rows.users[row])} ${this.partition.aggregator.names.text(rows.names[row])}`;
        events.push(`${said} ${eventJson(body, 0, rows.baseOrdinal + row)}`);
      }
    }
    return events.sort();
  }

  /** Non-zero cells and day sets by texts, erased users left out. */
  private async windows(index: SnapshotIndex): Promise<unknown> {
    const cells = new Map<string, number>();
    const members = new Set<string>();
    const erased = new Set(index.erasedUsers);
    for (const run of index.windowRuns) {
      for (const {part, first} of run.blocks) {
        const view = windowsFrom(await this.cache.loadWindows(part), first);
        view.counts.forEach((count, i) => {
          const key = `${view.hours[i]} ${view.names[i]}`;
          cells.set(key, (cells.get(key) ?? 0) + count);
        });
        view.days.forEach((day, i) => {
          for (const user of view.members.subarray(view.memberOffsets[i], view.memberOffsets[i + 1])) {
            if (!erased.has(user)) members.add(`${day} ${this.partition.users.table.text(user)}`);
          }
        });
      }
    }
    return {cells: [...cells].filter(([, count]) => count !== 0).sort(), members: [...members].sort()};
  }
}

// Answers to live questions (src/asks.ts): profile, history, bodies, deletions. Live: everything that was acked before
// the question arrived is folded first, whichever edge acked it.
import {setTimeout as pause} from 'node:timers/promises';
import {BodyBlock, eventJson, type RowColumns} from '../../actors/bodies.js';
import {isoText} from '../../actors/calendar.js';
import {wtf8} from '../../actors/codec/bytes.js';
import {type HistoryFilter, NewestRows} from '../../actors/history.js';
import {bodyBlockRows} from '../../actors/limits.js';
import type {ChunkEntry, DeletionRecord} from '../../actors/manifest.js';
import type {OpenChunk} from '../../actors/open-chunk.js';
import {
  type Deletion,
  type PartitionAnswer,
  type PartitionQuestion,
  type RowPlace,
  replyBytesMax,
  type UserRef,
} from '../asks.js';
import {monotonicMs} from '../clock.js';
import type {PartitionMeasures} from '../measures.js';
import {MissingPart} from '../parts/parts-cache.js';
import {isReportLate} from './alarms.js';
import {type CatchUp, measurePartition} from './measuring.js';
import type {Runner} from './runner.js';
import {loadRecord} from './user-loader.js';

const caughtUpMsMax = 2_000;
/** The status question is asked with a deadline of 1 s. */
const statusMsMax = 600;
const retryPauseMs = 20;
/** A part may be swept while it is being read, the state at hand naming a newer one: then the question starts again. */
const overtakenMsMax = 10_000;

interface BlockInReach {
  readonly bodies: BodyBlock;
  /** Row of the chunk that stands first. */
  readonly firstRow: number;
  /** Rows of ordinals [firstOrdinal, endOrdinal). */
  readonly firstOrdinal: number;
  readonly endOrdinal: number;
}

type Ask<K extends PartitionQuestion['ask']> = Extract<PartitionQuestion, {ask: K}>;

/** What a thread tells about itself is not read here. */
export type LiveQuestion = Exclude<PartitionQuestion, {ask: 'measures'}>;

export class LiveReads {
  private readonly runner: Runner;

  constructor(runner: Runner) {
    this.runner = runner;
  }

  async answer(question: LiveQuestion): Promise<PartitionAnswer> {
    const endMs = monotonicMs() + overtakenMsMax;
    for (;;) {
      try {
        return await this.answerOnce(question);
      } catch (error) {
        if (!(error instanceof MissingPart) || this.runner.setup.layout.readsFrom(error.ref)) throw error;
        if (monotonicMs() > endMs) return {kind: 'unavailable', message: 'the state changes faster than it is read'};
      }
    }
  }

  private async answerOnce(question: LiveQuestion): Promise<PartitionAnswer> {
    switch (question.ask) {
      case 'status':
        return this.status();
      case 'bodies':
        return {kind: 'bodies', events: await this.bodies(question.ordinals)};
      case 'deletion':
        return this.deletion(question);
    }
    if (!(await this.isCaughtUp(caughtUpMsMax)))
      return {kind: 'unavailable', message: 'the partition is behind its log'};
    switch (question.ask) {
      case 'exists':
        return this.exists(question.user);
      case 'profile':
        return this.profile(question.user);
      case 'history':
        return this.history(question);
    }
  }

  private async status(): Promise<PartitionAnswer> {
    const {partition} = this.runner.setup;
    return {
      kind: 'status',
      partition: partition.partition,
      phase: this.runner.phase,
      appliedSequence: partition.appliedSequence,
      published: this.runner.published,
      lag: await this.lag(),
      damagedParts: this.runner.setup.damage.countOf(partition.partition),
    };
  }

  private async lag(): Promise<string | null> {
    const {refreshMs} = this.runner.setup;
    if (!(await this.isCaughtUp(statusMsMax))) return 'it is behind its log';
    const ageMs = this.runner.snapshotAgeMs;
    return ageMs !== null && isReportLate(ageMs, refreshMs)
      ? `its newest snapshot is ${Math.round(ageMs / 1_000)} s old`
      : null;
  }

  /** Within 600 ms, behind the log or not. */
  async measures(): Promise<PartitionMeasures> {
    return measurePartition(this.runner, await this.catchUp(statusMsMax));
  }

  /** Whether everything that was acked before the call is folded within `msMax`. */
  private async isCaughtUp(msMax: number): Promise<boolean> {
    return (await this.catchUp(msMax)).isCaughtUp;
  }

  /** Waits until everything that was acked before the call is folded, or `msMax` is over. */
  private async catchUp(msMax: number): Promise<CatchUp> {
    const {reader, partition} = this.runner.setup;
    const startedMs = monotonicMs();
    const deadlineMs = startedMs + msMax;
    const leftMs = () => Math.max(0, deadlineMs - monotonicMs());
    while (leftMs() > 0) {
      // A question that a restart of the server swallowed is asked again.
      const sequence = await reader.lastSequence().catch(() => undefined);
      if (sequence !== undefined) {
        const behind = Math.max(0, sequence - partition.appliedSequence);
        const isCaughtUp = await this.runner.whenApplied(sequence, leftMs());
        return {isCaughtUp, behind, waitedMs: monotonicMs() - startedMs};
      }
      await pause(retryPauseMs);
    }
    return {isCaughtUp: false, behind: null, waitedMs: monotonicMs() - startedMs};
  }

  // ---- users ----

  private find(user: UserRef): number | undefined {
    const key = userKey(user);
    const index = this.runner.setup.partition.users.find(key, 0, key.length);
    return index >= 0 ? index : undefined;
  }

  private exists(user: UserRef): PartitionAnswer {
    return this.find(user) === undefined ? this.unknownUser(user) : {kind: 'known_user'};
  }

  private unknownUser(user: UserRef): PartitionAnswer {
    const {partition} = this.runner.setup;
    const key = userKey(user);
    const hash = partition.userHash(key, 0, key.length);
    const ofUser = [...partition.deletions.values()].filter((record) => record.userHash === hash);
    const newest = ofUser.sort((a, b) => b.sequence - a.sequence)[0];
    return newest === undefined ? {kind: 'unknown_user'} : {kind: 'unknown_user', deletion: this.receipt(newest)};
  }

  private async profile(user: UserRef): Promise<PartitionAnswer> {
    const {partition, layout, cache} = this.runner.setup;
    const index = this.find(user);
    const record = index === undefined ? undefined : await loadRecord(partition, layout, cache, index);
    // Erased while its record was read.
    if (index === undefined || record === undefined || !partition.users.has(index)) return this.unknownUser(user);
    return {
      kind: 'profile',
      id: user.id,
      traitsJson: record.traits?.json ?? '{}',
      createdMs: record.createdMs,
      lastSeenMs: record.lastEventMs ?? record.lastIdentifyMs ?? record.createdMs,
      traitsOverLimit: record.traits?.overLimit ?? 0,
    };
  }

  // ---- history ----

  private async history(question: Ask<'history'>): Promise<PartitionAnswer> {
    const {partition} = this.runner.setup;
    const ordinalEnd = question.ordinalEnd ?? partition.open.baseOrdinal + partition.open.count;
    const nothing: PartitionAnswer = {kind: 'history', rows: [], more: false, ordinalEnd};
    const user = question.user === undefined ? undefined : this.find(question.user);
    if (question.user !== undefined && user === undefined) return nothing;
    const name = question.event === undefined ? undefined : this.findName(question.event);
    if (question.event !== undefined && name === undefined) return nothing;
    const filter = this.filterOf(question, user, name, ordinalEnd);
    const rows = await this.newestRows(filter, question.limit + 1);
    return {kind: 'history', rows: rows.slice(0, question.limit), more: rows.length > question.limit, ordinalEnd};
  }

  private findName(event: string): number | undefined {
    const bytes = wtf8(event);
    const index = this.runner.setup.partition.names.find(bytes, 0, bytes.length);
    return index >= 0 ? index : undefined;
  }

  private filterOf(
    question: Ask<'history'>,
    user: number | undefined,
    name: number | undefined,
    ordinalEnd: number,
  ): HistoryFilter {
    const {before} = question;
    const toMs = question.toMs ?? Number.POSITIVE_INFINITY;
    return {
      user,
      name,
      fromMs: question.fromMs ?? 0,
      toMs: before === undefined ? toMs : Math.min(toMs, before.timeMs),
      ordinalEnd,
      before: before === undefined ? undefined : {timeMs: before.timeMs, ordinal: this.ordinalBefore(before)},
    };
  }

  /** At the page's last moment, partitions above the one it stopped in gave all they had, those below gave nothing yet. */
  private ordinalBefore(before: RowPlace): number {
    const {partition} = this.runner.setup.partition;
    if (before.partition === partition) return before.ordinal;
    return partition < before.partition ? Number.POSITIVE_INFINITY : 0;
  }

  private async newestRows(filter: HistoryFilter, limit: number) {
    const newest = new NewestRows(limit, filter);
    const {partition, layout, cache} = this.runner.setup;
    // All taken at one moment, before the first wait.
    const inMemory = this.chunksInMemory();
    const numbers = new Set(inMemory.map((chunk) => chunk.chunk));
    const stored = [...layout.chunks.values()].filter((entry) => !numbers.has(entry.chunk));
    for (const chunk of inMemory) newest.offer(chunk.view());
    const ofUser = await this.chunksOfUser(filter.user);
    const candidates = stored.filter(
      (entry) => mayHold(entry, filter) && (ofUser === undefined || ofUser.has(entry.chunk)),
    );
    candidates.sort((a, b) => b.maxTimeMs - a.maxTimeMs);
    for (const entry of candidates) {
      if (!newest.wants(entry.maxTimeMs)) break;
      newest.offer(await cache.loadRows(entry.rows));
    }
    if (filter.user !== undefined && !partition.users.has(filter.user)) return [];
    return newest.rows;
  }

  private chunksInMemory(): OpenChunk[] {
    const {partition, layout} = this.runner.setup;
    return [...layout.writing.values()].map(({chunk}) => chunk).concat(partition.open);
  }

  private async chunksOfUser(user: number | undefined): Promise<ReadonlySet<number> | undefined> {
    if (user === undefined) return undefined;
    const {partition, layout, cache} = this.runner.setup;
    return new Set((await loadRecord(partition, layout, cache, user))?.chunks);
  }

  // ---- bodies ----

  /** As many, in order, as one reply can carry; at least one. Ordinals that ascend inflate each block once. */
  private async bodies(ordinals: readonly number[]): Promise<(string | null)[]> {
    const events: (string | null)[] = [];
    let bytes = 0;
    let block: BlockInReach | undefined;
    for (const ordinal of ordinals) {
      if (block === undefined || ordinal < block.firstOrdinal || ordinal >= block.endOrdinal)
        block = await this.bodyBlock(ordinal);
      const event = block === undefined ? null : this.bodyIn(block, ordinal);
      // In the reply an event is a JSON string: quotes and non-ASCII characters take more bytes there.
      bytes += event === null ? 5 : Buffer.byteLength(JSON.stringify(event)) + 1;
      if (bytes > replyBytesMax && events.length > 0) return events;
      events.push(event);
    }
    return events;
  }

  private bodyIn(block: BlockInReach, ordinal: number): string | null {
    const {partition, users, names} = this.runner.setup.partition;
    const entry = block.bodies.entry(block.firstRow + ordinal - block.firstOrdinal, users, names);
    return entry === undefined ? null : eventJson(entry, partition, ordinal);
  }

  private async bodyBlock(ordinal: number): Promise<BlockInReach | undefined> {
    const {layout, cache} = this.runner.setup;
    const blockOf = async (
      {baseOrdinal, count}: {baseOrdinal: number; count: number},
      load: (block: number) => Promise<readonly [Uint8Array, RowColumns]>,
    ): Promise<BlockInReach> => {
      const block = Math.floor((ordinal - baseOrdinal) / bodyBlockRows);
      const firstRow = block * bodyBlockRows;
      const firstOrdinal = baseOrdinal + firstRow;
      const endOrdinal = Math.min(firstOrdinal + bodyBlockRows, baseOrdinal + count);
      return {bodies: new BodyBlock(...(await load(block))), firstRow, firstOrdinal, endOrdinal};
    };
    const holds = ({baseOrdinal, count}: {baseOrdinal: number; count: number}) =>
      ordinal >= baseOrdinal && ordinal < baseOrdinal + count;
    for (const chunk of this.chunksInMemory()) {
      if (holds(chunk)) return blockOf(chunk, async (block) => [chunk.blockAt(block), chunk.columnsView()]);
    }
    for (const entry of layout.chunks.values()) {
      if (!holds(entry)) continue;
      return blockOf(entry, (block) =>
        Promise.all([cache.loadBodyBlock(entry.bodies, block), cache.loadRows(entry.rows)]),
      );
    }
    return undefined;
  }

  // ---- deletions ----

  private async deletion(question: Ask<'deletion'>): Promise<PartitionAnswer> {
    const {partition} = this.runner.setup;
    if (question.waitMs > 0) await this.completion(question.id, question.waitMs);
    else await this.isCaughtUp(caughtUpMsMax);
    const record = partition.deletions.get(question.id);
    return record === undefined ? {kind: 'unknown_deletion'} : {kind: 'deletion', deletion: this.receipt(record)};
  }

  /** Waits until the snapshot that is free of the user is published, or the time is over. */
  private async completion(id: string, waitMs: number): Promise<void> {
    const {partition} = this.runner.setup;
    const deadlineMs = monotonicMs() + waitMs;
    if (!(await this.isCaughtUp(waitMs))) return;
    if (partition.deletions.has(id)) await this.runner.whenErased(id, Math.max(0, deadlineMs - monotonicMs()));
  }

  private receipt(record: DeletionRecord): Deletion {
    const {partition} = this.runner.setup.partition;
    const {id, sequence, eventsDeleted} = record;
    const completed = this.runner.isErased(id) ? record.completed : null;
    return {
      id,
      status: completed === null ? 'pending' : 'completed',
      log_position: `${partition}:${sequence}`,
      events_deleted: eventsDeleted,
      completed_at: completed === null ? null : isoText(completed.timeMs),
      verified: completed?.verified ?? null,
    };
  }
}

const userKey = (user: UserRef): Uint8Array => wtf8((user.kind === 'user' ? 'u' : 'a') + user.id);

function mayHold(entry: ChunkEntry, filter: HistoryFilter): boolean {
  return (
    entry.maxTimeMs >= filter.fromMs &&
    entry.minTimeMs <= filter.toMs &&
    entry.baseOrdinal < filter.ordinalEnd &&
    (filter.name === undefined || entry.names === null || entry.names.includes(filter.name))
  );
}

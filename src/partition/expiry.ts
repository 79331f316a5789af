// Takes expired events (actors/retention.ts) out of the parts of a partition, and tells its log of another setting.
//   tick -> expired events leave answers -> chunks that have many are rewritten, one after the other -> the sweep erases old parts
//   Owns:    when each step happens. Does not own: what has expired (the fold), nor the parts (erasure/, snapshot/).
//   EP1. A setting is appended once by a process, with the day of the oldest event that is stored (retention.ts RT3).
//   EP2. A chunk that cannot be read stays as it is, and no other waits for it.

import {addDays} from '../../actors/aggregator/window-deltas.js';
import {viewWindows, windowsFrom} from '../../actors/aggregator/windows.js';
import {isoText} from '../../actors/calendar.js';
import type {RowsByOrdinal} from '../../actors/chunk/chunk.js';
import {isChunkDue} from '../../actors/expired-parts.js';
import {throwBroken} from '../../actors/invariant.js';
import {dayMs} from '../../actors/limits.js';
import {type ChunkEntry, partsOfChunk} from '../../actors/manifest.js';
import {wallMs} from '../clock.js';
import type {Logger} from '../observe.js';
import {PacedWork} from '../pacing/paced-work.js';
import type {Damage} from '../parts/damage.js';
import type {PartsCache} from '../parts/parts-cache.js';
import type {Erasure} from './erasure/erasure.js';
import type {PartitionView} from './partition-view.js';

/** Pause between two chunks: a rewritten one takes some 40 ms of the thread. */
const betweenChunksMs = 100;

interface ExpirySetup extends Pick<PartitionView, 'partition' | 'layout' | 'snapshots' | 'writer'> {
  readonly erasure: Pick<Erasure, 'expire' | 'takeOutExpired' | 'replaceLeft'>;
  /** Days for which events are kept; 0: for ever. */
  readonly retentionDays: number;
  readonly damage: Damage;
  /** Reads parts for folding. */
  readonly foldCache: PartsCache;
  readonly log: Logger;
  readonly isLive: () => boolean;
  readonly onFatal: (error: Error) => void;
}

export class Expiry {
  private readonly setup: ExpirySetup;
  private readonly rewriting: PacedWork;
  private isSettingAppended = false;
  /** Chunks that could not be read, until further events expire. EP2 */
  private readonly unreadable = new Set<ChunkEntry>();

  constructor(setup: ExpirySetup) {
    this.setup = setup;
    this.rewriting = new PacedWork({
      work: () => this.work(),
      isAllowed: setup.isLive,
      onFailed: setup.onFatal,
    });
  }

  /** Call it when the partition is live. */
  wake(): void {
    this.rewriting.wake();
  }

  /** Events expired with the tick that was folded last. The next snapshot has none of them. */
  async expire(): Promise<void> {
    const {partition, snapshots, layout, erasure, log} = this.setup;
    while (snapshots.isRunning || layout.writing.size > 0) {
      await snapshots.idle();
      await layout.settle(0);
    }
    const {fromDay} = partition.retention;
    const events = await this.eventsBefore(fromDay);
    erasure.expire();
    log.info({partition: partition.partition, before: dateOf(fromDay), events}, 'events of these days have expired');
    this.unreadable.clear();
    this.wake();
  }

  /** Number of events by date, before a day; undefined where it cannot be read. */
  private async eventsBefore(day: number): Promise<Readonly<Record<string, number>> | undefined> {
    const {partition, layout, foldCache, damage} = this.setup;
    const counts = new Map<number, number>();
    partition.aggregator.addDaysBefore(day, counts);
    try {
      for (const {part, first} of layout.windowRuns.flatMap(({blocks}) => blocks)) {
        if (first >= day) continue;
        const bytes = new Uint8Array(await foldCache.loadUncached(part)); // A copy is aligned.
        const windows = windowsFrom(viewWindows(bytes), first);
        addDays(windows.hours, windows.counts, day, counts);
      }
    } catch (error) {
      throwBroken(error);
      if (!damage.note(error as Error)) throw error;
      return undefined;
    }
    const days = [...counts].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
    return Object.fromEntries(days.map(([one, count]) => [dateOf(one), count]));
  }

  /** Bytes of the chunks that expired events are still to leave. */
  get pendingBytes(): number {
    return this.due().reduce(
      (sum, entry) => sum + partsOfChunk(entry).reduce((bytes, part) => bytes + part.bytes, 0),
      0,
    );
  }

  private due(): ChunkEntry[] {
    const {partition, layout} = this.setup;
    return partition.retention.fromDay === 0 ? [] : [...layout.chunks.values()].filter(isChunkDue);
  }

  private async work(): Promise<number | undefined> {
    await this.appendSetting();
    const entry = this.due().find((one) => !this.unreadable.has(one));
    if (entry === undefined) return undefined;
    await this.takeOut(entry);
    return betweenChunksMs;
  }

  /** EP1 */
  private async appendSetting(): Promise<void> {
    const {partition, writer, log, retentionDays: days} = this.setup;
    if (this.isSettingAppended || partition.retention.days === days) return;
    this.isSettingAppended = true;
    const today = Math.floor(wallMs() / dayMs);
    const fromDay = Math.max(0, Math.min(this.oldestDay(), today - days));
    await writer.retain({days, fromDay});
    const {partition: number} = partition;
    if (days === 0) log.info({partition: number}, 'events are kept for ever from now on');
    else log.info({partition: number, days, oldest: dateOf(fromDay)}, 'older events expire from now on');
  }

  /** Day of the oldest event that is stored; infinite without any. */
  private oldestDay(): number {
    const {partition, layout} = this.setup;
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const {live, minTimeMs} of layout.chunks.values()) if (live > 0) oldestMs = Math.min(oldestMs, minTimeMs);
    for (const {chunk} of layout.writing.values()) oldestMs = Math.min(oldestMs, oldestIn(chunk.rowsNow()));
    return Math.floor(Math.min(oldestMs, oldestIn(partition.open.rowsNow())) / dayMs);
  }

  private async takeOut(entry: ChunkEntry): Promise<void> {
    const {erasure, snapshots, damage} = this.setup;
    try {
      const left = await erasure.takeOutExpired(entry);
      await snapshots.idle();
      erasure.replaceLeft(entry, left);
    } catch (error) {
      throwBroken(error);
      if (!damage.note(error as Error)) throw error;
      this.unreadable.add(entry);
    }
  }

  stop(): void {
    this.rewriting.stop();
  }

  /** Resolves when no chunk is being rewritten. */
  idle(): Promise<void> {
    return this.rewriting.idle();
  }
}

const dateOf = (day: number): string => isoText(day * dayMs).slice(0, 10);

function oldestIn({count, timeBase, times, users, noUser}: RowsByOrdinal): number {
  let oldest = Number.POSITIVE_INFINITY;
  for (let row = 0; row < count; row++) if (users[row] !== noUser && times[row]! < oldest) oldest = times[row]!;
  return timeBase + oldest;
}

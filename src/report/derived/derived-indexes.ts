// Values that reports derive from published parts and answer from: postings, cells, sets, numbers. In this thread's memory alone.
//   Owns: their memory and lifetime, and when they are built. Does not own: how they are derived (the other files of this folder).
//   DI1. Parts never change: a derived value answers for exactly the parts that its owner built it from.
//   DI2. Derived values have their own budget within the room for parts, which get what the budget does not use: no scan drops
//        derived values. One that no question used for half an hour is dropped.
//   DI3. Background builds run one at a time, in slices while no report is computed, in room borrowed from parts. They leave the
//        last part of the budget to values that answers derive.
//   DI4. Where a build does not fit, values of any kind that are idle yield to it (actors/report/yielding.ts). What does not fit
//        then is not kept.

import {setImmediate as nextTurn} from 'node:timers/promises';
import {throwBroken} from '../../../actors/invariant.js';
import {type AskTimes, type HeldValue, yielding} from '../../../actors/report/yielding.js';
import {monotonicMs} from '../../clock.js';
import type {Logger} from '../../observe.js';
import {Semaphore} from '../../pacing/semaphore.js';
import {TimeSlicer} from '../../pacing/time-slicer.js';
import {isUnreadable} from '../../parts/damage.js';
import type {PartsMemory} from '../../parts/parts-memory.js';

/** Shares of the room for parts: of all values, of those that background builds keep, and of both with a build's scratch. */
const keptShare = 5 / 8;
const builtShare = 9 / 16;
const buildingShare = 11 / 16;
export const interestMs = 30 * 60_000;
/** Longest wait of a slice of background work (5 ms) for running reports: it gets a tenth of a busy thread. */
const sliceWaitMsMax = 50;
/** Longest wait of the begin of a build, which borrows memory from parts that a running report is about to read. */
const beginWaitMsMax = 500;

/** Memory that a build needs. */
export interface BuildNeed {
  readonly keptBytes: number;
  /** Scratch, which is given back. */
  readonly passingBytes: number;
  /** Bytes of values that it replaces, which are dropped before. */
  readonly freedBytes?: number;
}

/** Memory and time of one build. */
export interface Build {
  /** As that of all indexes, without what this build borrows. */
  makeRoom(need: BuildNeed, asks: AskTimes): boolean;
  /** Borrows bytes from parts until the build ends. */
  borrow(bytes: number): void;
  /** Called between slices of work. */
  pause(): Promise<void>;
}

interface DerivedOptions {
  /** Resolves when no report is at work, or after `waitMsMax`. */
  readonly whenIdle?: (waitMsMax: number) => Promise<unknown>;
  readonly clockMs?: () => number;
}

export class DerivedIndexes {
  readonly clockMs: () => number;
  /** Room of parts and derived values together. */
  readonly roomBytes: number;
  private readonly memory: PartsMemory;
  private readonly logger: Logger;
  private readonly whenIdle: (waitMsMax: number) => Promise<unknown>;
  private readonly builds = new Semaphore(1);
  private readonly kinds: Pick<Derived<Sized>, 'bytes' | 'held' | 'dropUnasked'>[] = [];
  private borrowedBytes = 0;
  /** Background builds that run or wait. */
  pendingBuilds = 0;

  constructor(
    memory: PartsMemory,
    logger: Logger,
    {whenIdle = async () => undefined, clockMs = monotonicMs}: DerivedOptions = {},
  ) {
    this.memory = memory;
    this.roomBytes = memory.bytesMax;
    this.logger = logger;
    this.whenIdle = whenIdle;
    this.clockMs = clockMs;
  }

  get bytes(): number {
    return this.kinds.reduce((sum, {bytes}) => sum + bytes, 0);
  }

  /** Bytes that background builds may keep. */
  get builtBytesMax(): number {
    return Math.floor(this.roomBytes * builtShare);
  }

  /** A new kind of values within the same budget. */
  kind<V extends Sized>(owner: DerivedOwner = {}): Derived<V> {
    const kind = new Derived<V>({
      clockMs: this.clockMs,
      hasRoom: (bytes) => this.bytes + bytes <= this.roomBytes * keptShare,
      memory: this.memory,
      owner,
    });
    this.kinds.push(kind);
    return kind;
  }

  /** Drops values that no question used lately. Cheap: called with every question. DI2 */
  dropUnasked(): void {
    for (const kind of this.kinds) kind.dropUnasked(this.clockMs() - interestMs);
  }

  /** DI3. Undefined when the build failed: the next question reads the same parts, and reports why. @throws InvariantError */
  async build<T>(what: string, work: (build: Build) => Promise<T>): Promise<T | undefined> {
    this.pendingBuilds += 1;
    try {
      return await this.builds.run(async () => {
        await this.whenIdle(beginWaitMsMax);
        return this.borrowing(new TimeSlicer({between: () => this.betweenSlices()}), work);
      });
    } catch (error) {
      throwBroken(error);
      this.logger[isUnreadable(error) ? 'debug' : 'error']({err: error, what}, 'an index for reports was not built');
      return undefined;
    } finally {
      this.pendingBuilds -= 1;
    }
  }

  /** A build that an answer waits for, in the answer's slices. @throws MissingPart, DamagedPart, and what ends the answer */
  buildNow<T>(work: (build: Build) => Promise<T>, slices = new TimeSlicer()): Promise<T> {
    return this.borrowing(slices, work);
  }

  private async betweenSlices(): Promise<void> {
    await nextTurn();
    await this.whenIdle(sliceWaitMsMax);
  }

  private async borrowing<T>(slices: TimeSlicer, work: (build: Build) => Promise<T>): Promise<T> {
    let borrowed = 0;
    const borrow = (bytes: number): void => {
      borrowed += bytes;
      this.borrowedBytes += bytes;
      this.memory.lend(bytes);
    };
    const makeRoom: Build['makeRoom'] = (need, asks) => this.makeRoom(need, asks, this.borrowedBytes - borrowed);
    try {
      return await work({makeRoom, borrow, pause: () => slices.pause()});
    } finally {
      borrow(-borrowed);
    }
  }

  /**
   * Has idle values yield to a value with these asks, if it does not fit otherwise. False: it does not fit. `othersBytes`:
   * borrowed by other builds. DI4
   */
  makeRoom(need: BuildNeed, asks: AskTimes, othersBytes = this.borrowedBytes): boolean {
    const yielders = this.yielders(this.lackingBytes(need, othersBytes), asks);
    for (const {drop} of yielders ?? []) drop();
    return yielders !== undefined;
  }

  /** Whether a build of a value with these asks would fit now: worth trying again what did not. DI4 */
  mayFit(need: BuildNeed, asks: AskTimes): boolean {
    return this.yielders(this.lackingBytes(need, this.borrowedBytes), asks) !== undefined;
  }

  /** Bytes by which a build exceeds the budget. `othersBytes`: borrowed by other builds. */
  private lackingBytes({keptBytes, passingBytes, freedBytes = 0}: BuildNeed, othersBytes: number): number {
    const kept = this.bytes - freedBytes + keptBytes;
    return Math.max(kept - this.builtBytesMax, kept + othersBytes + passingBytes - this.roomBytes * buildingShare);
  }

  private yielders(bytes: number, asks: AskTimes): readonly HeldEntry[] | undefined {
    if (bytes <= 0) return [];
    return yielding(
      this.kinds.flatMap((kind) => kind.held()),
      bytes,
      asks,
      this.clockMs(),
    );
  }
}

export interface Sized {
  readonly bytes: number;
}

/** What the owner of a kind of values is told. */
interface DerivedOwner {
  /** The value of this key was dropped. */
  readonly noteDrop?: (key: string) => void;
}

/** A value of any kind, as a candidate to yield. */
type HeldEntry = HeldValue & {readonly drop: () => void};

interface DerivedEntry<V> {
  readonly value: V;
  readonly builtMs: number;
  askedMs: number;
}

interface KindOptions {
  readonly clockMs: () => number;
  /** Whether this number of further bytes may be kept. DI2 */
  readonly hasRoom: (bytes: number) => boolean;
  /** The memory of parts: kept values take their bytes from its room. */
  readonly memory: Pick<PartsMemory, 'lend'>;
  readonly owner: DerivedOwner;
}

/** Derived values of one kind by key. */
export class Derived<V extends Sized> {
  private readonly entries = new Map<string, DerivedEntry<V>>();
  private readonly options: KindOptions;
  bytes = 0;

  constructor(options: KindOptions) {
    this.options = options;
  }

  /** All values, in any order. */
  held(): HeldEntry[] {
    return [...this.entries].map(([key, {value, askedMs, builtMs}]) => ({
      bytes: value.bytes,
      askedMs,
      builtMs,
      drop: () => this.drop(key),
    }));
  }

  get(key: string): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    entry.askedMs = this.options.clockMs();
    return entry.value;
  }

  /** Keeps a value if there is room for it, in place of the key's old one. DI2 */
  keep(key: string, value: V): boolean {
    this.drop(key);
    if (!this.options.hasRoom(value.bytes)) return false;
    const nowMs = this.options.clockMs();
    this.entries.set(key, {value, askedMs: nowMs, builtMs: nowMs});
    this.count(value.bytes);
    return true;
  }

  drop(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.count(-entry.value.bytes);
    this.options.owner.noteDrop?.(key);
  }

  private count(bytes: number): void {
    this.bytes += bytes;
    this.options.memory.lend(bytes);
  }

  dropUnasked(sinceMs: number): void {
    for (const [key, {askedMs}] of this.entries) if (askedMs < sinceMs) this.drop(key);
  }
}

// Values that reports derive from published parts and answer from: postings, cells, sets, numbers. In this thread's memory alone.
//   Owns: their memory and lifetime, and when they are built. Does not own: how they are derived (the other files of this folder).
//   DI1. Parts never change: a derived value answers for exactly the parts that its owner built it from.
//   DI2. Derived values have their own budget within the room for parts, which get what the budget does not use: no scan drops
//        derived values. One that no question used for half an hour is dropped.
//   DI3. Background builds run one at a time, in slices while no report is computed. They leave the last part of the budget to
//        values that answers derive.
//   DI4. Where a build does not fit, values of any kind that no question used lately yield to it, those that were used longest ago
//        first. What does not fit then is not kept. Two values that are asked for in turn within a minute never replace each other.

import {setImmediate as nextTurn} from 'node:timers/promises';
import {throwBroken} from '../../../actors/invariant.js';
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
/** A value yields if no question used it for so long. A build takes a second or two of the thread over ten million events. DI4 */
export const idleMs = 60_000;
/** Longest wait of a slice of background work (5 ms) for running reports: it gets a tenth of a busy thread. */
const sliceWaitMsMax = 50;
/** Longest wait of the begin of a build, which takes memory from parts that a running report is about to read. */
const beginWaitMsMax = 500;

/** Memory that a build needs. */
export interface BuildNeed {
  readonly keptBytes: number;
  /** Scratch, which is given back. */
  readonly passingBytes: number;
  /** Bytes of values that it replaces, which are dropped before. */
  readonly freedBytes?: number;
  /** Whether it takes free room alone: nothing yields to it. DI4 */
  readonly isModest?: boolean;
}

/** Memory and time of one build. */
export interface Build {
  /** As that of all indexes, without what this build borrows. */
  makeRoom(need: BuildNeed): boolean;
  /** Takes so many bytes of parts for its scratch, in place of what it took before, until the build ends. */
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
      this.borrowedBytes += bytes - borrowed;
      this.memory.lend(bytes - borrowed);
      borrowed = bytes;
    };
    const makeRoom: Build['makeRoom'] = (need) => this.makeRoom(need, this.borrowedBytes - borrowed);
    try {
      return await work({makeRoom, borrow, pause: () => slices.pause()});
    } finally {
      borrow(0);
    }
  }

  /** Has idle values yield to a value that does not fit otherwise. False: it does not fit. `othersBytes`: borrowed by other builds. DI4 */
  makeRoom(need: BuildNeed, othersBytes = this.borrowedBytes): boolean {
    const yielders = this.yieldersTo(need, othersBytes);
    for (const {drop} of yielders ?? []) drop();
    return yielders !== undefined;
  }

  /** Whether a build would fit now: worth trying again what did not. DI4 */
  mayFit(need: BuildNeed): boolean {
    return this.yieldersTo(need, this.borrowedBytes) !== undefined;
  }

  /** The values that make room; undefined: those that may yield are not enough. DI4 */
  private yieldersTo(need: BuildNeed, othersBytes: number): readonly HeldEntry[] | undefined {
    const {keptBytes, passingBytes, freedBytes = 0, isModest = false} = need;
    const kept = this.bytes - freedBytes + keptBytes;
    let lacking = Math.max(
      kept - this.builtBytesMax,
      kept + othersBytes + passingBytes - this.roomBytes * buildingShare,
    );
    if (lacking <= 0) return [];
    if (isModest) return undefined;
    const idleFromMs = this.clockMs() - idleMs;
    const held = this.kinds.flatMap((kind) => kind.held());
    const idle = held.filter(({askedMs}) => askedMs < idleFromMs).sort((a, b) => a.askedMs - b.askedMs);
    const last = idle.findIndex(({bytes}) => (lacking -= bytes) <= 0);
    return last < 0 ? undefined : idle.slice(0, last + 1);
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
interface HeldEntry {
  readonly bytes: number;
  readonly askedMs: number;
  readonly drop: () => void;
}

interface DerivedEntry<V> {
  readonly value: V;
  /** Time of its newest use, and before that of its build. */
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
    return [...this.entries].map(([key, {value, askedMs}]) => ({
      bytes: value.bytes,
      askedMs,
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
    this.entries.set(key, {value, askedMs: this.options.clockMs()});
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

// Values that reports derive from published parts and answer from: postings, cells, tables. In this thread's memory alone.
//   Owns: their memory and lifetime, and when they are built. Does not own: how they are derived (funnel/, counts/, active/).
//   DI1. Parts never change: a derived value answers for exactly the parts that its owner built it from.
//   DI2. Derived values have their own budget within the room for parts, which get what the budget does not use: no scan drops
//        derived values. A value that does not fit is not kept; one that no question used for half an hour is dropped.
//   DI3. Background builds run one at a time, in slices while no report is computed, in room borrowed from parts. They leave the
//        last part of the budget to values that answers derive.

import {setImmediate as nextTurn} from 'node:timers/promises';
import {throwBroken} from '../../actors/invariant.js';
import {monotonicMs} from '../clock.js';
import type {Logger} from '../observe.js';
import {Semaphore} from '../pacing/semaphore.js';
import {TimeSlicer} from '../pacing/time-slicer.js';
import {isUnreadable} from '../parts/damage.js';
import type {PartsMemory} from '../parts/parts-memory.js';

/** Shares of the room for parts: of all values, of those that background builds keep, and of both with a build's scratch. */
const keptShare = 5 / 8;
const builtShare = 9 / 16;
const buildingShare = 11 / 16;
export const interestMs = 30 * 60_000;
/** Longest wait of a slice of background work (5 ms) for running reports: it gets a tenth of a busy thread. */
export const sliceWaitMsMax = 50;
/** Longest wait of the begin of a build, which borrows memory from parts that a running report is about to read. */
const beginWaitMsMax = 500;

/** Memory and time of one build. */
export interface Build {
  /** Whether `keptBytes`, and `passingBytes` of scratch, fit once `freedBytes` are dropped. */
  fits(keptBytes: number, passingBytes: number, freedBytes?: number): boolean;
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
  private readonly kinds: Pick<Derived<Sized>, 'bytes' | 'dropUnasked'>[] = [];
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
  kind<V extends Sized>(): Derived<V> {
    const kind = new Derived<V>(
      this.clockMs,
      (bytes) => this.hasRoom(bytes),
      () => this.giveRest(),
    );
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

  /** A build that an answer waits for. @throws MissingPart, DamagedPart */
  buildNow<T>(work: (build: Build) => Promise<T>): Promise<T> {
    return this.borrowing(new TimeSlicer(), work);
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
    const fits: Build['fits'] = (keptBytes, passingBytes, freedBytes = 0) => {
      const kept = this.bytes - freedBytes + keptBytes;
      const others = this.borrowedBytes - borrowed;
      return kept <= this.builtBytesMax && kept + others + passingBytes <= this.roomBytes * buildingShare;
    };
    try {
      return await work({fits, borrow, pause: () => slices.pause()});
    } finally {
      borrow(-borrowed);
    }
  }

  private hasRoom(bytes: number): boolean {
    return this.bytes + bytes <= this.roomBytes * keptShare;
  }

  private giveRest(): void {
    this.memory.bound(this.roomBytes - this.bytes);
  }
}

interface Sized {
  readonly bytes: number;
}

interface Entry<V> {
  readonly value: V;
  askedMs: number;
}

/** Derived values of one kind by key. */
export class Derived<V extends Sized> {
  private readonly entries = new Map<string, Entry<V>>();
  private readonly clockMs: () => number;
  /** Whether `bytes` more may be kept. DI2 */
  readonly hasRoom: (bytes: number) => boolean;
  private readonly noteChange: () => void;
  bytes = 0;

  constructor(clockMs: () => number, hasRoom: (bytes: number) => boolean, noteChange: () => void) {
    this.clockMs = clockMs;
    this.hasRoom = hasRoom;
    this.noteChange = noteChange;
  }

  get(key: string): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    entry.askedMs = this.clockMs();
    return entry.value;
  }

  /** Keeps a value if there is room for it, in place of the key's old one. DI2 */
  keep(key: string, value: V): boolean {
    this.drop(key);
    if (!this.hasRoom(value.bytes)) return false;
    this.entries.set(key, {value, askedMs: this.clockMs()});
    this.bytes += value.bytes;
    this.noteChange();
    return true;
  }

  drop(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.bytes -= entry.value.bytes;
    this.noteChange();
  }

  dropUnasked(sinceMs: number): void {
    for (const [key, {askedMs}] of this.entries) if (askedMs < sinceMs) this.drop(key);
  }
}

// What is kept in memory of parts, and of what was made out of many of them, within a bound of bytes.
//   Owns: the bound and who uses room under it. Does not own: reading the store (parts-cache.ts), what leaves when there is
//   no room (two-queues.ts).
//   M1. Several readers of a thread may share one, each with its own way to the store: what one has loaded the others have at
//       hand, and nothing is kept twice.

import type {WindowsView} from '../../actors/aggregator/windows.js';
import type {BodiesLayout} from '../../actors/chunk/bodies.js';
import type {RowsView} from '../../actors/chunk/rows.js';
import type {DayRanges} from '../../actors/report/active/day-ranges.js';
import type {CellsByName} from '../../actors/report/counts/cells-by-name.js';
import type {ValueCells} from '../../actors/report/counts/value-cells.js';
import {TwoQueues} from './two-queues.js';

/** A payload or an inflated block of one, with the views of it that were asked for; or what many payloads say, without them. */
export interface Held {
  readonly bytes: Uint8Array<ArrayBuffer>;
  rows?: RowsView;
  bodies?: BodiesLayout;
  windows?: WindowsView;
  cells?: CellsByName;
  ranges?: DayRanges;
  valueCells?: ValueCells;
  /** How often windows were scanned. */
  scans: number;
}

const noBytes = new Uint8Array(0);

export class PartsMemory {
  private readonly queues: TwoQueues<Held>;
  private boundBytes: number;
  private lentBytes = 0;
  /** Room for what is being loaded aside. */
  private reservedBytes = 0;

  constructor(bytesMax: number) {
    this.boundBytes = bytesMax;
    this.queues = new TwoQueues(bytesMax);
  }

  // -- room --

  /** Bytes kept. What is being loaded or still used by its asker is not counted: askers bound how much they load at once. */
  get bytesHeld(): number {
    return this.queues.bytes;
  }

  get bytesMax(): number {
    return this.queues.bytesMax;
  }

  /** The bound while nothing is lent. */
  get roomBytes(): number {
    return this.boundBytes;
  }

  /** Another bound from now on. */
  bound(bytesMax: number): void {
    this.boundBytes = bytesMax;
    this.makeBound();
  }

  /** So many bytes less (or more again, below 0) for what is kept: somebody works with them for a while. */
  lend(bytes: number): void {
    this.lentBytes += bytes;
    this.makeBound();
  }

  private makeBound(): void {
    this.queues.bound(Math.max(0, this.boundBytes - this.lentBytes));
  }

  // -- payloads and blocks --

  get(key: string): Held | undefined {
    return this.queues.get(key);
  }

  /** No use of it. */
  peek(key: string): Held | undefined {
    return this.queues.peek(key);
  }

  /** What is kept under the key from now on: another reader may have been sooner. */
  keep(key: string, bytes: Uint8Array<ArrayBuffer>): Held {
    const kept = this.queues.peek(key);
    if (kept !== undefined) return kept;
    const held: Held = {bytes, scans: 0};
    this.queues.add(key, held, bytes.length);
    return held;
  }

  /** What was just written under a new key, for who asks for it first. */
  keepUnasked(key: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.queues.addUnasked(key, {bytes, scans: 0}, bytes.length);
  }

  drop(key: string): void {
    this.queues.drop(key);
  }

  /** Whether so many bytes of what is derived of `held` may be kept beside it (or less of them, below 0). */
  reserve(key: string, held: Held, bytes: number): boolean {
    return this.queues.reserve(key, held, bytes);
  }

  /**
   * Loads what takes so many bytes into free room, or that of values that nobody asks for any more; undefined when there is
   * not so much. Room is taken when a load begins: several that are under way at once would each see the same.
   */
  loadAside<T>(bytes: number, load: () => Promise<T>): Promise<T> | undefined {
    if (!this.queues.dropStale(this.reservedBytes + bytes)) return undefined;
    this.reservedBytes += bytes;
    return load().finally(() => {
      this.reservedBytes -= bytes;
    });
  }

  // -- what was made out of many payloads: under keys that begin with a word that no part's key begins with --

  keptRanges(key: string): DayRanges | undefined {
    return this.queues.get(key)?.ranges;
  }

  keepRanges(key: string, ranges: DayRanges): void {
    this.queues.add(key, {bytes: noBytes, scans: 0, ranges}, ranges.bytes);
  }

  keptCells(key: string): ValueCells | undefined {
    return this.queues.get(key)?.valueCells;
  }

  /** No use of them. */
  hasCells(key: string): boolean {
    return this.queues.peek(key)?.valueCells !== undefined;
  }

  /** 0 when they left; no use of them. */
  bytesOfCells(key: string): number {
    return this.queues.peek(key)?.valueCells?.bytes ?? 0;
  }

  /** `sparedBytes`: of the parts that need not be scanned where these cells are. */
  keepCells(key: string, valueCells: ValueCells, sparedBytes: number): void {
    this.queues.addMade(key, {bytes: noBytes, scans: 0, valueCells}, valueCells.bytes, sparedBytes);
  }
}

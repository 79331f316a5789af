// The reading side of the parts store: payloads of parts, and what was worked out of them, kept within a bound of bytes.
//   Owns: reassembly, checks, coalescing. Does not own: which parts there are (manifests), who writes them, what leaves
//   when there is no room (two-queues.ts).
//   C1. A payload lies in an ArrayBuffer of its own, from its start: typed arrays over it are aligned (actors/rows.ts).
//   C2. Parts never change, and no key is used twice: nothing here is ever invalidated. (A revision is no such name: a
//       store that lost its tail in a power cut gives it again, to another part.)
//   C3. Nothing is handed out that does not have the length and the checksum that its reference names.
//   C4. A block of bodies is read out of the values that hold it, not out of the whole part: with a store far larger than
//       the cache, a page of scattered rows would otherwise read whole parts for single rows. One that is stored as it is
//       within one value is a view of that, and not kept beside it.
//   C5. What is derived from a part is made from their second use on: a part that a scan brings once, and that leaves again
//       before anybody comes back to it, is not worth the work.

import {promisify} from 'node:util';
import {crc32, gunzip} from 'node:zlib';
import {type BodiesLayout, bodiesHeadBytes, bodiesLayout, upgradedBlock} from '../../actors/bodies.js';
import {bodyBlockRows, entryBytesMax} from '../../actors/limits.js';
import type {PartRef} from '../../actors/manifest.js';
import {CellsByName} from '../../actors/report/cells-by-name.js';
import type {DayRanges} from '../../actors/report/day-ranges.js';
import {DerivedRows} from '../../actors/report/derived-rows.js';
import type {ValueCells} from '../../actors/report/value-cells.js';
import {type RowsView, upgradedRows, viewRows} from '../../actors/rows.js';
import {viewWindows, type WindowsView} from '../../actors/windows.js';
import {storedBlock} from './stored-member.js';
import {TwoQueues} from './two-queues.js';

const inflate = promisify(gunzip);

/** A block holds one body a row, each at most an entry and its length: whatever inflates to more is no block of ours. */
const bodyBlockBytesMax = bodyBlockRows * (entryBytesMax + 8);

/** What holds the values of parts. */
export interface PartValues {
  /** The value at this revision; undefined when it was swept. */
  read(revision: number): Promise<Uint8Array | undefined>;
}

/** The part was swept: whoever asked holds an old manifest and starts again on the newest one. */
export class MissingPart extends Error {
  override name = 'MissingPart';
  constructor(readonly ref: PartRef) {
    super(`part ${ref.key} at revisions ${ref.revisions.join(',')} is gone`);
  }
}

/** The stored bytes are not those that were written. */
export class DamagedPart extends Error {
  override name = 'DamagedPart';
  constructor(
    readonly ref: PartRef,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`part ${ref.key} at revisions ${ref.revisions.join(',')} is damaged: ${reason}`, options);
  }
}

/** A payload or an inflated block of one, with the views of it that were asked for; or what many payloads say, without them. */
interface Held {
  readonly bytes: Uint8Array<ArrayBuffer>;
  rows?: RowsView;
  bodies?: BodiesLayout;
  derived?: DerivedRows;
  windows?: WindowsView;
  cells?: CellsByName;
  ranges?: DayRanges;
  valueCells?: ValueCells;
  /** How often rows or cells were scanned. */
  scans: number;
}

const noBytes = new Uint8Array(0);

/** Rows for a report, with what was derived from them once that pays. C5 */
export interface ScannedRows {
  readonly rows: RowsView;
  readonly derived: DerivedRows | undefined;
}

/** Windows likewise. */
export interface ScannedWindows {
  readonly windows: WindowsView;
  readonly cells: CellsByName | undefined;
}

export class PartsCache {
  private readonly values: PartValues;
  private readonly held: TwoQueues<Held>;
  private readonly loading = new Map<string, Promise<Held>>();
  private boundBytes: number;
  private lentBytes = 0;
  /** Room for what is being loaded aside. */
  private reservedBytes = 0;

  /** `held`: what another cache keeps, which keeps bounding it (`readingWith`). */
  constructor(values: PartValues, bytesMax: number, held: TwoQueues<Held> = new TwoQueues(bytesMax)) {
    this.boundBytes = bytesMax;
    this.values = values;
    this.held = held;
  }

  /** The same memory for who reads the store in another way: what one has loaded the other has at hand. */
  readingWith(values: PartValues): PartsCache {
    return new PartsCache(values, this.boundBytes, this.held);
  }

  /** Bytes kept. What is being loaded or still used by its asker is not counted: askers bound how much they load at once. */
  get bytesHeld(): number {
    return this.held.bytes;
  }

  get bytesMax(): number {
    return this.held.bytesMax;
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
    this.held.bound(Math.max(0, this.boundBytes - this.lentBytes));
  }

  /** @throws MissingPart, DamagedPart */
  async load(ref: PartRef): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.part(ref)).bytes;
  }

  /**
   * For who copies out of it what it needs: nothing is kept, and the bytes may begin anywhere (not C1).
   * @throws MissingPart, DamagedPart
   */
  async loadUnkept(ref: PartRef): Promise<Uint8Array> {
    const values = await Promise.all(ref.revisions.map((_, i) => this.checkedValue(ref, i)));
    if (values.length > 1) return joined(ref, values);
    // No Buffer, whose slices are no copies.
    const {buffer, byteOffset, length} = values[0];
    return new Uint8Array(buffer, byteOffset, length);
  }

  async loadRows(ref: PartRef): Promise<RowsView> {
    const held = await this.rowsPart(ref);
    return (held.rows ??= viewRows(held.bytes));
  }

  /**
   * What `loadRows` brings, for work that nobody waits for and for scans of more than there is room for: it is kept in free
   * room, and in that of values that nobody asks for any more, but nothing else leaves for it. Room is taken when a load
   * begins: several that are under way at once would each see the same.
   */
  async loadRowsAside(ref: PartRef): Promise<RowsView> {
    const held = this.held.peek(ref.key);
    if (held !== undefined) return (held.rows ??= viewRows(held.bytes));
    if (this.loading.has(ref.key)) return this.loadRows(ref);
    if (!this.held.dropStale(this.reservedBytes + ref.bytes)) return viewRows(upgradedRows(await this.read(ref)));
    return this.reserving(ref, () => this.loadRows(ref));
  }

  /** Reads windows into room that is free, as `loadRowsAside` does; without such room nothing is read. */
  async readWindowsAside(ref: PartRef): Promise<void> {
    if (this.held.peek(ref.key) !== undefined || this.loading.has(ref.key)) return;
    if (this.held.dropStale(this.reservedBytes + ref.bytes)) await this.reserving(ref, () => this.loadWindows(ref));
  }

  private async reserving<T>(ref: PartRef, load: () => Promise<T>): Promise<T> {
    this.reservedBytes += ref.bytes;
    try {
      return await load();
    } finally {
      this.reservedBytes -= ref.bytes;
    }
  }

  /** What `loadRows` brings, if it is at hand. */
  heldRows(ref: PartRef): RowsView | undefined {
    const held = this.held.get(ref.key);
    return held === undefined ? undefined : (held.rows ??= viewRows(held.bytes));
  }

  /** Like `loadRows`, for a report that goes through many. */
  async scanRows(ref: PartRef): Promise<ScannedRows> {
    return this.scanned(ref, await this.rowsPart(ref));
  }

  /** What `scanRows` brings, kept as by `loadRowsAside`. */
  async scanRowsAside(ref: PartRef): Promise<ScannedRows> {
    return this.scanHeldRows(ref) ?? {rows: await this.loadRowsAside(ref), derived: undefined};
  }

  /** What `scanRows` brings, if it is at hand; a report over hundreds of parts need not wait once for each. */
  scanHeldRows(ref: PartRef): ScannedRows | undefined {
    const held = this.held.get(ref.key);
    return held === undefined ? undefined : this.scanned(ref, held);
  }

  private scanned(ref: PartRef, held: Held): ScannedRows {
    const rows = (held.rows ??= viewRows(held.bytes));
    held.scans += 1;
    if (held.scans > 1) held.derived ??= new DerivedRows(rows, (bytes) => this.held.reserve(ref.key, held, bytes)); // C5
    return {rows, derived: held.derived};
  }

  async loadWindows(ref: PartRef): Promise<WindowsView> {
    const held = await this.part(ref);
    return (held.windows ??= viewWindows(held.bytes));
  }

  /** Like `loadWindows`, for counts of one name. */
  async scanWindows(ref: PartRef): Promise<ScannedWindows> {
    return this.scannedWindows(ref, await this.part(ref));
  }

  /** What `scanWindows` brings, if it is at hand. */
  scanHeldWindows(ref: PartRef): ScannedWindows | undefined {
    const held = this.held.get(ref.key);
    return held === undefined ? undefined : this.scannedWindows(ref, held);
  }

  private scannedWindows(ref: PartRef, held: Held): ScannedWindows {
    const windows = (held.windows ??= viewWindows(held.bytes));
    held.scans += 1;
    const isDue = held.scans > 1 && held.cells === undefined; // C5
    if (isDue && this.held.reserve(ref.key, held, CellsByName.bytesFor(windows))) held.cells = new CellsByName(windows);
    return {windows, cells: held.cells};
  }

  /** What was kept under a key of the caller's, which begins with a word that no part's key begins with. */
  keptRanges(key: string): DayRanges | undefined {
    return this.held.get(key)?.ranges;
  }

  keepRanges(key: string, ranges: DayRanges): void {
    this.held.add(key, {bytes: noBytes, scans: 0, ranges}, ranges.bytes);
  }

  keptCells(key: string): ValueCells | undefined {
    return this.held.get(key)?.valueCells;
  }

  /** No use of them. */
  hasCells(key: string): boolean {
    return this.held.peek(key)?.valueCells !== undefined;
  }

  /** 0 when they left; no use of them. */
  bytesOfCells(key: string): number {
    return this.held.peek(key)?.valueCells?.bytes ?? 0;
  }

  /** `sparedBytes`: of the parts that need not be scanned where these cells are. */
  keepCells(key: string, valueCells: ValueCells, sparedBytes: number): void {
    this.held.addMade(key, {bytes: noBytes, scans: 0, valueCells}, valueCells.bytes, sparedBytes);
  }

  dropKept(key: string): void {
    this.held.drop(key);
  }

  /** How many blocks a bodies part has. */
  async bodyBlocks(ref: PartRef): Promise<number> {
    return (await this.bodiesLayout(ref)).starts.length;
  }

  /** What every block of a bodies part is read out of. */
  async loadBodies(ref: PartRef): Promise<void> {
    await Promise.all(ref.revisions.map((_, i) => this.value(ref, i)));
  }

  /** One block of a bodies part, inflated (actors/bodies.ts). C4 */
  async loadBodyBlock(ref: PartRef, block: number): Promise<Uint8Array> {
    const kept = this.held.get(blockKey(ref, block));
    if (kept !== undefined) return kept.bytes;
    const {isUpgradeDue, starts, ends} = await this.bodiesLayout(ref);
    if (block >= starts.length) throw new DamagedPart(ref, `it has no block ${block}`);
    const member = await this.range(ref, starts[block], ends[block]);
    const stored = isUpgradeDue ? undefined : storedBlock(member);
    if (stored !== undefined) return stored; // C4
    return (await this.once(blockKey(ref, block), () => inflateBlock(ref, block, {member, isUpgradeDue}))).bytes;
  }

  /** What `loadBodyBlock` brings, if it is at hand. */
  heldBodyBlock(ref: PartRef, block: number): Uint8Array | undefined {
    return this.held.get(blockKey(ref, block))?.bytes ?? this.heldStoredBlock(ref, block);
  }

  private heldStoredBlock(ref: PartRef, block: number): Uint8Array | undefined {
    const head = this.held.get(bodiesHeadKey(ref));
    if (head === undefined) return undefined;
    const {isUpgradeDue, starts, ends} = (head.bodies ??= bodiesLayout(head.bytes));
    if (isUpgradeDue || block >= starts.length) return undefined;
    const i = Math.floor(starts[block] / ref.valueBytes);
    const value = this.held.get(valueKey(ref, i))?.bytes;
    const start = starts[block] - i * ref.valueBytes;
    const end = ends[block] - i * ref.valueBytes;
    return value === undefined || end > value.length ? undefined : storedBlock(value.subarray(start, end));
  }

  private async bodiesLayout(ref: PartRef): Promise<BodiesLayout> {
    const load = async () => {
      const value = await this.value(ref, 0);
      return value.slice(0, Math.min(value.length, bodiesHeadBytes(value)));
    };
    const head = ref.revisions.length === 1 ? await this.part(ref) : await this.once(bodiesHeadKey(ref), load);
    return (head.bodies ??= bodiesLayout(head.bytes));
  }

  /** Bytes [start, end) of a payload, out of those of its values that hold them. */
  private async range(ref: PartRef, start: number, end: number): Promise<Uint8Array> {
    const {valueBytes} = ref;
    const first = Math.floor(start / valueBytes);
    const last = Math.floor(Math.max(start, end - 1) / valueBytes);
    if (first === last)
      return (await this.value(ref, first)).subarray(start - first * valueBytes, end - first * valueBytes);
    const range = new Uint8Array(end - start);
    for (let i = first; i <= last; i++) {
      const from = Math.max(start, i * valueBytes);
      const value = await this.value(ref, i);
      range.set(value.subarray(from - i * valueBytes, Math.max(0, end - i * valueBytes)), from - start);
    }
    return range;
  }

  private async value(ref: PartRef, i: number): Promise<Uint8Array<ArrayBuffer>> {
    if (i >= ref.revisions.length) throw new DamagedPart(ref, `it has no value ${i}`);
    return (await this.once(valueKey(ref, i), () => this.readValue(ref, i))).bytes;
  }

  private part(ref: PartRef): Promise<Held> {
    return this.once(ref.key, () => this.read(ref));
  }

  /** Kept in the narrowest version, whichever the store has. */
  private rowsPart(ref: PartRef): Promise<Held> {
    return this.once(ref.key, async () => upgradedRows(await this.read(ref)));
  }

  /** What is held under `key`, or what `load` brings; many askers at once share one load. */
  private async once(key: string, load: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Held> {
    const held = this.held.get(key);
    if (held !== undefined) return held;
    const started = this.loading.get(key);
    if (started !== undefined) return started;
    const loading = load().then((bytes) => this.keep(key, {bytes, scans: 0}));
    this.loading.set(key, loading);
    try {
      return await loading;
    } finally {
      this.loading.delete(key);
    }
  }

  /** Whoever reads in another way may have been sooner. */
  private keep(key: string, held: Held): Held {
    const kept = this.held.peek(key);
    if (kept !== undefined) return kept;
    this.held.add(key, held, held.bytes.length);
    return held;
  }

  private async read(ref: PartRef): Promise<Uint8Array<ArrayBuffer>> {
    const values = await Promise.all(ref.revisions.map((_, i) => this.readValue(ref, i)));
    return values.length === 1 ? values[0] : joined(ref, values);
  }

  /** C1 */
  private async readValue(ref: PartRef, i: number): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.checkedValue(ref, i));
  }

  /** C3 */
  private async checkedValue(ref: PartRef, i: number): Promise<Uint8Array> {
    const value = await this.values.read(ref.revisions[i]);
    if (value === undefined) throw new MissingPart(ref);
    const expected = Math.min(ref.valueBytes, ref.bytes - i * ref.valueBytes);
    if (value.length !== expected) throw new DamagedPart(ref, `value ${i} has ${value.length} of ${expected} bytes`);
    if (crc32(value) !== ref.crcs[i]) throw new DamagedPart(ref, `the checksum of value ${i} differs`);
    return value;
  }
}

/** C1 */
function joined(ref: PartRef, values: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const payload = new Uint8Array(ref.bytes);
  for (const [i, value] of values.entries()) payload.set(value, i * ref.valueBytes);
  return payload;
}

async function inflateBlock(
  ref: PartRef,
  block: number,
  {member, isUpgradeDue}: {readonly member: Uint8Array; readonly isUpgradeDue: boolean},
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const inflated = await inflate(member, {maxOutputLength: bodyBlockBytesMax});
    // A copy: zlib answers with a slice of a buffer that may be much larger, and the bound counts what is kept.
    return isUpgradeDue ? upgradedBlock(inflated) : new Uint8Array(inflated);
  } catch (cause) {
    throw new DamagedPart(ref, `block ${block} does not inflate`, {cause});
  }
}

const blockKey = (ref: PartRef, block: number): string => `${ref.key}/${block}`;
/** The one value of a part is all of it. */
const valueKey = (ref: PartRef, i: number): string => (ref.revisions.length === 1 ? ref.key : `${ref.key}/value ${i}`);
const bodiesHeadKey = (ref: PartRef): string => (ref.revisions.length === 1 ? ref.key : `${ref.key}/head`);

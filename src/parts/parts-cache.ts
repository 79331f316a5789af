// The reading side of the parts store: caches payloads of parts and the views of them.
//   Owns: loading, views, one load for many callers. Does not own: which parts there are (manifests), writing, checks
//   (stored-parts.ts), how much is cached (parts-memory.ts).
//   PC1. Parts never change, and no key is used twice, so no entry is ever out of date. (A revision is no such name: a store
//       that lost its tail in a power cut gives it to another part.)
//   PC2. A block of bodies is read from the values that hold it, not from the whole part: a page of scattered rows would
//       otherwise read whole parts for single rows. A block that is stored uncompressed within one value is a view of that
//       value, and not cached beside it.

import {viewWindows, type WindowsView} from '../../actors/aggregator/windows.js';
import {type BodiesLayout, bodiesHeadBytes, bodiesLayout} from '../../actors/chunk/bodies.js';
import type {NamedRows} from '../../actors/chunk/named-rows.js';
import {type IsWanted, type SomeColumns, someColumns} from '../../actors/chunk/property-columns.js';
import type {PartRef} from '../../actors/manifest.js';
import {inflatedBlock} from './bodies-part.js';
import {type Caching, rowsReader, wholeRowsReader} from './chunk-reader.js';
import {type Cached, PartsMemory} from './parts-memory.js';
import {storedBlock} from './stored-member.js';
import {DamagedPart, type PartValues, StoredParts} from './stored-parts.js';

/** How live reads read a part. PC2 */
export type PartReading = 'whole' | 'by blocks';

/** How the bytes of a kind of parts are viewed. */
type View<V> = (bytes: Uint8Array<ArrayBuffer>) => V;

export class PartsCache {
  private readonly stored: StoredParts;
  readonly memory: PartsMemory;
  readonly rows = rowsReader(this);
  readonly wholeRows = wholeRowsReader(this);
  private readonly loading = new Map<string, Promise<Cached>>();

  /** `memory`: a bound of its own memory, or the memory of another reader (parts-memory.ts PM1). */
  constructor(values: PartValues, memory: number | PartsMemory) {
    this.stored = new StoredParts(values);
    this.memory = typeof memory === 'number' ? new PartsMemory(memory) : memory;
  }

  /** @throws MissingPart, DamagedPart */
  async load(ref: PartRef): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.part(ref)).bytes;
  }

  /**
   * A payload that the caller copies from, once: it is not cached, and its bytes may begin anywhere (not SP1 of
   * stored-parts.ts). Not for rows, which are viewed in place.
   * @throws MissingPart, DamagedPart
   */
  async loadUncached(ref: PartRef): Promise<Uint8Array> {
    return this.memory.peek(ref.key)?.bytes ?? this.stored.readLoose(ref);
  }

  async loadWindows(ref: PartRef): Promise<WindowsView> {
    return this.loadView(ref, viewWindows);
  }

  /** Cached windows. */
  heldWindows(ref: PartRef): WindowsView | undefined {
    return this.heldView(ref, viewWindows);
  }

  /** @throws MissingPart, DamagedPart */
  async loadView<V>(ref: PartRef, view: View<V>, caching: Caching = 'keep'): Promise<V> {
    if (caching === 'keep') return viewOf(await this.part(ref), view);
    const held = this.memory.peek(ref.key) ?? (await this.loading.get(ref.key));
    return held === undefined ? view(await this.stored.read(ref)) : viewOf(held, view);
  }

  /** The view of a cached part. */
  heldView<V>(ref: PartRef, view: View<V>): V | undefined {
    const held = this.memory.get(ref.key);
    return held && viewOf(held, view);
  }

  // -- columns of properties, cached in place of the part --

  heldColumns(properties: PartRef): SomeColumns | undefined {
    return this.memory.get(columnsKey(properties))?.view as SomeColumns | undefined;
  }

  /** Bytes of the cached columns. */
  columnBytes(properties: PartRef): number | undefined {
    return this.memory.peek(columnsKey(properties))?.bytes.length;
  }

  /** Reads columns of a part, and caches them in place of those that are cached. @throws MissingPart, DamagedPart */
  async loadColumns(properties: PartRef, isWanted: IsWanted): Promise<SomeColumns> {
    const part = this.memory.peek(properties.key)?.bytes ?? (await this.stored.read(properties));
    const columns = someColumns(part, isWanted);
    const key = columnsKey(properties);
    this.memory.drop(key);
    this.memory.keep(key, columns.bytes).view = columns;
    return columns;
  }

  // -- rows of some names, cached in place of the part --

  heldNamedRows(rows: PartRef): NamedRows | undefined {
    return this.memory.get(namedRowsKey(rows))?.view as NamedRows | undefined;
  }

  /** Caches rows of names in place of those that are cached. */
  keepNamedRows(rows: PartRef, named: NamedRows): void {
    const key = namedRowsKey(rows);
    this.memory.drop(key);
    this.memory.keep(key, named.bytes).view = named;
  }

  /** Caches a part that was just put, so that its first reader need not load it. */
  addWritten(ref: PartRef, payload: Uint8Array, reading: PartReading): void {
    if (isOneValue(ref) || reading === 'whole') {
      this.memory.keepUnasked(ref.key, ownBytes(payload));
      return;
    }
    const {valueBytes} = ref;
    for (const [i] of ref.revisions.entries())
      this.memory.keepUnasked(valueKey(ref, i), new Uint8Array(payload.subarray(i * valueBytes, (i + 1) * valueBytes)));
  }

  /** Drops a part that no manifest names any more. Blocks whose head left before stay, and age. */
  forget(ref: PartRef): void {
    const view = this.memory.peek(bodiesHeadKey(ref))?.view;
    const blocks = isLayout(view) ? view.starts.length : 0;
    for (let block = 0; block < blocks; block++) this.memory.drop(blockKey(ref, block));
    for (const [i] of ref.revisions.entries()) this.memory.drop(valueKey(ref, i));
    this.memory.drop(bodiesHeadKey(ref));
    this.memory.drop(columnsKey(ref));
    this.memory.drop(namedRowsKey(ref));
    this.memory.drop(ref.key);
  }

  /** Number of blocks of a bodies part. */
  async bodyBlocks(ref: PartRef): Promise<number> {
    return layoutOf(await this.bodiesHead(ref)).starts.length;
  }

  /** Loads all values of a bodies part, and opens the blocks that span two of them. */
  async loadBodies(ref: PartRef): Promise<void> {
    await Promise.all(ref.revisions.map((_, i) => this.value(ref, i)));
    const {starts, ends} = layoutOf(await this.bodiesHead(ref));
    for (let block = 0; block < starts.length; block++) {
      if (valueAt(ref, starts[block], ends[block]) === undefined) await this.loadBodyBlock(ref, block);
    }
  }

  /** One block of a bodies part, inflated (actors/chunk/bodies.ts). PC2 */
  async loadBodyBlock(ref: PartRef, block: number): Promise<Uint8Array> {
    const kept = this.memory.get(blockKey(ref, block));
    if (kept !== undefined) return kept.bytes;
    const head = await this.bodiesHead(ref);
    const layout = layoutOf(head);
    const start = layout.starts[block];
    const end = layout.ends[block];
    if (start === undefined || end === undefined) throw new DamagedPart(ref, `it has no block ${block}`);
    const member = isOneValue(ref) ? head.bytes.subarray(start, end) : await this.range(ref, start, end);
    const viewed = storedBlock(member);
    if (viewed !== undefined && valueAt(ref, start, end) !== undefined) return viewed;
    const open = async () => viewed ?? inflatedBlock(ref, block, member);
    return (await this.once(blockKey(ref, block), open)).bytes;
  }

  /** A block of a bodies part, if it is cached. */
  heldBodyBlock(ref: PartRef, block: number): Uint8Array | undefined {
    return this.memory.get(blockKey(ref, block))?.bytes ?? this.heldViewedBlock(ref, block);
  }

  private heldViewedBlock(ref: PartRef, block: number): Uint8Array | undefined {
    const head = this.memory.get(bodiesHeadKey(ref));
    if (head === undefined) return undefined;
    const layout = layoutOf(head);
    const start = layout.starts[block] ?? Infinity;
    const end = layout.ends[block] ?? Infinity;
    const i = valueAt(ref, start, end);
    const value = i === undefined ? undefined : this.memory.get(valueKey(ref, i))?.bytes;
    if (i === undefined || value === undefined) return undefined;
    return storedBlock(value.subarray(start - i * ref.valueBytes, end - i * ref.valueBytes));
  }

  private async bodiesHead(ref: PartRef): Promise<Cached> {
    if (isOneValue(ref)) return this.part(ref);
    return this.once(bodiesHeadKey(ref), async () => {
      const value = await this.value(ref, 0);
      return value.slice(0, Math.min(value.length, bodiesHeadBytes(value)));
    });
  }

  /** Bytes [start, end) of a payload: a view of the value that holds them, or a copy from several values. */
  private async range(ref: PartRef, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    const {valueBytes} = ref;
    const one = valueAt(ref, start, end);
    if (one !== undefined)
      return (await this.value(ref, one)).subarray(start - one * valueBytes, end - one * valueBytes);
    const range = new Uint8Array(end - start);
    for (let i = Math.floor(start / valueBytes); i * valueBytes < end; i++) {
      const from = Math.max(start, i * valueBytes);
      const value = await this.value(ref, i);
      range.set(value.subarray(from - i * valueBytes, Math.max(0, end - i * valueBytes)), from - start);
    }
    return range;
  }

  private async value(ref: PartRef, i: number): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.once(valueKey(ref, i), () => this.stored.readValue(ref, i))).bytes;
  }

  private part(ref: PartRef): Promise<Cached> {
    return this.once(ref.key, () => this.stored.read(ref));
  }

  /** The entry under `key`, loaded if it is not cached. Callers at the same time share one load. */
  private async once(key: string, load: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Cached> {
    const held = this.memory.get(key);
    if (held !== undefined) return held;
    const started = this.loading.get(key);
    if (started !== undefined) return started;
    const loading = load().then((bytes) => this.memory.keep(key, bytes));
    this.loading.set(key, loading);
    try {
      return await loading;
    } finally {
      this.loading.delete(key);
    }
  }
}

/** Copies payloads that are a piece of a larger buffer, which would stay in memory with them. */
const ownBytes = (payload: Uint8Array): Uint8Array<ArrayBuffer> =>
  payload.buffer instanceof ArrayBuffer && payload.byteLength === payload.buffer.byteLength
    ? (payload as Uint8Array<ArrayBuffer>)
    : new Uint8Array(payload);

function viewOf<V>(cached: Cached, view: View<V>): V {
  return (cached.view ??= view(cached.bytes)) as V;
}

const layoutOf = (head: Cached): BodiesLayout => viewOf(head, bodiesLayout);

/** Tells a layout from the other views that parts have. */
const isLayout = (view: unknown): view is BodiesLayout => typeof view === 'object' && view !== null && 'starts' in view;

const isOneValue = (ref: PartRef): boolean => ref.revisions.length === 1;

/** Index of the value that holds bytes [start, end) of a payload; undefined when several do. */
function valueAt({valueBytes}: PartRef, start: number, end: number): number | undefined {
  const i = Math.floor(start / valueBytes);
  return end <= (i + 1) * valueBytes ? i : undefined;
}

const namedRowsKey = ({key}: PartRef): string => `${key}/named rows`;
const columnsKey = ({key}: PartRef): string => `${key}/columns`;
const blockKey = (ref: PartRef, block: number): string => `${ref.key}/${block}`;
/** The one value of a part is all of it. */
const valueKey = (ref: PartRef, i: number): string => (isOneValue(ref) ? ref.key : `${ref.key}/value ${i}`);
const bodiesHeadKey = (ref: PartRef): string => (isOneValue(ref) ? ref.key : `${ref.key}/head`);

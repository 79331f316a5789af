// One page of an export: the next events in the order of their places, as GET /v1/events shows them.
//   EX1. Pages of one export are of several snapshots. Together they are the events that the first page's snapshots have, without
//        those that were erased before their page. The ordinals of these events are below the bounds of the first page, wherever
//        an event moved in between (event-places.ts EP1).
//   EX2. Chunks are read by their oldest times, until none can have an event that belongs on the page.
import {ByteWriter, readWtf8} from '../../../actors/bytes/bytes.js';
import {ascii, writeBytes} from '../../../actors/bytes/json-bytes.js';
import {BodyBlock} from '../../../actors/chunk/bodies.js';
import {EventTexts} from '../../../actors/chunk/event-texts.js';
import {timeOf} from '../../../actors/chunk/rows.js';
import type {ChunkEntry} from '../../../actors/manifest.js';
import {type EventId, type EventPlace, FirstPlaces, RowIds} from '../../../actors/report/rows/event-places.js';
import type {ExportQuery} from '../../asks/exports.js';
import {Lines} from '../operators/lines.js';
import {readKeys} from '../operators/user-keys.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {foldBodies, RowScan} from '../row-scan.js';

export interface ExportedPage {
  /** Texts of events, a line each. */
  readonly lines: Uint8Array<ArrayBuffer>;
  /** Number of lines. */
  readonly events: number;
  /** Start of the next page; undefined after the last one. */
  readonly next?: NonNullable<ExportQuery['start']>;
}

/** Bytes of a short event: some take 300, and a page that its bytes cut off has read some rows in vain. */
const eventBytes = 256;

const newline = 0x0a;
const quote = 0x22;
const openBrace = ascii('{');
/** Place of the id in a text without its first brace. */
const idStart = '"id":"'.length;

/** The page after the query's start or id; undefined if no event has the id. @throws MissingPart, DamagedPart */
export async function exportedPage(
  reading: Reading,
  query: ExportQuery,
  snapshots: readonly PartitionSnapshot[],
): Promise<ExportedPage | undefined> {
  const after = query.start?.after ?? (query.afterId && (await placeOf(reading, query.afterId, snapshots)));
  if (query.afterId !== undefined && after === undefined) return undefined;
  const ordinalEnds = query.start?.ordinalEnds ?? snapshots.map(({index}) => index.nextOrdinal); // EX1
  const rowsMax = Math.max(1, Math.ceil(query.bytesMax / eventBytes));
  const rows = await firstRows(reading, query, snapshots, after, {ordinalEnds, rowsMax});
  const texts = await eventsOf(reading, rows);
  const lines = new Lines({bytesMax: query.bytesMax, separator: newline});
  let shown = 0;
  while (shown < rows.length && (!texts.copy(shown, lines.writer) || lines.end())) shown += 1;
  const page = {lines: lines.finish(), events: lines.count};
  const last = rows[shown - 1];
  const isLast = rows.length < rowsMax && shown === rows.length;
  if (isLast || last === undefined) return page;
  const {timeMs, partition, ordinal} = last;
  return {...page, next: {after: {timeMs, partition, ordinal}, ordinalEnds}};
}

// -- rows --

interface ExportedRow extends EventPlace, ShownRow {}

interface Bounds {
  /** Ordinal after the export's last row, per partition. EX1 */
  readonly ordinalEnds: readonly number[];
  readonly rowsMax: number;
}

async function firstRows(
  reading: Reading,
  {event, where, fromMs, toMs}: ExportQuery,
  snapshots: readonly PartitionSnapshot[],
  after: EventPlace | undefined,
  {ordinalEnds, rowsMax}: Bounds,
): Promise<readonly ExportedRow[]> {
  const stretch = {startMs: Math.max(fromMs, after?.timeMs ?? fromMs), lastMs: toMs};
  const scan = new RowScan(reading, {stretch, selectors: [event === undefined ? {where} : {event, where}]});
  const first = new FirstPlaces<ExportedRow>(rowsMax, after);
  const chunks = snapshots.flatMap((snapshot) => scan.chunks(snapshot).map((chunk) => ({snapshot, chunk})));
  chunks.sort((a, b) => a.chunk.minTimeMs - b.chunk.minTimeMs); // EX2
  for (const {snapshot, chunk} of chunks) {
    if (!first.wants(chunk.minTimeMs)) break;
    const {partition} = snapshot.manifest;
    const ids = new RowIds(partition);
    const [rows, [chosen]] = await scan.wholeChunk(snapshot, chunk);
    const of: StoredChunk = {snapshot, chunk};
    ids.open(rows);
    for (let at = 0, end = 0; at < chosen!.length; at = end) {
      while (end < Math.min(at + rowsMax, chosen!.length) && first.wants(timeOf(rows, chosen![end]!))) end += 1;
      if (end === at) break;
      const some = chosen!.subarray(at, end);
      await readIds(reading, chunk, ids, some);
      for (const row of some) {
        const {partition, ordinal} = ids.idOf(row);
        if (ordinal >= (ordinalEnds[partition] ?? 0)) continue; // EX1
        const user = rows.users[row]!;
        first.add({timeMs: timeOf(rows, row), partition, ordinal, of, row, user});
      }
    }
  }
  return first.finish();
}

async function readIds(reading: Reading, chunk: ChunkEntry, ids: RowIds, rows: Uint16Array): Promise<void> {
  const unsure = rows.filter((row) => ids.isUnsure(row)).sort();
  await foldBodies(reading, chunk, unsure, (block, inBlock) => ids.addBodies(block, inBlock));
}

/** The place of the event with this id; undefined where there is none. */
async function placeOf(
  reading: Reading,
  id: EventId,
  snapshots: readonly PartitionSnapshot[],
): Promise<EventPlace | undefined> {
  const home = snapshots.find(({manifest}) => manifest.partition === id.partition);
  const timeMs = home && (await timeOfRow(reading, home, id.ordinal));
  if (timeMs !== undefined) return {timeMs, ...id};
  // Its partition has no such row: the event moved, or was erased.
  const scan = new RowScan(reading, {
    stretch: {startMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY},
    selectors: [{}],
  });
  for (const snapshot of snapshots) {
    const ids = new RowIds(snapshot.manifest.partition);
    for await (const [chunk, rows, [chosen]] of scan.wholeRows(snapshot)) {
      ids.open(rows);
      await readIds(reading, chunk, ids, chosen!);
      for (const row of chosen!) {
        const {partition, ordinal} = ids.idOf(row);
        if (partition === id.partition && ordinal === id.ordinal) return {timeMs: timeOf(rows, row), ...id};
      }
    }
  }
  return undefined;
}

/** Time of a row, even if its user left; undefined: the row is erased, or has expired. */
async function timeOfRow(
  {scan}: Reading,
  {index, leftOut}: PartitionSnapshot,
  ordinal: number,
): Promise<number | undefined> {
  const chunk = index.chunks.find(({baseOrdinal, count}) => baseOrdinal <= ordinal && ordinal < baseOrdinal + count);
  if (chunk === undefined || chunk.live === 0) return undefined;
  for await (const rows of scan.rows([chunk], leftOut.users)) {
    const row = ordinal - rows.baseOrdinal;
    const timeMs = timeOf(rows, row);
    return rows.users[row] === rows.noUser || timeMs < chunk.keptFromMs ? undefined : timeMs;
  }
  return undefined;
}

// -- events --

interface StoredChunk {
  readonly snapshot: PartitionSnapshot;
  readonly chunk: ChunkEntry;
}

/** A row whose event is shown. */
export interface ShownRow {
  readonly of: StoredChunk;
  readonly row: number;
  /** Index in the partition. */
  readonly user: number;
}

/**
 * Texts of rows, each without its first brace. They are written chunk by chunk, so that one chunk is held at a time, and copied
 * in the order in which they are shown.
 */
class ShownTexts {
  readonly writer: ByteWriter;
  private readonly starts: Uint32Array;
  /** 0 where the row was erased. */
  private readonly ends: Uint32Array;

  constructor(count: number) {
    this.writer = new ByteWriter((count + 1) * eventBytes);
    this.starts = new Uint32Array(count);
    this.ends = new Uint32Array(count);
  }

  /** Writes the text of the shown row with this number. */
  add(i: number, texts: EventTexts, row: number, ordinal: number): void {
    const {writer} = this;
    this.starts[i] = writer.position;
    if (texts.write(row, ordinal, writer)) this.ends[i] = writer.position;
  }

  /** Id of the event of the shown row with this number; undefined: the row was erased. */
  id(i: number): string | undefined {
    if (this.ends[i] === 0) return undefined;
    const {bytes} = this.writer;
    const start = this.starts[i]! + idStart;
    return readWtf8(bytes, start, bytes.indexOf(quote, start));
  }

  /** Appends the text of the shown row with this number, after `head`. False: the row was erased. */
  copy(i: number, to: ByteWriter, head = openBrace): boolean {
    const end = this.ends[i]!;
    if (end === 0) return false;
    writeBytes(to, head);
    to.raw(this.writer.bytes, this.starts[i]!, end);
    return true;
  }
}

/** Texts of these rows as GET /v1/events shows them. @throws MissingPart, DamagedPart */
export async function eventsOf(reading: Reading, shown: readonly ShownRow[]): Promise<ShownTexts> {
  const texts = new ShownTexts(shown.length);
  for (const [snapshot, ofSnapshot] of grouped(shown.keys(), (i) => shown[i]!.of.snapshot)) {
    const {names, manifest, leftOut} = snapshot;
    const users = await readKeys(
      reading.scan,
      snapshot,
      ofSnapshot.map((i) => shown[i]!.user),
    );
    const ofRows = new EventTexts(manifest.partition, users, names);
    const byChunk = grouped(ofSnapshot, (i) => shown[i]!.of.chunk);
    for await (const [chunk, rows] of reading.scan.wholeRows([...byChunk.keys()], leftOut.users)) {
      const ascending = byChunk.get(chunk)!.sort((a, b) => shown[a]!.row - shown[b]!.row);
      const wanted = Uint16Array.from(ascending, (i) => shown[i]!.row);
      await foldBodies(reading, chunk, wanted, (block, inBlock, before) => {
        ofRows.open(new BodyBlock(block, rows));
        for (let at = 0; at < inBlock.length; at++)
          texts.add(ascending[before + at]!, ofRows, inBlock[at]!, rows.baseOrdinal + inBlock[at]!);
      });
    }
  }
  return texts;
}

function grouped<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

// One page of an export: the next events in the order of their places, as GET /v1/events shows them.
//   EX1. Pages of one export are of several snapshots. Together they are the events that the first page's snapshots have, without
//        those that were erased before their page. The ordinals of these events are below the bounds of the first page, wherever
//        an event moved in between (event-places.ts EP1).
//   EX2. Chunks are read by their oldest times, until none can have an event that belongs on the page.
import type {ByteWriter} from '../../../actors/bytes/bytes.js';
import {BodyBlock, type WrittenKeys} from '../../../actors/chunk/bodies.js';
import {EventTexts} from '../../../actors/chunk/event-texts.js';
import {timeOf} from '../../../actors/chunk/rows.js';
import {must} from '../../../actors/invariant.js';
import type {ChunkEntry} from '../../../actors/manifest.js';
import {type EventId, type EventPlace, FirstPlaces, RowIds} from '../../../actors/report/rows/event-places.js';
import type {ExportQuery} from '../../asks/exports.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {foldBodies, type RowReading, RowScan} from './row-scan.js';
import {userKeyBytes} from './user-keys.js';

export interface ExportedPage {
  readonly events: readonly string[];
  /** Start of the next page; undefined after the last one. */
  readonly next?: NonNullable<ExportQuery['start']>;
}

/** Bytes of a short event: some take 300, and a page that its bytes cut off has read some rows in vain. */
const eventBytes = 256;

/** The page after the query's start or id; undefined if no event has the id. @throws MissingPart, DamagedPart */
export async function exportedPage(
  reading: RowReading,
  query: ExportQuery,
  snapshots: readonly PartitionSnapshot[],
): Promise<ExportedPage | undefined> {
  const after = query.start?.after ?? (query.afterId && (await placeOf(reading, query.afterId, snapshots)));
  if (query.afterId !== undefined && after === undefined) return undefined;
  const ordinalEnds = query.start?.ordinalEnds ?? snapshots.map(({index}) => index.nextOrdinal); // EX1
  const rowsMax = Math.max(1, Math.ceil(query.bytesMax / eventBytes));
  const rows = await firstRows(reading, query, snapshots, after, {ordinalEnds, rowsMax});
  const texts = await eventsOf(reading, rows);
  const events: string[] = [];
  let bytes = 0;
  let last: EventPlace | undefined;
  for (const row of rows) {
    const text = texts.get(row);
    const ofText = text === undefined ? 0 : Buffer.byteLength(text) + 1;
    if (events.length > 0 && bytes + ofText > query.bytesMax) break;
    bytes += ofText;
    if (text !== undefined) events.push(text);
    last = row;
  }
  const isLast = rows.length < rowsMax && last === rows.at(-1);
  if (isLast || last === undefined) return {events};
  const {timeMs, partition, ordinal} = last;
  return {events, next: {after: {timeMs, partition, ordinal}, ordinalEnds}};
}

// -- rows --

interface FoundRow extends EventPlace {
  readonly snapshot: PartitionSnapshot;
  readonly chunk: ChunkEntry;
  readonly row: number;
  readonly user: number;
}

interface Bounds {
  /** Ordinal after the export's last row, per partition. EX1 */
  readonly ordinalEnds: readonly number[];
  readonly rowsMax: number;
}

async function firstRows(
  reading: RowReading,
  {event, where, fromMs, toMs}: ExportQuery,
  snapshots: readonly PartitionSnapshot[],
  after: EventPlace | undefined,
  {ordinalEnds, rowsMax}: Bounds,
): Promise<readonly FoundRow[]> {
  const stretch = {startMs: Math.max(fromMs, after?.timeMs ?? fromMs), lastMs: toMs};
  const scan = new RowScan(reading, {stretch, selectors: [event === undefined ? {where} : {event, where}]});
  const first = new FirstPlaces<FoundRow>(rowsMax, after);
  const chunks = snapshots.flatMap((snapshot) => scan.chunks(snapshot).map((chunk) => ({snapshot, chunk})));
  chunks.sort((a, b) => a.chunk.minTimeMs - b.chunk.minTimeMs); // EX2
  for (const {snapshot, chunk} of chunks) {
    if (!first.wants(chunk.minTimeMs)) break;
    const {partition} = snapshot.manifest;
    const ids = new RowIds(partition);
    const [rows, [chosen]] = await scan.wholeChunk(snapshot, chunk);
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
        first.add({timeMs: timeOf(rows, row), partition, ordinal, snapshot, chunk, row, user});
      }
    }
  }
  return first.finish();
}

async function readIds(reading: RowReading, chunk: ChunkEntry, ids: RowIds, rows: Uint16Array): Promise<void> {
  const unsure = rows.filter((row) => ids.isUnsure(row)).sort();
  await foldBodies(reading, chunk, unsure, (block, inBlock) => ids.addBodies(block, inBlock));
}

/** The place of the event with this id; undefined where there is none. */
async function placeOf(
  reading: RowReading,
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

/** Time of a row, even if its user left; undefined: the row is erased. */
async function timeOfRow(
  {scan}: RowReading,
  {index, leftOut}: PartitionSnapshot,
  ordinal: number,
): Promise<number | undefined> {
  const chunk = index.chunks.find(({baseOrdinal, count}) => baseOrdinal <= ordinal && ordinal < baseOrdinal + count);
  if (chunk === undefined) return undefined;
  for await (const rows of scan.rows([chunk], leftOut.users)) {
    const row = ordinal - rows.baseOrdinal;
    return rows.users[row] === rows.noUser ? undefined : timeOf(rows, row);
  }
  return undefined;
}

// -- events --

/** A row whose event is shown. */
type ShownRow = Omit<FoundRow, keyof EventPlace>;

/** JSON texts as GET /v1/events shows them. */
export async function eventsOf<Row extends ShownRow>(
  reading: RowReading,
  found: readonly Row[],
): Promise<Map<Row, string>> {
  const texts = new Map<Row, string>();
  for (const [snapshot, ofSnapshot] of groupedBy(found, ({snapshot}) => snapshot)) {
    const {names, manifest, leftOut} = snapshot;
    const users = await keysOf(reading, snapshot, ofSnapshot);
    const byChunk = groupedBy(ofSnapshot, ({chunk}) => chunk);
    for await (const [chunk, rows] of reading.scan.wholeRows([...byChunk.keys()], leftOut.users)) {
      const byRow = new Map(byChunk.get(chunk)!.map((one) => [one.row, one]));
      const wanted = Uint16Array.from(byRow.keys()).sort();
      await foldBodies(reading, chunk, wanted, (block, inBlock) => {
        const ofBlock = new EventTexts(new BodyBlock(block, rows), users, names, manifest.partition);
        for (const row of inBlock) {
          const text = ofBlock.of(row, rows.baseOrdinal + row);
          if (text !== undefined) texts.set(byRow.get(row)!, flat(text));
        }
      });
    }
  }
  return texts;
}

/**
 * The text in one piece. One that is joined of sixty pieces is a tree of them until something reads it: a page of such trees took
 * as long to collect as to make.
 */
function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}

function groupedBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** The keys of the users of these rows alone. */
async function keysOf(
  {scan}: RowReading,
  snapshot: PartitionSnapshot,
  found: readonly ShownRow[],
): Promise<WrittenKeys> {
  const keys = await userKeyBytes(scan, snapshot, [...new Set(found.map(({user}) => user))]);
  return {
    has: (user: number): boolean => keys.has(user),
    write: (writer: ByteWriter, user: number): void => {
      const key = must(keys.get(user), 'the keys of all rows were read');
      writer.stringBytes(key, 0, key.length);
    },
  };
}

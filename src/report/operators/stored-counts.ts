// Events of a name by bucket, out of hourly cells where there are some: with a filter that is an equality, out of cells by value.
import type {ChunkEntry, RunBlock} from '../../../actors/manifest.js';
import type {Buckets} from '../../../actors/report/counts/buckets.js';
import {CountsPartial} from '../../../actors/report/counts/counts.js';
import type {PropertyFilter} from '../../../actors/report/counts/filter.js';
import type {PropertyName} from '../../../actors/report/rows/property-name.js';
import {countedKey} from '../../../actors/report/selection.js';
import type {UserSet} from '../../../actors/table/user-set.js';
import type {AskedValues, NoteColumns} from '../counts/value-index.js';
import type {PartScan} from '../part-scan.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {nameIndex} from './name-index.js';
import {foldBodies} from './row-scan.js';

/** @throws MissingPart, DamagedPart */
export async function countsOf(
  reading: Reading,
  event: string,
  buckets: Buckets,
  filter: PropertyFilter | undefined,
  snapshot: PartitionSnapshot,
): Promise<Float64Array> {
  const {scan, fast, finder} = reading;
  const {index, leftOut} = snapshot;
  const {fromMs: startMs, toMs: lastMs} = buckets;
  const name = nameIndex(snapshot, event);
  if (name < 0) return new Float64Array(buckets.count);
  const partial = new CountsPartial(buckets, name, finder, filter);
  const property = filter?.property.text;
  const values = property === undefined ? undefined : fast.values?.coveredOf(snapshot, property, {startMs, lastMs});
  for (const cells of values?.cells ?? []) partial.addValueCells(cells);
  await foldCells(reading, partial, partial.blocks(index));
  if (filter === undefined) partial.addCells(leftOut.cells);
  const chunks = partial.chunks(index, values);
  if (filter === undefined) await scan.foldRows(chunks, leftOut.users, (_, rows) => partial.addRows(rows));
  else {
    const fold = (note?: NoteColumns) =>
      foldFiltered(reading, partial, filter.property, chunks, leftOut.users, values?.covered, note);
    await leavingCells(reading, snapshot, filter.property, chunks, 'one', fold);
  }
  return partial.counts;
}

/** Blocks whose cells are grouped by name are counted without their windows. */
async function foldCells(
  {scan, fast: {namedCells}}: Reading,
  partial: CountsPartial,
  blocks: readonly RunBlock[],
): Promise<void> {
  const others: RunBlock[] = [];
  for (const block of blocks) {
    const cells = namedCells?.of(block.part);
    if (cells === undefined) others.push(block);
    else partial.addNamedCells(cells);
    const turn = scan.pauseIfDue();
    if (turn !== undefined) await turn;
  }
  await scan.foldWindows(others, ({part}, windows) => {
    partial.addCells(windows);
    namedCells?.note(part, windows);
  });
}

function foldFiltered(
  {scan}: Reading,
  partial: CountsPartial,
  property: PropertyName,
  chunks: readonly ChunkEntry[],
  hasLeft: UserSet,
  covered: ReadonlySet<string> | undefined,
  note?: NoteColumns,
): Promise<void> {
  return scan.foldColumnRows(chunks, hasLeft, [property], (chunk, rows) => {
    const unsure = partial.addFilteredRows(rows, covered?.has(countedKey(chunk)));
    const noting = note?.(chunk, rows);
    if (unsure.length === 0) return noting;
    const deciding = decideByBodies(scan, partial, chunk, unsure);
    return noting === undefined ? deciding : noting.then(() => deciding);
  });
}

/** Runs a scan of these chunks, which leaves cells by value behind if they are more than the cache holds. */
export function leavingCells(
  {scan: parts, fast: {values}}: Reading,
  snapshot: PartitionSnapshot,
  property: PropertyName,
  chunks: readonly ChunkEntry[],
  asked: AskedValues,
  scan: (note?: NoteColumns) => Promise<void>,
): Promise<void> {
  if (values === undefined || !parts.areTooMuch(chunks)) return scan();
  return values.leavingCells(snapshot, property.text, chunks, asked, scan, parts.slices);
}

async function decideByBodies(
  scan: PartScan,
  partial: CountsPartial,
  chunk: ChunkEntry,
  unsure: Uint16Array,
): Promise<void> {
  const rows = await scan.allColumns(chunk); // Decoding a body needs all columns of its chunk.
  await foldBodies({scan}, chunk, unsure, (block, inBlock) => partial.addBodies(rows, inBlock, block));
}

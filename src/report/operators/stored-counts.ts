// Events of a name by bucket, out of hourly cells where there are some: those with a value of a property out of cells by value.
import type {ChunkEntry} from '../../../actors/manifest.js';
import type {Buckets} from '../../../actors/report/counts/buckets.js';
import {CountsPartial} from '../../../actors/report/counts/counts.js';
import type {Condition} from '../../../actors/report/rows/condition.js';
import {valuesOfText} from '../../../actors/report/rows/property-values.js';
import {countedKey} from '../../../actors/report/selection.js';
import type {AskedValues} from '../derived/value-index.js';
import {nameIndex} from '../name-index.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {type ChosenFold, type NoteColumns, RowScan} from '../row-scan.js';

/** @throws MissingPart, DamagedPart */
export async function countsOf(
  reading: Reading,
  event: string,
  buckets: Buckets,
  snapshot: PartitionSnapshot,
): Promise<Float64Array> {
  const {index, leftOut} = snapshot;
  const name = nameIndex(snapshot, event);
  if (name < 0) return new Float64Array(buckets.count);
  const partial = new CountsPartial(buckets, name);
  await reading.scan.foldWindows(partial.blocks(index), (_, windows) => partial.addCells(windows));
  partial.addCells(leftOut.cells);
  const chunks = partial.chunks(index.chunks);
  await reading.scan.foldRows(chunks, leftOut.users, (_, rows) => partial.addRows(rows));
  return partial.counts;
}

/** Whether cells by value may answer for the condition. */
export const isOfValue = ({op}: Condition): boolean => op === 'eq';

/** `countsOf` for events with a value. `condition`: an equality. @throws MissingPart, DamagedPart */
export async function countsOfValue(
  reading: Reading,
  event: string,
  buckets: Buckets,
  condition: Condition,
  snapshot: PartitionSnapshot,
): Promise<Float64Array> {
  const {property, values: texts} = condition;
  const name = nameIndex(snapshot, event);
  if (name < 0) return new Float64Array(buckets.count);
  const partial = new CountsPartial(buckets, name);
  const stretch = {startMs: buckets.fromMs, lastMs: buckets.toMs};
  const cells = reading.fast.values?.coveredOf(snapshot, property, stretch);
  const encoded = texts.flatMap(valuesOfText);
  for (const each of cells?.cells ?? []) partial.addValueCells(each, encoded);
  const rowScan = new RowScan(reading, {stretch, selectors: [{event, where: [condition]}]});
  const scanned = rowScan.chunks(snapshot);
  const covered = scanned.filter((chunk) => cells?.covered.has(countedKey(chunk)));
  const beside = new Set(partial.chunks(covered).map(({chunk}) => chunk));
  const isCovered = new Set(covered.map(({chunk}) => chunk));
  const chunks = scanned.filter(({chunk}) => !isCovered.has(chunk) || beside.has(chunk));
  const fold: ChosenFold = (rows, [chosen]) =>
    partial.addChosen(rows, isCovered.has(rows.chunk) ? partial.besideCells(rows, chosen!) : chosen!);
  await leavingCells(reading, snapshot, property, chunks, 'one', (note) =>
    rowScan.foldAnyOrder(snapshot, fold, chunks, note),
  );
  return partial.counts;
}

/** Runs a scan of these chunks, which leaves cells by value behind if they are more than the cache holds. */
export function leavingCells(
  {scan: parts, fast: {values}}: Reading,
  snapshot: PartitionSnapshot,
  property: string,
  chunks: readonly ChunkEntry[],
  asked: AskedValues,
  scan: (note?: NoteColumns) => Promise<void>,
): Promise<void> {
  if (values === undefined || !parts.areTooMuch(chunks)) return scan();
  return values.leavingCells(snapshot, property, chunks, asked, scan, parts.slices);
}

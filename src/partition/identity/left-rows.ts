// Reads the rows of many users of a partition at once: their number, their hours and names, and their events.
//   Owns: which chunks are read. The cache keeps parts that it holds already; nothing else stays in memory.

import {BodyBlock, type RowColumns} from '../../../actors/chunk/bodies.js';
import type {ChunkInMemory, RowsByOrdinal} from '../../../actors/chunk/chunk.js';
import {rowsOfUsers} from '../../../actors/chunk/left-rows.js';
import {type RowsView, timeOf} from '../../../actors/chunk/rows.js';
import {must} from '../../../actors/invariant.js';
import {bodyBlockRows, hourMs} from '../../../actors/limits.js';
import type {EntryView} from '../../../actors/log/entry-view.js';
import type {MoveContents} from '../../../actors/manifest.js';
import {UserSet} from '../../../actors/table/user-set.js';
import type {RowSources} from '../partition-view.js';
import {chunksOfUsers} from '../snapshot/user-loader.js';

/** Awaited between two chunks, so that background work can yield. */
export type Yield = () => Promise<void>;

/** One chunk with rows of some users. */
export interface FoundRows {
  readonly chunk: number;
  readonly columns: Pick<RowsView, 'timeBase' | 'times' | 'users' | 'names' | 'baseOrdinal'>;
  /** The columns with the properties: readers of bodies need them. */
  readonly whole: () => RowColumns | Promise<RowColumns>;
  /** Numbers of the rows, ascending. */
  readonly rows: readonly number[];
  /** A block of bodies of the chunk. */
  readonly block: (number: number) => Uint8Array | Promise<Uint8Array>;
}

/** Number of rows by user. @throws MissingPart, DamagedPart */
export async function countRows(view: RowSources, users: readonly number[], turn: Yield): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for await (const {columns, rows} of rowsOf(view, users)) {
    for (const row of rows) counts.set(columns.users[row], (counts.get(columns.users[row]) ?? 0) + 1);
    await turn();
  }
  return counts;
}

/** Events by hour and name, and rows by chunk, of these users. @throws MissingPart, DamagedPart */
export async function contentsOf(view: RowSources, users: readonly number[], turn: Yield): Promise<MoveContents> {
  const cells = new Map<string, [hour: number, name: number, count: number]>();
  const chunks: [number, number][] = [];
  for await (const {chunk, columns, rows} of rowsOf(view, users)) {
    chunks.push([chunk, rows.length]);
    for (const row of rows) {
      const hour = Math.floor((columns.timeBase + columns.times[row]) / hourMs);
      const name = columns.names[row];
      const cell = cells.get(`${hour}.${name}`);
      if (cell === undefined) cells.set(`${hour}.${name}`, [hour, name, 1]);
      else cell[2] += 1;
    }
    await turn();
  }
  return {cells: [...cells.values()], chunks};
}

/** Events of these users in the order of arrival; each is valid until the next is requested. @throws MissingPart, DamagedPart */
export async function* eventsOf(
  view: RowSources,
  users: readonly number[],
): AsyncGenerator<{readonly entry: EntryView; readonly user: number; readonly ordinal: number}> {
  const {tables} = view.partition;
  for await (const {columns, whole, rows, block} of rowsOf(view, users)) {
    const withProperties = await whole();
    let held: BodyBlock | undefined;
    let number = -1;
    for (const row of rows) {
      const wanted = Math.floor(row / bodyBlockRows);
      if (wanted !== number) {
        const loaded = block(wanted);
        held = new BodyBlock(loaded instanceof Uint8Array ? loaded : await loaded, withProperties);
        number = wanted;
      }
      const entry = must(held, 'a row has a block').entry(row, tables.users, tables.names);
      if (entry === undefined) continue; // Erased meanwhile.
      yield {entry, user: columns.users[row], ordinal: columns.baseOrdinal + row};
    }
  }
}

/** All rows of these users, by ascending chunk. @throws MissingPart, DamagedPart */
export async function* rowsOf(view: RowSources, users: readonly number[]): AsyncGenerator<FoundRows> {
  const {partition, layout, cache} = view;
  const wanted = new UserSet();
  for (const user of users) wanted.add(user);
  for (const chunk of await chunksOfUsers(partition, layout, cache, users)) {
    const inMemory = layout.writing.get(chunk)?.chunk ?? (partition.open.chunk === chunk ? partition.open : undefined);
    if (inMemory !== undefined) {
      const rows = rowsOfUsers(inMemory.rowsNow(), wanted);
      if (rows.length === 0) continue;
      yield {chunk, columns: copied(inMemory.rowsNow()), rows, ...bodiesOf(inMemory)};
      continue;
    }
    const entry = layout.chunks.get(chunk);
    // A user's record may name a chunk that got no row, or of which none is left.
    if (entry === undefined || entry.live === 0) continue;
    const columns = await cache.rows.load(entry, 'pass');
    const rows = rowsOfUsers(columns, wanted).filter((row) => timeOf(columns, row) >= entry.keptFromMs);
    const block = (number: number) => cache.loadBodyBlock(entry.bodies, number);
    if (rows.length > 0) yield {chunk, columns, whole: () => cache.wholeRows.load(entry, 'pass'), rows, block};
  }
}

/** Copies properties and bodies, both at one moment, for those who read them. */
function bodiesOf(inMemory: ChunkInMemory): Pick<FoundRows, 'whole' | 'block'> {
  let copies: {readonly columns: RowColumns; readonly blocks: readonly Uint8Array[]} | undefined;
  const copied = () => (copies ??= {columns: inMemory.columnsView(), blocks: inMemory.blocks()});
  return {whole: () => copied().columns, block: (number) => must(copied().blocks[number], 'a row has a block')};
}

/** Rows may be appended, or the chunk closed, while a reader has them. */
const copied = ({times, users, names, ...rest}: RowsByOrdinal): RowsByOrdinal => ({
  ...rest,
  times: times.slice(),
  users: users.slice(),
  names: names.slice(),
});

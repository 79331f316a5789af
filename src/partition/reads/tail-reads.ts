// Reads stored rows in the order in which they came, for tails (src/webhooks/tail-run.ts).
//   TA1. A scan is bounded, and the answer says where the next one starts: a rule without matches must not keep the thread from
//        folding.
//   TA2. An erased row is absent, and one that is erased while the answer is made is null. The answer gives the range in which rows
//        are absent: some may be of users who moved, and their destination's tail sends those that this one did not.
import {wtf8} from '../../../actors/bytes/bytes.js';
import type {ChunkEntry} from '../../../actors/manifest.js';
import {firstPlace} from '../../../actors/order/search.js';
import type {PartitionAnswer, PartitionQuestion} from '../../asks/partition.js';
import type {RowSources} from '../partition-view.js';
import type {HistoryReads} from './history-reads.js';
import type {ReadBudget} from './read-budget.js';

/** Two chunks: some tenths of a millisecond. TA1 */
const rowsScannedMax = 131_072;
const tailRowsMax = 1_000;

type TailQuestion = Extract<PartitionQuestion, {ask: 'tail'}>;

/** Some rows of a chunk, in the order in which they came. */
interface ArrivedRows {
  readonly baseOrdinal: number;
  readonly count: number;
  readonly users: ArrayLike<number>;
  readonly noUser: number;
  readonly names: ArrayLike<number>;
}

/** Ordinals without rows to look at. */
interface Gap {
  readonly to: number;
  /** Whether rows were passed over because they are missing. */
  readonly isMissing: boolean;
}

/** Matches of a scan so far. */
interface TailScan {
  readonly ordinals: number[];
  next: number;
  scanned: number;
  missing: readonly [from: number, to: number] | undefined;
}

export class TailReads {
  private readonly view: RowSources;
  private readonly history: HistoryReads;

  constructor(view: RowSources, history: HistoryReads) {
    this.view = view;
    this.history = history;
  }

  /** @throws ReadTooLong */
  async tail({from, names, limit}: TailQuestion, budget: ReadBudget): Promise<PartitionAnswer> {
    const {partition} = this.view;
    const {generation, generations} = partition;
    const end = this.history.ordinalEnd;
    const wanted = names && this.indexesOf(names);
    const found: TailScan = {ordinals: [], next: Math.min(from, end), scanned: 0, missing: undefined};
    const countMax = Math.min(limit, tailRowsMax);
    // A name of which no row is left is forgotten.
    if (wanted?.size === 0 && limit > 0) pass(found, {to: end, isMissing: true});
    while (found.ordinals.length < countMax && found.next < end && found.scanned < rowsScannedMax) {
      const place = this.rowsFrom(found.next, wanted, end);
      // Rows in memory are scanned before anything is awaited: they are not copied.
      if ('isMissing' in place) pass(found, place);
      else scan('users' in place ? place : await this.view.cache.rows.load(place), found, wanted, countMax, end);
      const turn = budget.count();
      if (turn !== undefined) await turn;
    }
    const {texts: events, users} = await this.history.events(found.ordinals, budget);
    const isCut = events.length < found.ordinals.length;
    return {
      kind: 'tail',
      generation,
      generations,
      end,
      next: isCut ? found.ordinals[events.length] : found.next,
      ordinals: found.ordinals.slice(0, events.length),
      events,
      users,
      ...(found.missing && {missing: found.missing}),
    };
  }

  private indexesOf(names: readonly string[]): ReadonlySet<number> {
    const table = this.view.partition.aggregator.names;
    const indexes = names.map((name) => {
      const bytes = wtf8(name);
      return table.find(bytes, 0, bytes.length);
    });
    return new Set(indexes.filter((index) => index >= 0));
  }

  /** The rows of the chunk that has this ordinal, or the chunk itself; a gap up to where the next one begins, or if it has none of these names. */
  private rowsFrom(
    ordinal: number,
    wanted: ReadonlySet<number> | undefined,
    end: number,
  ): ArrivedRows | ChunkEntry | Gap {
    const {partition, layout, cache} = this.view;
    const inMemory = [...layout.writing.values()].map(({chunk}) => chunk).concat(partition.open);
    const chunk = inMemory.find(({baseOrdinal, count}) => baseOrdinal <= ordinal && ordinal < baseOrdinal + count);
    if (chunk !== undefined) return chunk.rowsNow();
    const stored = layout.chunks.byOrdinal;
    const at = firstPlace(0, stored.length, (place) => endOf(stored[place]) <= ordinal);
    const entry: ChunkEntry | undefined = stored[at];
    if (entry === undefined || entry.baseOrdinal > ordinal) {
      const later = inMemory.map(({baseOrdinal}) => baseOrdinal).filter((base) => base > ordinal);
      return {to: Math.min(end, entry?.baseOrdinal ?? end, ...later), isMissing: true};
    }
    const hasNone = entry.names !== null && wanted !== undefined && !entry.names.some((name) => wanted.has(name));
    if (hasNone || entry.live === 0) return {to: Math.min(end, endOf(entry)), isMissing: entry.live < entry.count};
    return cache.rows.held(entry) ?? entry;
  }
}

const endOf = ({baseOrdinal, count}: Pick<ChunkEntry, 'baseOrdinal' | 'count'>): number => baseOrdinal + count;

function pass(found: TailScan, {to, isMissing}: Gap): void {
  if (isMissing && to > found.next) miss(found, found.next, to);
  found.next = to;
}

function miss(found: TailScan, from: number, to: number): void {
  found.missing = [found.missing?.[0] ?? from, to];
}

function scan(
  rows: ArrivedRows,
  found: TailScan,
  wanted: ReadonlySet<number> | undefined,
  countMax: number,
  end: number,
) {
  const {baseOrdinal, count, users, noUser, names} = rows;
  const stop = Math.min(baseOrdinal + count, end);
  const begin = found.next;
  let ordinal = begin;
  for (; ordinal < stop && found.ordinals.length < countMax; ordinal++) {
    const row = ordinal - baseOrdinal;
    if (users[row] === noUser) miss(found, ordinal, ordinal + 1);
    else if (wanted === undefined || wanted.has(names[row])) found.ordinals.push(ordinal);
  }
  found.next = ordinal;
  found.scanned += ordinal - begin;
}

// Times of the events that a selector chooses, with their numbers of a property (actors/report/counts/timed-numbers.ts): a later
// answer that counts or measures them, over any stretch of time, reads no rows.
//   Owns: which chunks have them. Does not own: which questions they are kept for (left-behind.ts) and how long
//   (derived-indexes.ts).
//   CN1. Numbers of a chunk stand for its rows that count (`countedKey`), and for all of them that the selector chooses: a chunk
//        that reaches past the question's stretch is scanned.
//   CN2. So is one with a value that is no number. A question with such a value has no numbers: texts would never leave any.
//   CN3. New numbers take no more than the answer may hold; if they would, it leaves none behind.
import type {RowsView} from '../../../actors/chunk/rows.js';
import type {ChunkEntry} from '../../../actors/manifest.js';
import {type TimedNumbers, timedNumbers} from '../../../actors/report/counts/timed-numbers.js';
import type {PropertyValues} from '../../../actors/report/rows/property-values.js';
import {type Selector, skipsRows, textOfSelector} from '../../../actors/report/rows/row-choice.js';
import {countedKey, isInside, type Stretch} from '../../../actors/report/selection.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {DerivedIndexes} from './derived-indexes.js';
import {LeftBehind} from './left-behind.js';

/** Bytes of a chunk's numbers beside the numbers themselves. */
const entryBytes = 256;

/** Numbers by chunk (`countedKey`). */
type ByChunk = ReadonlyMap<string, TimedNumbers>;

interface ChunkNumbers {
  readonly bytes: number;
  /** Undefined: other values were found. CN2 */
  readonly byChunk: ByChunk | undefined;
}

export class ChosenNumbers {
  private readonly numbers: LeftBehind<ChunkNumbers>;

  constructor(derived: DerivedIndexes, partitionCount: number) {
    this.numbers = new LeftBehind(derived, partitionCount);
  }

  /** For an answer about the stretch; undefined: scan. `property` undefined: the answer only counts. */
  openFor(
    {manifest: {partition}, index}: PartitionSnapshot,
    selector: Selector,
    property: string | undefined,
    stretch: Stretch,
    bytesMax: number,
  ): OpenNumbers | undefined {
    if (skipsRows(selector)) return undefined;
    const left = this.numbers.asked(JSON.stringify([partition, textOfSelector(selector), property]));
    if (left === undefined) return undefined;
    const held: ByChunk | undefined = left.held === undefined ? new Map() : left.held.byChunk;
    if (held === undefined) return undefined;
    const chunks = new Map(index.chunks.map((chunk) => [chunk.chunk, chunk] as const));
    const keep = (fresh: ByChunk | undefined): void =>
      left.keep(fresh === undefined ? {bytes: entryBytes, byChunk: undefined} : numbersOf(index.chunks, held, fresh));
    return new OpenNumbers({stretch, chunks, held, keep, bytesMax});
  }
}

/** The numbers of the snapshot's chunks. */
function numbersOf(chunks: readonly ChunkEntry[], held: ByChunk, fresh: ByChunk): ChunkNumbers {
  const byChunk = new Map<string, TimedNumbers>();
  let bytes = 0;
  for (const chunk of chunks) {
    const key = countedKey(chunk);
    const numbers = fresh.get(key) ?? held.get(key);
    if (numbers === undefined) continue;
    byChunk.set(key, numbers);
    bytes += numbers.bytes + entryBytes;
  }
  return {bytes, byChunk};
}

interface OpenOptions {
  readonly stretch: Stretch;
  /** By number. */
  readonly chunks: ReadonlyMap<number, ChunkEntry>;
  readonly held: ByChunk;
  /** Bound of new numbers. CN3 */
  readonly bytesMax: number;
  /** Leaves new numbers behind; undefined: other values were found. */
  readonly keep: (fresh: ByChunk | undefined) => void;
}

/** The numbers of one partition while an answer is made. */
export class OpenNumbers {
  private readonly options: OpenOptions;
  private readonly fresh = new Map<string, TimedNumbers>();
  private hasOthers = false;
  private bytes = 0;

  constructor(options: OpenOptions) {
    this.options = options;
  }

  of(chunk: ChunkEntry): TimedNumbers | undefined {
    return this.options.held.get(countedKey(chunk));
  }

  /** Notes the numbers of a chunk that was scanned. `values`, if the answer measures any, is open for it. CN1, CN2 */
  note(rows: RowsView, chosen: Uint16Array, values: PropertyValues | undefined): void {
    const chunk = this.options.chunks.get(rows.chunk);
    if (
      this.hasOthers ||
      this.bytes > this.options.bytesMax ||
      chunk === undefined ||
      !isInside(chunk, this.options.stretch)
    )
      return;
    const numbers = timedNumbers(rows, chosen, values);
    if (numbers === undefined) {
      this.hasOthers = true;
      return;
    }
    this.fresh.set(countedKey(chunk), numbers);
    this.bytes += numbers.bytes;
    if (this.bytes > this.options.bytesMax) this.fresh.clear(); // CN3
  }

  /** Leaves new numbers behind. */
  finish(): void {
    if (this.hasOthers) this.options.keep(undefined);
    else if (this.fresh.size > 0) this.options.keep(this.fresh);
  }
}

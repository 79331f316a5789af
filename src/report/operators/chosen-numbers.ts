// Times of the events that a selector chooses, with their numbers of a property (actors/report/counts/timed-numbers.ts): a later
// answer that counts or measures them, over any stretch of time, reads no rows.
//   Owns: which chunks have them. Does not own: which questions they are kept for (repeated-questions.ts) and how long
//   (derived-indexes.ts).
//   CN1. Numbers of a chunk stand for its rows that count (`countedKey`), and for all of them that the selector chooses: a chunk
//        that reaches past the question's stretch is scanned.
//   CN2. So is one with a value that is no number. A question with such a value has no numbers: texts would never leave any.
import type {RowsView} from '../../../actors/chunk/rows.js';
import type {ChunkEntry} from '../../../actors/manifest.js';
import {type TimedNumbers, timedNumbers} from '../../../actors/report/counts/timed-numbers.js';
import type {PropertyValues} from '../../../actors/report/rows/property-values.js';
import {type Selector, skipsRows, textOfSelector} from '../../../actors/report/rows/row-choice.js';
import {countedKey, isInside, type Stretch} from '../../../actors/report/selection.js';
import type {Derived, DerivedIndexes} from '../derived-indexes.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {newRepeated, type Repeated, RepeatedQuestions} from '../repeated-questions.js';

/** Bytes of a chunk's numbers beside the numbers themselves. */
const entryBytes = 256;

/** Numbers by chunk (`countedKey`). */
interface ChunkNumbers {
  readonly bytes: number;
  readonly byChunk: ReadonlyMap<string, TimedNumbers>;
}

interface NumbersState extends Repeated {
  readonly key: string;
  hasOthers: boolean;
}

export class ChosenNumbers {
  private readonly derived: DerivedIndexes;
  private readonly numbers: Derived<ChunkNumbers>;
  private readonly questions: RepeatedQuestions<NumbersState>;
  private questionsKnown = 0;

  constructor(derived: DerivedIndexes, partitionCount: number) {
    this.derived = derived;
    this.numbers = derived.kind();
    const newState = (): NumbersState => ({...newRepeated(), key: `${(this.questionsKnown += 1)}`, hasOthers: false});
    this.questions = new RepeatedQuestions(derived, partitionCount, newState, ({key}) => this.numbers.drop(key));
  }

  /** For an answer about the stretch; undefined: scan. `property` undefined: the answer only counts. */
  openFor(
    {manifest: {partition}, index}: PartitionSnapshot,
    selector: Selector,
    property: string | undefined,
    stretch: Stretch,
  ): OpenNumbers | undefined {
    if (skipsRows(selector)) return undefined;
    const state = this.questions.asked(JSON.stringify([partition, textOfSelector(selector), property]));
    const held = this.numbers.get(state.key);
    if (state.hasOthers || (held === undefined && !this.questions.isDue(state))) return undefined;
    const chunks = new Map(index.chunks.map((chunk) => [chunk.chunk, chunk] as const));
    const keep = (fresh: ReadonlyMap<string, TimedNumbers>): void => this.keep(state, index.chunks, held, fresh);
    const noteOthers = (): void => {
      state.hasOthers = true;
      this.numbers.drop(state.key);
    };
    return new OpenNumbers({stretch, chunks, held, keep, noteOthers});
  }

  /** Keeps the numbers of the snapshot's chunks, in place of those that were held. */
  private keep(
    state: NumbersState,
    chunks: readonly ChunkEntry[],
    held: ChunkNumbers | undefined,
    fresh: ReadonlyMap<string, TimedNumbers>,
  ): void {
    const byChunk = new Map<string, TimedNumbers>();
    let bytes = 0;
    for (const chunk of chunks) {
      const key = countedKey(chunk);
      const numbers = fresh.get(key) ?? held?.byChunk.get(key);
      if (numbers === undefined) continue;
      byChunk.set(key, numbers);
      bytes += numbers.bytes + entryBytes;
    }
    const need = {keptBytes: bytes, passingBytes: 0, freedBytes: this.numbers.get(state.key)?.bytes ?? 0};
    const isKept = this.derived.makeRoom(need, state.asks) && this.numbers.keep(state.key, {bytes, byChunk});
    state.refused = isKept ? undefined : {...need, freedBytes: 0};
  }
}

interface OpenOptions {
  readonly stretch: Stretch;
  /** By number. */
  readonly chunks: ReadonlyMap<number, ChunkEntry>;
  readonly held: ChunkNumbers | undefined;
  readonly keep: (fresh: ReadonlyMap<string, TimedNumbers>) => void;
  readonly noteOthers: () => void;
}

/** The numbers of one partition while an answer is made. */
export class OpenNumbers {
  private readonly options: OpenOptions;
  private readonly fresh = new Map<string, TimedNumbers>();
  private hasOthers = false;
  /** Bytes of new numbers. */
  bytes = 0;

  constructor(options: OpenOptions) {
    this.options = options;
  }

  of(chunk: ChunkEntry): TimedNumbers | undefined {
    return this.options.held?.byChunk.get(countedKey(chunk));
  }

  /** Notes the numbers of a chunk that was scanned. `values`, if the answer measures any, is open for it. CN1, CN2 */
  note(rows: RowsView, chosen: Uint16Array, values: PropertyValues | undefined): void {
    const chunk = this.options.chunks.get(rows.chunk);
    if (this.hasOthers || chunk === undefined || !isInside(chunk, this.options.stretch)) return;
    const numbers = timedNumbers(rows, chosen, values);
    if (numbers === undefined) {
      this.hasOthers = true;
      return;
    }
    this.fresh.set(countedKey(chunk), numbers);
    this.bytes += numbers.bytes;
  }

  /** Leaves new numbers behind. */
  finish(): void {
    if (this.hasOthers) this.options.noteOthers();
    else if (this.fresh.size > 0) this.options.keep(this.fresh);
  }
}

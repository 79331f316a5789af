// Values that answers leave behind for later answers, one of each question in a partition.
//   Owns: their keys, and whether one is kept. Does not own: which questions come again (repeated-questions.ts), and how long a kept
//   value stays (derived-indexes.ts).
import type {Derived, DerivedIndexes, Sized} from './derived-indexes.js';
import {newRepeated, type Repeated, RepeatedQuestions} from './repeated-questions.js';

/** What is known of a question whose answers leave a value behind, and the key of that. */
interface LeftState extends Repeated {
  readonly key: string;
}

/** What a question has of earlier answers. */
export interface Left<V> {
  readonly held: V | undefined;
  /** Keeps a value in place of the held one, if there is room. */
  readonly keep: (value: V) => void;
}

export class LeftBehind<V extends Sized> {
  private readonly derived: DerivedIndexes;
  private readonly values: Derived<V>;
  private readonly questions: RepeatedQuestions<LeftState>;
  private questionsKnown = 0;

  constructor(derived: DerivedIndexes, partitionCount: number) {
    this.derived = derived;
    this.values = derived.kind();
    this.questions = new RepeatedQuestions(derived, partitionCount, ({key}) => this.values.drop(key));
  }

  /** Notes an ask. Undefined: nothing is held, and nothing will be kept. */
  asked(question: string): Left<V> | undefined {
    const state = this.questions.asked(question, () => ({...newRepeated(), key: `${(this.questionsKnown += 1)}`}));
    const held = this.values.get(state.key);
    if (held === undefined && !this.questions.isDue(state)) return undefined;
    return {held, keep: (value) => this.keep(state, value)};
  }

  private keep(state: LeftState, value: V): void {
    const need = {keptBytes: value.bytes, passingBytes: 0};
    const freedBytes = this.values.get(state.key)?.bytes ?? 0;
    const isKept = this.derived.makeRoom({...need, freedBytes}) && this.values.keep(state.key, value);
    state.refused = isKept ? undefined : need;
  }
}

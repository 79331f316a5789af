// Questions that came before: values that answers leave behind are worth their memory for these alone.
//   RP1. Most questions are asked once, and memory of derived values is memory that parts do not have: the second answer leaves
//        values behind.
//   RP2. What did not fit is tried again once it would.
import type {BuildNeed, DerivedIndexes} from './derived-indexes.js';

const asksMin = 2;
/** Known questions; the one that was asked longest ago is forgotten first. Each question asks all partitions. */
const statesMin = 256;
const questionsMin = 16;

/** What is known of a question in one partition. */
export interface Repeated {
  askCount: number;
  /** Memory of the value that did not fit. RP2 */
  refused: BuildNeed | undefined;
}

/** RP1 */
export const isRepeated = ({askCount}: Repeated): boolean => askCount >= asksMin;

export const newRepeated = (): Repeated => ({askCount: 0, refused: undefined});

export class RepeatedQuestions<S extends Repeated> {
  private readonly derived: DerivedIndexes;
  private readonly statesMax: number;
  private readonly noteForgotten: (state: S) => void;
  /** The one that was asked longest ago first. */
  private readonly states = new Map<string, S>();

  /** `noteForgotten` drops the values of a question. */
  constructor(derived: DerivedIndexes, partitionCount: number, noteForgotten: (state: S) => void = () => undefined) {
    this.derived = derived;
    this.statesMax = Math.max(statesMin, questionsMin * partitionCount);
    this.noteForgotten = noteForgotten;
  }

  all(): Iterable<S> {
    return this.states.values();
  }

  /** What is known of a question, without an ask. */
  known(key: string): S | undefined {
    return this.states.get(key);
  }

  /** Notes an ask. `key`: the question and the partition. */
  asked(key: string, newState: () => S): S {
    const state = this.states.get(key) ?? newState();
    state.askCount += 1;
    this.states.delete(key);
    this.states.set(key, state);
    for (const [oldest, other] of this.states) {
      if (this.states.size <= this.statesMax) break;
      this.states.delete(oldest);
      this.noteForgotten(other);
    }
    return state;
  }

  /** Whether the answer leaves a value behind, or has one. RP1, RP2 */
  isDue(state: S): boolean {
    const {refused} = state;
    return isRepeated(state) && (refused === undefined || this.derived.mayFit(refused));
  }
}

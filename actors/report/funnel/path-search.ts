// The path of one user through a funnel: which events make it, by the order of steps that is asked for (docs/api.md, funnel rules).
//   PS1. Every event that may begin a path is tried as an entry. Of all paths the deepest counts, of equally deep ones the one
//       that begins earliest.
//   PS2. Events come in the one order of a history, by (time, log position). Events of equal time need no rule of their own.
//   PS3. A path's events lie within the conversion window of its entry, inclusive.
import type {SelectorSets} from '../rows/selector-sets.js';
import {AnyOrderSearch} from './any-order-search.js';
import {SequentialSearch} from './sequential-search.js';
import {StrictSearch} from './strict-search.js';

export const stepOrders = ['sequential', 'strict', 'any'] as const;
export type StepOrder = (typeof stepOrders)[number];

/** An event that ends an attempt between two steps. */
export interface ExcludedBetween {
  /** Its selector. */
  readonly selector: number;
  /** After this step and before that one, from 0. */
  readonly afterStep: number;
  readonly beforeStep: number;
}

/** What is searched. Selectors 0 to `stepCount - 1` choose the events of the steps. */
export interface PathRules {
  readonly sets: SelectorSets;
  readonly stepCount: number;
  readonly order: StepOrder;
  /** Infinite without a window. */
  readonly windowMs: number;
  /** The last moment of an entry. */
  readonly entryLastMs: number;
  /** Of sequential steps. */
  readonly exclusions: readonly ExcludedBetween[];
}

/** Searches one user's events after another's. */
export interface PathSearch {
  /** Places of the path's events, up to the depth that `find` returned. */
  readonly places: Int32Array;
  /** Number of steps reached by the first `count` events. `sets`: which selectors chose each. */
  find(times: Float64Array, sets: Uint32Array, count: number): number;
  /** Whether an event of this set may begin a path. */
  isEntry(set: number): boolean;
}

export function pathSearch(rules: PathRules): PathSearch {
  if (rules.order === 'strict') return new StrictSearch(rules);
  return rules.order === 'any' ? new AnyOrderSearch(rules) : new SequentialSearch(rules);
}

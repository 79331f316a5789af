// The path of one user through a funnel: the events of its steps, by the funnel's order of steps (docs/api/reports/funnel.md).
//   PS1. Every event that may begin a path is tried as an entry. The deepest path counts, among equally deep ones the earliest.
//   PS2. Events come in the order of a history, by (time, log position). Events of equal time need no rule of their own.
//   PS3. A path's events lie within the conversion window of its entry, inclusive.
import type {SelectorSets} from '../rows/selector-sets.js';
import {AnyOrderSearch} from './any-order-search.js';
import {SequentialSearch} from './sequential-search.js';
import {StrictSearch} from './strict-search.js';

export const stepOrders = ['sequential', 'strict', 'any'] as const;
export type StepOrder = (typeof stepOrders)[number];

/** An event that ends an attempt between two steps. */
interface ExcludedBetween {
  /** Selector of the event. */
  readonly selector: number;
  /** Steps between which the event is excluded, from 0. */
  readonly afterStep: number;
  readonly beforeStep: number;
}

/** Rules of a search. Selectors 0 to `stepCount - 1` choose the events of the steps. */
export interface PathRules {
  readonly sets: SelectorSets;
  readonly stepCount: number;
  readonly order: StepOrder;
  /** Infinite without a window. */
  readonly windowMs: number;
  /** Last time of an entry. */
  readonly entryLastMs: number;
  /** Exclusions, for sequential steps only. */
  readonly exclusions: readonly ExcludedBetween[];
}

/** Searches the events of one user at a time. */
export interface PathSearch {
  /** Positions of the path's events, up to the depth that `find` returned. */
  readonly places: Int32Array;
  /** Number of steps that the first `count` events reach. `sets`: the set of selectors of each event. */
  find(times: Float64Array, sets: Uint32Array, count: number): number;
  /** Whether an event of this set may begin a path. */
  isEntry(set: number): boolean;
}

export function pathSearch(rules: PathRules): PathSearch {
  if (rules.order === 'strict') return new StrictSearch(rules);
  return rules.order === 'any' ? new AnyOrderSearch(rules) : new SequentialSearch(rules);
}

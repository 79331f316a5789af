// What a search for paths through a funnel follows, and what it finds (path-search.ts chooses the search).
import type {SelectorSets} from '../rows/selector-sets.js';

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

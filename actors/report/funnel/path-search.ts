// The path of one user through a funnel: the events of its steps, by the funnel's order of steps (docs/api/reports/funnel.md).
//   PS1. Every event that may begin a path is tried as an entry. The deepest path counts, among equally deep ones the earliest.
//   PS2. Events come in the order of a history, by (time, log position). Events of equal time need no rule of their own.
//   PS3. A path's events lie within the conversion window of its entry, inclusive.
import {AnyOrderSearch} from './any-order-search.js';
import type {PathRules, PathSearch} from './path-rules.js';
import {SequentialSearch} from './sequential-search.js';
import {StrictSearch} from './strict-search.js';

export function pathSearch(rules: PathRules): PathSearch {
  if (rules.order === 'strict') return new StrictSearch(rules);
  return rules.order === 'any' ? new AnyOrderSearch(rules) : new SequentialSearch(rules);
}

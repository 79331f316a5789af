// What somebody probably meant by a word that is none of those that are allowed.
import {NearName} from '../actors/report/counts/near-name.js';
import {operators} from '../actors/report/rows/condition.js';
import {readCondition} from '../actors/report/rows/condition-text.js';

/** The nearest of `words`; undefined: none is near. */
export function nearestOf(asked: string, words: readonly string[]): string | undefined {
  const near = new NearName(asked);
  for (const word of words) near.offer(word);
  return near.found;
}

/** A phrase for the end of a sentence; empty if nothing is near. */
export const didYouMean = (meant: string | undefined): string =>
  meant === undefined ? '' : `; did you mean ${meant}?`;

/** Words of other query languages, for operators that no edit leads to. */
const otherWords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    is: 'eq',
    equals: 'eq',
    equal: 'eq',
    '==': 'eq',
    '===': 'eq',
    not: 'ne',
    neq: 'ne',
    is_not: 'ne',
    '!==': 'ne',
    '<>': 'ne',
    notin: 'nin',
    not_in: 'nin',
    like: 'contains',
    icontains: 'contains',
    includes: 'contains',
    not_contains: 'ncontains',
    ge: 'gte',
    le: 'lte',
    exists: 'set',
    is_set: 'set',
    missing: 'unset',
    is_not_set: 'unset',
    is_null: 'null',
  }),
);

/** The operator that somebody probably meant. */
export const nearestOperator = (asked: string): string | undefined =>
  otherWords.get(asked.toLowerCase()) ?? nearestOf(asked, operators);

/** A longer text is not searched: each of its words may be the operator. */
const searchedCharsMax = 512;

/** The condition that a text is with another operator in place of one of its words, in quotes. */
export function nearestCondition(text: string): string | undefined {
  if (text.length > searchedCharsMax) return undefined;
  const words = text.split(' ');
  for (let at = 1; at < words.length; at++) {
    const op = nearestOperator(words[at]!);
    const meant = op === undefined ? '' : words.with(at, op).join(' ');
    if (readCondition(meant) !== undefined) return JSON.stringify(meant);
  }
  return undefined;
}

// The steps that Funnels begins with: from a sign-up, or what is most frequent, to what a product lives by.
import {suggestedOf} from './suggested-name.js';

/** Names that mean that somebody got, or paid, what they came for. */
const ends = /(purchas|order|subscri|paid|payment|checkout|upgrad|complet|creat|activat|publish)/i;

/** `names` with the most frequent one first. @returns two of them; fewer where there are not so many. */
export function suggestedSteps(names: readonly string[]): readonly string[] {
  const start = suggestedOf(names);
  if (start === undefined) return [];
  const others = names.filter((name) => name !== start);
  const end = others.find((name) => ends.test(name)) ?? others[0];
  return end === undefined ? [start] : [start, end];
}

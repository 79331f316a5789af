// The value of a trait, and what a person is called by their traits. A leaf: the pages of the dashboard take it.
//   PT1. A name is a literal trait first; without such a trait it is the path that its dots spell, as with properties.
//   PT2. A title is the first of some traits that is set: a text with a character, or a number.
import type {Json} from '../../log/json.js';

export type TraitsObject = {readonly [name: string]: Json};

/** The value of a trait. PT1 */
export function traitOf(traits: TraitsObject, name: string): Json | undefined {
  if (Object.hasOwn(traits, name)) return traits[name];
  const path = name.split('.');
  return path.length > 1 && Object.hasOwn(traits, path[0]!) ? inside(traits[path[0]!]!, path) : undefined;
}

/** The value at the path's keys after the first; undefined where a key is missing. */
export function inside(head: Json, path: readonly string[]): Json | undefined {
  let value: Json = head;
  for (const key of path.slice(1)) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
    if (!Object.hasOwn(value, key)) return undefined;
    value = value[key]!;
  }
  return value;
}

/** Undefined: none of the traits is set. PT2 */
export function titleOf(traits: TraitsObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const title = shownText(traitOf(traits, name));
    if (title !== undefined) return title;
  }
  return undefined;
}

/** A trait as a text to show; undefined: it has none. PT2 */
export function shownText(value: Json | undefined): string | undefined {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
  return text === '' ? undefined : text;
}

// The title of a person, and the search for people by a text.
//   TS1. A title is the first of some traits that is set: a text with a character, or a number.
//   TS2. A text is found anywhere, whatever its case.
import {UserSet} from '../../table/user-set.js';
import {type TraitsObject, traitOf} from './current-traits.js';

/** Undefined: none of the traits is set. TS1 */
export function titleOf(traits: TraitsObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const title = textOf(traitOf(traits, name));
    if (title !== undefined) return title;
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
  return text === '' ? undefined : text;
}

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** Users who have a text in their id, or in one of some traits. TS2 */
export class TextSearch {
  private readonly text: string;
  private readonly byTrait = new UserSet();

  constructor(
    text: string,
    private readonly traits: readonly string[],
  ) {
    this.text = folded(text);
  }

  /** Takes the current traits of a user. */
  add(user: number, traits: TraitsObject): void {
    if (this.traits.some((name) => this.isIn(textOf(traitOf(traits, name)) ?? ''))) this.byTrait.add(user);
  }

  has(user: number, id: string): boolean {
    return this.byTrait.has(user) || this.isIn(id);
  }

  private isIn(text: string): boolean {
    return folded(text).includes(this.text);
  }
}

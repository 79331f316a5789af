// The search for people by a text: in their ids, and in some of their traits.
//   TS1. The text is found anywhere, whatever its case.
import {UserSet} from '../../table/user-set.js';
import {shownText, type TraitsObject, traitOf} from './person-traits.js';

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

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
    if (this.traits.some((name) => this.isIn(shownText(traitOf(traits, name)) ?? ''))) this.byTrait.add(user);
  }

  has(user: number, id: string): boolean {
    return this.byTrait.has(user) || this.isIn(id);
  }

  /** TS1 */
  private isIn(text: string): boolean {
    return folded(text).includes(this.text);
  }
}

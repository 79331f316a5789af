// Current traits of a partition's users, from the runs of user records.
//   CT1. Runs come newest first: the first record of a user with traits has the current ones.
import {UserSet} from '../../table/user-set.js';
import {UserBlockReader} from '../../user/user-records.js';
import {type Condition, passes} from './condition.js';
import {type TraitsObject, traitOf} from './person-traits.js';

/** Users of a question: a set, or a rule. */
export type Users = Pick<UserSet, 'has'>;

type NoteTraits = (user: number, traits: TraitsObject) => void;

export class CurrentTraits {
  private readonly decided = new UserSet();
  private readonly note: NoteTraits;

  constructor(note: NoteTraits) {
    this.note = note;
  }

  /** Adds a block. Blocks of newer runs must come first. CT1 */
  addBlock(payload: Uint8Array): void {
    const reader = new UserBlockReader(payload);
    for (let record = reader.next(); record !== undefined; record = reader.next()) {
      if (record.traits === undefined || this.decided.has(record.user)) continue;
      this.decided.add(record.user);
      this.note(record.user, JSON.parse(record.traits.json) as TraitsObject);
    }
  }
}

/** Users whose traits meet all conditions. A user without any traits is judged as if every trait were missing. */
export class TraitUsers implements Users {
  private readonly conditions: readonly Condition[];
  private readonly byDefault: boolean;
  /** Users with traits whose verdict differs from that of users without any. */
  private readonly others = new UserSet();

  constructor(conditions: readonly Condition[]) {
    this.conditions = conditions;
    this.byDefault = this.meets({});
  }

  add(user: number, traits: TraitsObject): void {
    if (this.meets(traits) !== this.byDefault) this.others.add(user);
  }

  has(user: number): boolean {
    return this.others.has(user) !== this.byDefault;
  }

  private meets(traits: TraitsObject): boolean {
    return this.conditions.every((condition) => passes(condition, traitOf(traits, condition.property)));
  }
}

// A user's traits: shallow set or update in log order, bounded (API.md, Users).
//   T1. A trait's null is a value; objects are replaced whole.
//   T2. A full profile leaves a trait out and counts it; what it holds already stays.
//   T3. Traits stand in the order in which their names were first set, also when the profile was restored meanwhile: an answer
//       does not tell when memory was freed.
import {membersOf} from './json-members.js';
import {profileBytesMax, profileTraitsMax} from './limits.js';
import type {Traits} from './user-records.js';

export class Profile {
  /** Trait name to the JSON text of its value. T3 */
  private readonly traits = new Map<string, string>();
  /** UTF-8 bytes of `"name":value,` over all traits. */
  private bytes = 0;
  /** Traits left out because the profile was full. */
  overLimit = 0;

  /** Applies one identify entry. */
  apply(traitsJson: string): void {
    const given = JSON.parse(traitsJson) as Record<string, unknown>;
    for (const name of Object.keys(given)) this.set(name, JSON.stringify(given[name]));
  }

  private set(name: string, valueJson: string): void {
    const held = this.traits.get(name);
    const added = utf8Length(valueJson) - (held === undefined ? -traitBytes(name) : utf8Length(held));
    const isFull = held === undefined && this.traits.size === profileTraitsMax;
    // The braces and the comma that the last trait lacks: 2 - 1.
    if (isFull || this.bytes + added + 1 > profileBytesMax) {
      this.overLimit += 1;
      return;
    }
    this.bytes += added;
    this.traits.set(name, valueJson);
  }

  get isEmpty(): boolean {
    return this.traits.size === 0 && this.overLimit === 0;
  }

  get byteLength(): number {
    return this.bytes + 256;
  }

  /** Compact JSON text of the traits object. */
  json(): string {
    let text = '{';
    for (const [name, valueJson] of this.traits) {
      if (text.length > 1) text += ',';
      text += JSON.stringify(name) + ':' + valueJson;
    }
    return text + '}';
  }

  /** As a record holds them. */
  printed(): Traits {
    return {json: this.json(), overLimit: this.overLimit};
  }

  /** Another one that says the same. */
  copy(): Profile {
    const copy = new Profile();
    for (const [name, valueJson] of this.traits) copy.traits.set(name, valueJson);
    copy.bytes = this.bytes;
    copy.overLimit = this.overLimit;
    return copy;
  }

  /** What `json` printed. T3 */
  static restore(traitsJson: string, overLimit: number): Profile {
    const profile = new Profile();
    for (const [name, valueJson] of membersOf(traitsJson)) profile.set(name, valueJson);
    profile.overLimit = overLimit;
    return profile;
  }
}

/** `"name":` and a comma. */
const traitBytes = (name: string): number => utf8Length(JSON.stringify(name)) + 2;

/** UTF-8 bytes of a JSON text (which has no lone surrogates: JSON.stringify escapes them). */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    // A surrogate pair is two units and four bytes: two bytes a unit.
    bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
  }
  return bytes;
}

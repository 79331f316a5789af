// A user's traits: shallow set or update by the time at which each was set, bounded (docs/api.md, Users).
//   T1. A trait may be null; objects are replaced as a whole.
//   T2. A full profile leaves out a new trait and counts it; its present traits stay.
//   T3. Traits are in the order in which their names were first set, even if the profile was restored meanwhile: an answer does
//       not reveal when memory was freed. Their times are restored with them.
//   T4. An identify with a time sets a trait unless a later time has set it, in any order of arrival; of equal times the last
//       to arrive wins. A time ahead of the receipt counts as the receipt: a clock that is ahead locks no trait.
//   T5. An identify without a time sets every trait that it names, in the order of the log, whatever the edges' clocks say. Its
//       receipt is the time of these traits.
import {assert} from '../invariant.js';
import {profileBytesMax, profileTraitsMax} from '../limits.js';
import {membersOf} from './json-members.js';
import type {Traits} from './user-records.js';

interface Trait {
  /** JSON text of the value. */
  readonly valueJson: string;
  readonly setMs: number;
}

/** Time at which traits were set. T4, T5 */
export interface IdentifyTime {
  readonly timeMs: number;
  /** Whether the client sent the time. */
  readonly isTimed: boolean;
}

export class Profile {
  /** Traits by name. T3 */
  private readonly traits = new Map<string, Trait>();
  /** UTF-8 bytes of `"name":value,` over all traits. */
  private bytes = 0;
  /** Number of traits left out because the profile was full. */
  overLimit = 0;

  /** Applies one identify entry. */
  apply(traitsJson: string, {timeMs, isTimed}: IdentifyTime): void {
    const given = JSON.parse(traitsJson) as Record<string, unknown>;
    for (const name of Object.keys(given)) {
      const heldMs = this.traits.get(name)?.setMs ?? timeMs;
      if (heldMs <= timeMs || !isTimed) this.set(name, {valueJson: JSON.stringify(given[name]), setMs: timeMs});
    }
  }

  private set(name: string, trait: Trait): void {
    const held = this.traits.get(name);
    const added = utf8Length(trait.valueJson) - (held === undefined ? -traitBytes(name) : utf8Length(held.valueJson));
    const isFull = held === undefined && this.traits.size === profileTraitsMax;
    // Both braces, minus the comma that the last trait lacks: 2 - 1.
    if (isFull || this.bytes + added + 1 > profileBytesMax) {
      this.overLimit += 1;
      return;
    }
    this.bytes += added;
    this.traits.set(name, trait);
  }

  get isEmpty(): boolean {
    return this.traits.size === 0 && this.overLimit === 0;
  }

  get byteLength(): number {
    return this.bytes + 256 + this.traits.size * 8;
  }

  /** Compact JSON text of the traits object. */
  json(): string {
    let text = '{';
    for (const [name, {valueJson}] of this.traits) {
      if (text.length > 1) text += ',';
      text += JSON.stringify(name) + ':' + valueJson;
    }
    return text + '}';
  }

  /** The traits as a record stores them. */
  serialized(): Traits {
    return {json: this.json(), setMs: Array.from(this.traits.values(), ({setMs}) => setMs), overLimit: this.overLimit};
  }

  /** An equal profile. */
  copy(): Profile {
    const copy = new Profile();
    for (const [name, trait] of this.traits) copy.traits.set(name, trait);
    copy.bytes = this.bytes;
    copy.overLimit = this.overLimit;
    return copy;
  }

  /** Restores a profile from the result of `serialized`. T3 */
  static restore({json, setMs, overLimit}: Traits): Profile {
    const profile = new Profile();
    let at = 0;
    for (const [name, valueJson] of membersOf(json)) profile.set(name, {valueJson, setMs: setMs[at++]});
    assert(at === setMs.length, 'every trait was set at a time');
    profile.overLimit = overLimit;
    return profile;
  }
}

/** Bytes of `"name":` and a comma. */
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

// A user's traits: shallow set or update by the time at which each was set, bounded (docs/api.md, Users).
//   T1. A trait's null is a value; objects are replaced whole.
//   T2. A full profile leaves a trait out and counts it; what it holds already stays.
//   T3. Traits stand in the order in which their names were first set, also when the profile was restored meanwhile: an answer
//       does not tell when memory was freed. Their times are restored with them.
//   T4. An identify with a time sets a trait unless one with a later time has set it, in whichever order they come; of equal
//       times the last to come wins. A time ahead of the receipt counts as the receipt: a clock ahead locks no trait.
//   T5. An identify without a time sets every trait that it names, in the order of the log, whatever clocks of edges say. Its
//       receipt is the time of these traits.
import {assert} from '../invariant.js';
import {profileBytesMax, profileTraitsMax} from '../limits.js';
import {membersOf} from './json-members.js';
import type {Traits} from './user-records.js';

interface Trait {
  /** JSON text. */
  readonly valueJson: string;
  readonly setMs: number;
}

/** When traits were set. T4, T5 */
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
  /** Traits left out because the profile was full. */
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
    // The braces and the comma that the last trait lacks: 2 - 1.
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

  /** As a record holds them. */
  printed(): Traits {
    return {json: this.json(), setMs: Array.from(this.traits.values(), ({setMs}) => setMs), overLimit: this.overLimit};
  }

  /** Another one that says the same. */
  copy(): Profile {
    const copy = new Profile();
    for (const [name, trait] of this.traits) copy.traits.set(name, trait);
    copy.bytes = this.bytes;
    copy.overLimit = this.overLimit;
    return copy;
  }

  /** The profile that `printed` describes. T3 */
  static restore({json, setMs, overLimit}: Traits): Profile {
    const profile = new Profile();
    let at = 0;
    for (const [name, valueJson] of membersOf(json)) profile.set(name, {valueJson, setMs: setMs[at++]});
    assert(at === setMs.length, 'every trait was set at a time');
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

// A user's traits: shallow set or update by the time at which each was set, bounded (docs/api/people.md, Traits).
//   T1. A trait may be null; objects are replaced as a whole.
//   T2. A full profile leaves out a new trait and counts it; its present traits stay. For a trait of a secret key, those that a
//       public key set last make room, the newest name first, and are counted as well: everyone can send such traits.
//   T3. Traits are in the order in which their names were first set, even if the profile was restored meanwhile: an answer does
//       not reveal when memory was freed. Their times are restored with them.
//   T4. An identify with a time sets a trait unless a later time has set it, in any order of arrival; of equal times the last
//       to arrive wins. A time ahead of the receipt counts as the receipt: a clock that is ahead locks no trait.
//   T5. An identify without a time sets every trait that it names, in the order of the log, whatever the edges' clocks say. Its
//       receipt is the time of these traits.
//   T6. The time of traits that are set once is the negative of the identify's: any set is later, and of two set-onces the earlier
//       one is later. So T4 gives a trait that any set has set, and else the earliest of the set-onces, in any order of arrival.
import {assert} from '../invariant.js';
import {profileBytesMax, profileTraitsMax} from '../limits.js';
import {membersOf} from './json-members.js';
import type {Traits} from './user-records.js';

interface Trait {
  /** JSON text of the value. */
  readonly valueJson: string;
  readonly setMs: number;
  /** Whether a secret key set it last. T2 */
  readonly isSecret: boolean;
}

/** Where traits come from. T2, T4, T5, T6 */
export interface IdentifyOrigin {
  /** Time at which they were set, epoch ms; negative: they are set once (T6). */
  readonly timeMs: number;
  /** Whether the client sent the time. */
  readonly isTimed: boolean;
  /** Whether they came with a secret key. */
  readonly isSecret: boolean;
}

export class Profile {
  /** Traits by name. T3 */
  private readonly traits = new Map<string, Trait>();
  /** UTF-8 bytes of `"name":value,` over all traits. */
  private bytes = 0;
  /** Number of traits that were left out, or made room, because the profile was full. T2 */
  overLimit = 0;

  /** Applies one identify entry. `noteNew`: called with each name that the profile did not have. */
  apply(traitsJson: string, {timeMs, isTimed, isSecret}: IdentifyOrigin, noteNew?: (name: string) => void): void {
    const given = JSON.parse(traitsJson) as Record<string, unknown>;
    for (const name of Object.keys(given)) {
      const held = this.traits.get(name);
      if (held === undefined) noteNew?.(name);
      const heldMs = held?.setMs ?? timeMs;
      if (heldMs <= timeMs || !isTimed)
        this.set(name, {valueJson: JSON.stringify(given[name]), setMs: timeMs, isSecret});
    }
  }

  private set(name: string, trait: Trait): void {
    const held = this.traits.get(name);
    const added = held === undefined ? memberBytes(name, trait) : memberBytes(name, trait) - memberBytes(name, held);
    const bytesOver = this.bytes + added + bracesBytes - profileBytesMax;
    const traitsOver = held === undefined ? this.traits.size + 1 - profileTraitsMax : 0;
    if ((bytesOver > 0 || traitsOver > 0) && !(trait.isSecret && this.makeRoom(name, bytesOver, traitsOver))) {
      this.overLimit += 1;
      return;
    }
    this.bytes += added;
    this.traits.set(name, trait);
  }

  /** Removes traits of public keys, but not `kept`. False, and nothing removed: all of them would not be enough. T2 */
  private makeRoom(kept: string, bytesOver: number, traitsOver: number): boolean {
    const removed: string[] = [];
    let bytes = 0;
    for (const [name, trait] of [...this.traits].reverse()) {
      if (bytes >= bytesOver && removed.length >= traitsOver) break;
      if (trait.isSecret || name === kept) continue;
      removed.push(name);
      bytes += memberBytes(name, trait);
    }
    if (bytes < bytesOver || removed.length < traitsOver) return false;
    for (const name of removed) this.traits.delete(name);
    this.bytes -= bytes;
    this.overLimit += removed.length;
    return true;
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
    const traits = [...this.traits.values()];
    return {
      json: this.json(),
      setMs: traits.map(({setMs}) => setMs),
      isSecret: traits.map(({isSecret}) => isSecret),
      overLimit: this.overLimit,
    };
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
  static restore({json, setMs, isSecret, overLimit}: Traits): Profile {
    const profile = new Profile();
    let at = 0;
    for (const [name, valueJson] of membersOf(json)) {
      profile.set(name, {valueJson, setMs: setMs[at], isSecret: isSecret[at]});
      at += 1;
    }
    assert(at === setMs.length && at === isSecret.length, 'every trait was set at a time, with a key');
    profile.overLimit = overLimit;
    return profile;
  }
}

/** Names of the traits that a secret key set last. */
export const secretTraitsOf = ({json, isSecret}: Traits): string[] =>
  [...membersOf(json)].flatMap(([name], at) => (isSecret[at] ? [name] : []));

/** Both braces, minus the comma that the last trait lacks. */
const bracesBytes = 1;

/** Bytes of `"name":value,`. */
const memberBytes = (name: string, {valueJson}: Trait): number =>
  utf8Length(JSON.stringify(name)) + utf8Length(valueJson) + 2;

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

// Fingerprints of one day since the last snapshot, in their order: a part of the next snapshot.
//   They are held as the part's bytes: encoding 2 million from a list of numbers took 0.1 s.
//   Each takes 14 bytes, as 16-bit halves, so that parts can be joined: three words and the content hash (fingerprints.ts F5).

import {assert} from '../invariant.js';
import {fingerprintWords} from './fingerprints.js';

/** 16-bit halves of the three words. */
const halvesOfWords = 2 * fingerprintWords;
const halvesEach = halvesOfWords + 1;
const bytesEach = 2 * halvesEach;
const countAtFirst = 64;

export class FreshFingerprints {
  readonly day: number;
  count = 0;
  private halves = new Uint16Array(countAtFirst * halvesEach);

  constructor(day: number) {
    this.day = day;
  }

  add(print: Uint32Array, content: number): void {
    let at = this.count * halvesEach;
    if (at === this.halves.length) this.grow();
    const {halves} = this;
    for (let i = 0; i < fingerprintWords; i++) {
      halves[at++] = print[i];
      halves[at++] = print[i] >>> 16;
    }
    halves[at] = content;
    this.count += 1;
  }

  private grow(): void {
    const {halves} = this;
    this.halves = new Uint16Array(2 * halves.length);
    this.halves.set(halves);
  }

  /** A view of the fingerprints without the first `skipped`, in the form of a part. */
  bytesFrom(skipped: number): Uint8Array {
    const {buffer} = this.halves;
    return new Uint8Array(buffer, skipped * bytesEach, (this.count - skipped) * bytesEach);
  }
}

/** The fingerprints of a part, in their order. */
export class StoredFingerprints {
  readonly print = new Uint32Array(fingerprintWords);
  private readonly halves: Uint16Array;

  constructor(part: Uint8Array) {
    assert(part.length % bytesEach === 0, 'a part has whole fingerprints');
    this.halves = new Uint16Array(new Uint8Array(part).buffer); // A `slice` of a Buffer is no copy.
  }

  get count(): number {
    return this.halves.length / halvesEach;
  }

  /** Visits the fingerprints from number `first` on. The next visit overwrites `print`. */
  forEach(first: number, visit: (print: Uint32Array, content: number) => void): void {
    const {halves, print} = this;
    for (let at = first * halvesEach; at < halves.length; at += halvesEach) {
      for (let i = 0; i < fingerprintWords; i++) print[i] = halves[at + 2 * i] | (halves[at + 2 * i + 1] << 16);
      visit(print, halves[at + halvesOfWords]);
    }
  }
}

/** Adds to the fingerprints of `day`, mostly the newest ones. */
export function addFresh(fresh: FreshFingerprints[], print: Uint32Array, day: number, content = 0): void {
  const newest = fresh[fresh.length - 1];
  (newest?.day === day ? newest : ofOtherDay(fresh, day)).add(print, content);
}

function ofOtherDay(fresh: FreshFingerprints[], day: number): FreshFingerprints {
  const known = fresh.find((one) => one.day === day);
  if (known !== undefined) return known;
  const begun = new FreshFingerprints(day);
  fresh.push(begun);
  return begun;
}

const bytesIn = (parts: readonly Uint8Array[]): number => parts.reduce((sum, {length}) => sum + length, 0);

/** Number of fingerprints in these parts. */
export const countIn = (parts: readonly Uint8Array[]): number => bytesIn(parts) / bytesEach;

export function joinFingerprints(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(bytesIn(parts));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

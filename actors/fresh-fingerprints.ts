// Fingerprints of a day since the last cut, in the order in which they came: what the next snapshot adds to those before.
//   As a list of numbers 2 million took 0.1 s to become bytes; here they are bytes already.
import {fingerprintWords} from './fingerprints.js';

const wordsAtFirst = 64 * fingerprintWords;

export class FreshFingerprints {
  readonly day: number;
  count = 0;
  private words = new Uint32Array(wordsAtFirst);

  constructor(day: number) {
    this.day = day;
  }

  add(print: Uint32Array): void {
    const start = this.count * fingerprintWords;
    if (start === this.words.length) this.grow();
    this.words[start] = print[0];
    this.words[start + 1] = print[1];
    this.words[start + 2] = print[2];
    this.count += 1;
  }

  private grow(): void {
    const {words} = this;
    this.words = new Uint32Array(2 * words.length);
    this.words.set(words);
  }

  /** A view of all words but those of the first `skipped` fingerprints. */
  wordsFrom(skipped: number): Uint32Array {
    return this.words.subarray(skipped * fingerprintWords, this.count * fingerprintWords);
  }
}

/** Adds to those of its day, of which most additions are to the newest. */
export function addFresh(fresh: FreshFingerprints[], print: Uint32Array, day: number): void {
  const newest = fresh[fresh.length - 1];
  (newest?.day === day ? newest : ofOtherDay(fresh, day)).add(print);
}

function ofOtherDay(fresh: FreshFingerprints[], day: number): FreshFingerprints {
  const known = fresh.find((one) => one.day === day);
  if (known !== undefined) return known;
  const begun = new FreshFingerprints(day);
  fresh.push(begun);
  return begun;
}

// Message ids of accepted lines of the file, to recognise repeated lines.
//   M1. Memory is bounded: no ids are added beyond `idsMax`, and `isFull` says so.
//   M2. Fingerprints of 63 bits: the chance of a false repeat among four million ids is one in a million.

/** 4 Mi ids in a table that is half full: 64 MiB. */
const idsMaxDefault = 4 * 1024 * 1024;
const slotsAtStart = 1024;

export class MessageIdSet {
  isFull = false;
  #size = 0;
  #high = new Uint32Array(slotsAtStart);
  #low = new Uint32Array(slotsAtStart);

  constructor(private readonly idsMax = idsMaxDefault) {}

  /** Whether this id of this user was added. */
  has(userKey: string, messageId: string): boolean {
    const [high, low] = fingerprint(userKey, messageId);
    return !this.#isFreeAt(this.#find(high, low));
  }

  add(userKey: string, messageId: string): void {
    const [high, low] = fingerprint(userKey, messageId);
    if (!this.#isFreeAt(this.#find(high, low))) return;
    if (this.#size >= this.idsMax) {
      this.isFull = true; // M1
      return;
    }
    if (2 * (this.#size + 1) > this.#high.length) this.#grow();
    this.#put(high, low);
    this.#size += 1;
  }

  #isFreeAt(slot: number): boolean {
    return this.#high[slot] === 0 && this.#low[slot] === 0;
  }

  /** The slot that holds the fingerprint, or the free one where it belongs: linear probing, at most half full. */
  #find(high: number, low: number): number {
    const mask = this.#high.length - 1;
    let slot = high & mask;
    while (!this.#isFreeAt(slot) && (this.#high[slot] !== high || this.#low[slot] !== low)) slot = (slot + 1) & mask;
    return slot;
  }

  #put(high: number, low: number): void {
    const slot = this.#find(high, low);
    this.#high[slot] = high;
    this.#low[slot] = low;
  }

  #grow(): void {
    const [oldHigh, oldLow] = [this.#high, this.#low];
    this.#high = new Uint32Array(2 * oldHigh.length);
    this.#low = new Uint32Array(2 * oldLow.length);
    for (let slot = 0; slot < oldHigh.length; slot++) {
      if (oldHigh[slot] !== 0 || oldLow[slot] !== 0) this.#put(oldHigh[slot]!, oldLow[slot]!);
    }
  }
}

/** Two multiplicative hashes with different seeds, mixed at the end; never both zero, which marks a free slot. */
function fingerprint(userKey: string, messageId: string): [number, number] {
  const text = `${messageId}\n${userKey}`;
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return [a >>> 0, (b | 1) >>> 0];
}

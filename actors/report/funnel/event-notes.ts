// A funnel's note on an event, as one number: the set of selectors that chose it, the value held constant, and the group of the
// breakdown's value.
//   EN1. Triples are numbered as they occur: values that hardly repeat make as many notes as events. `bytes` is their memory.

const free = 0;

export class StepNotes {
  private count = 0;
  /** Note n is the three numbers from 3 * n. */
  private triples = new Uint32Array(3 * 64);
  /** Note + 1, open addressing. */
  private slots = new Uint32Array(256);

  get bytes(): number {
    return this.triples.byteLength + this.slots.byteLength;
  }

  set(note: number): number {
    return this.triples[3 * note];
  }

  held(note: number): number {
    return this.triples[3 * note + 1];
  }

  group(note: number): number {
    return this.triples[3 * note + 2];
  }

  noteOf(set: number, held: number, group: number): number {
    const slot = this.slotOf(set, held, group);
    return this.slots[slot] === free ? this.append(slot, set, held, group) : this.slots[slot] - 1;
  }

  /** The slot of the triple, or the free slot where it belongs. */
  private slotOf(set: number, held: number, group: number): number {
    const {slots, triples} = this;
    const mask = slots.length - 1;
    let hash = Math.imul(set ^ Math.imul(held ^ Math.imul(group, 0x9e3779b1), 0x85ebca6b), 0xc2b2ae35);
    hash ^= hash >>> 15;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const at = 3 * (slots[slot] - 1);
      if (slots[slot] === free) return slot;
      if (triples[at] === set && triples[at + 1] === held && triples[at + 2] === group) return slot;
    }
  }

  private append(slot: number, set: number, held: number, group: number): number {
    const note = this.count++;
    if (3 * note === this.triples.length) {
      const grown = new Uint32Array(this.triples.length * 2);
      grown.set(this.triples);
      this.triples = grown;
    }
    this.triples[3 * note] = set;
    this.triples[3 * note + 1] = held;
    this.triples[3 * note + 2] = group;
    this.slots[slot] = note + 1;
    if (this.count * 2 > this.slots.length) this.rehash();
    return note;
  }

  private rehash(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let note = 0; note < this.count; note++)
      this.slots[this.slotOf(this.set(note), this.held(note), this.group(note))] = note + 1;
  }
}

// A queue that entries may also leave from its middle. Each step takes the same time however long the queue is: a Set would skip
// the places of all entries that left at its front, at every look for the first one.

/** An entry between its neighbours. */
export interface FifoEntry<Value> {
  readonly value: Value;
  before: FifoEntry<Value> | undefined;
  after: FifoEntry<Value> | undefined;
}

export class Fifo<Value> {
  length = 0;
  private first: FifoEntry<Value> | undefined;
  private last: FifoEntry<Value> | undefined;

  /** @returns the entry, for `remove`. */
  add(value: Value): FifoEntry<Value> {
    const entry: FifoEntry<Value> = {value, before: this.last, after: undefined};
    if (this.last === undefined) this.first = entry;
    else this.last.after = entry;
    this.last = entry;
    this.length += 1;
    return entry;
  }

  /** The value that was added first; it leaves the queue. Undefined: the queue is empty. */
  shift(): Value | undefined {
    if (this.first === undefined) return undefined;
    const {value} = this.first;
    this.remove(this.first);
    return value;
  }

  /** `entry` must be in the queue. */
  remove({before, after}: FifoEntry<Value>): void {
    if (before === undefined) this.first = after;
    else before.after = after;
    if (after === undefined) this.last = before;
    else after.before = before;
    this.length -= 1;
  }
}

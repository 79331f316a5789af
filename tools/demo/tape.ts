// The entries of a shop up to a time, then up to a later one, and so on.
import type {ShopEntry} from '../shop/entry.js';

export class Tape {
  private readonly entries: Iterator<ShopEntry, unknown, void>;
  /** The entry that was read and is not due yet. */
  private ahead: ShopEntry | undefined;

  constructor(entries: Iterator<ShopEntry, unknown, void>) {
    this.entries = entries;
  }

  /** Entries before `endMs` that were not read yet. */
  *until(endMs: number): Generator<ShopEntry, void, void> {
    for (;;) {
      if (this.ahead === undefined) {
        const next = this.entries.next();
        if (next.done) return;
        this.ahead = next.value as ShopEntry;
      }
      if (this.ahead.timeMs >= endMs) return;
      const entry = this.ahead;
      this.ahead = undefined;
      yield entry;
    }
  }
}

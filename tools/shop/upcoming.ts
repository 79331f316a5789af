// Entries made before their time: earliest first, those of one ms in the order of addition.
import type {ShopEntry} from './entry.js';

interface Waiting {
  readonly entry: ShopEntry;
  readonly added: number;
}

const isBefore = (a: Waiting, b: Waiting): boolean =>
  a.entry.timeMs < b.entry.timeMs || (a.entry.timeMs === b.entry.timeMs && a.added < b.added);

/** A binary heap. */
export class Upcoming {
  private readonly heap: Waiting[] = [];
  private added = 0;

  add(entry: ShopEntry): void {
    const {heap} = this;
    let at = heap.push({entry, added: this.added++}) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(heap[at]!, heap[parent]!)) break;
      this.swap(at, parent);
      at = parent;
    }
  }

  /** Takes the earliest entry, if it is before `endMs`. */
  takeBefore(endMs: number): ShopEntry | undefined {
    const {heap} = this;
    const first = heap[0];
    if (first === undefined || first.entry.timeMs >= endMs) return undefined;
    const last = heap.pop()!;
    if (heap.length > 0) {
      heap[0] = last;
      this.sink();
    }
    return first.entry;
  }

  private sink(): void {
    const {heap} = this;
    for (let at = 0; ; ) {
      let child = 2 * at + 1;
      if (child >= heap.length) return;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, heap[at]!)) return;
      this.swap(at, child);
      at = child;
    }
  }

  private swap(a: number, b: number): void {
    const {heap} = this;
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  }
}

// Sorted runs as a merge reads them: side by side, each block opened when something of it is needed.
//   RC1. A block that no other run reaches into need not be opened: the merged run takes it over as it is.

import type {EncodedBlock, PartRef, RunBlock} from '../../../actors/manifest.js';

/** A block of a run, in the store or in memory alone. */
export interface SourceBlock {
  /** The lowest and the highest of its keys (days, users), both in it. */
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
  /** Undefined while it is not in the store. */
  readonly part: PartRef | undefined;
  load(): Promise<Uint8Array>;
}

export const blockInStore = (
  {first, last, part}: RunBlock,
  load: (ref: PartRef) => Promise<Uint8Array>,
): SourceBlock => ({
  first,
  last,
  bytes: part.bytes,
  part,
  load: () => load(part),
});

export const blockInMemory = ({first, last, payload}: EncodedBlock): SourceBlock => ({
  first,
  last,
  bytes: payload.length,
  part: undefined,
  load: async () => payload,
});

/** Where a merge is in one of its runs. */
export abstract class RunCursor {
  private readonly run: readonly SourceBlock[];
  private at = 0;
  isOpen = false;
  /** The next one; of a block that is not open its first. Infinite at the end. */
  key: number;

  constructor(run: readonly SourceBlock[]) {
    this.run = run;
    this.key = this.firstAhead;
  }

  private get firstAhead(): number {
    return this.run[this.at]?.first ?? Number.POSITIVE_INFINITY;
  }

  /** The block that begins with `key`, if it is not open. */
  get ahead(): SourceBlock | undefined {
    return this.isOpen ? undefined : this.run[this.at];
  }

  async open(): Promise<void> {
    this.enter(await this.run[this.at].load());
    this.isOpen = true;
    this.at += 1;
    this.step();
  }

  /** To the next key. */
  step(): void {
    const key = this.nextKey();
    if (key !== undefined) {
      this.key = key;
      return;
    }
    this.isOpen = false;
    this.key = this.firstAhead;
  }

  /** Behind the block that is not open. */
  skip(): void {
    this.at += 1;
    this.key = this.firstAhead;
  }

  /** While a block is open: about so many bytes of it are ahead. */
  abstract get restBytes(): number;
  protected abstract enter(payload: Uint8Array): void;
  /** Of the block that was entered last; undefined at its end. */
  protected abstract nextKey(): number | undefined;
}

/** The one whose key is the lowest, the oldest of those. */
export function lowestOf<C extends RunCursor>(cursors: readonly C[]): C {
  let lowest = cursors[0];
  for (const cursor of cursors) if (cursor.key < lowest.key) lowest = cursor;
  return lowest;
}

/** The block ahead of `lowest`, if none of the others has a key up to its end. RC1 */
export function aloneAhead<C extends RunCursor>(lowest: C, cursors: readonly C[]): SourceBlock | undefined {
  const block = lowest.ahead;
  if (block === undefined) return undefined;
  for (const cursor of cursors) if (cursor !== lowest && cursor.key <= block.last) return undefined;
  return block;
}

/** One that has to be opened before what stands at `key` can be read. */
export function unopenedAt<C extends RunCursor>(key: number, cursors: readonly C[]): C | undefined {
  for (const cursor of cursors) if (cursor.key === key && !cursor.isOpen) return cursor;
  return undefined;
}

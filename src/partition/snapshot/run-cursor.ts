// Cursors over sorted runs, for merging: a block is opened only when its content is needed.
//   RC1. A block that no other run reaches into is not opened: the merged run takes it over.

import type {EncodedBlock, PartRef, RunBlock} from '../../../actors/manifest.js';

/** A block of a run, in the store or in memory only. */
export interface SourceBlock {
  /** Its lowest and highest key (days, users), inclusive. */
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
  /** Undefined while the store does not have it. */
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

/** Position of a merge in one of its runs. */
export abstract class RunCursor {
  private readonly run: readonly SourceBlock[];
  private at = 0;
  isOpen = false;
  /** The next key; the first key of a block that is not open. Infinite at the end. */
  key: number;

  constructor(run: readonly SourceBlock[]) {
    this.run = run;
    this.key = this.firstAhead;
  }

  private get firstAhead(): number {
    return this.run[this.at]?.first ?? Number.POSITIVE_INFINITY;
  }

  /** The next block, if it is not open yet. */
  get ahead(): SourceBlock | undefined {
    return this.isOpen ? undefined : this.run[this.at];
  }

  async open(): Promise<void> {
    const block = this.run[this.at];
    this.enter(await block.load(), block.first);
    this.isOpen = true;
    this.at += 1;
    this.step();
  }

  /** Moves to the next key. */
  step(): void {
    const key = this.nextKey();
    if (key !== undefined) {
      this.key = key;
      return;
    }
    this.isOpen = false;
    this.key = this.firstAhead;
  }

  /** Skips the next block without opening it. */
  skip(): void {
    this.at += 1;
    this.key = this.firstAhead;
  }

  /** Estimated bytes left in the open block. */
  abstract get restBytes(): number;
  /** `first`: the lowest key that counts. */
  protected abstract enter(payload: Uint8Array, first: number): void;
  /** Next key of the open block; undefined at its end. */
  protected abstract nextKey(): number | undefined;
}

/** The cursor with the lowest key; among equal keys the oldest. */
export function lowestOf<C extends RunCursor>(cursors: readonly C[]): C {
  let lowest = cursors[0];
  for (const cursor of cursors) if (cursor.key < lowest.key) lowest = cursor;
  return lowest;
}

/** The next block of `lowest`, if no other cursor has a key up to its end. RC1 */
export function aloneAhead<C extends RunCursor>(lowest: C, cursors: readonly C[]): SourceBlock | undefined {
  const block = lowest.ahead;
  if (block === undefined) return undefined;
  for (const cursor of cursors) if (cursor !== lowest && cursor.key <= block.last) return undefined;
  return block;
}

/** A cursor at `key` whose block must be opened first. */
export function unopenedAt<C extends RunCursor>(key: number, cursors: readonly C[]): C | undefined {
  for (const cursor of cursors) if (cursor.key === key && !cursor.isOpen) return cursor;
  return undefined;
}

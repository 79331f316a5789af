// Parts of a name that snapshots append to, and whose oldest ones go: message ids, completed deletions, records of changes.
//   Owns:    the list of the parts, each with a note of its actor. Does not own: their bytes.
//
//   JO1. A new block joins its predecessors once it is a quarter of their size, so each thing is written once per level, and there
//        are few blocks. Blocks that cannot be read stay as they are.
//   JO2. Newer blocks have higher numbers, and are later in the list.
import type {FrozenPart, Payload} from './actor.js';
import {must} from './invariant.js';

export const sizeRatio = 4;

/** Number of the newest runs to merge into one; 1: none. */
export function mergeCount(sizes: readonly number[], ratio: number): number {
  let count = 1;
  let total = sizes[sizes.length - 1] ?? 0;
  while (count < sizes.length && total * ratio >= sizes[sizes.length - 1 - count]) {
    total += sizes[sizes.length - 1 - count];
    count += 1;
  }
  return count;
}

/** A stored block: the number of things in it, and what the actor must know of them without reading them. */
export interface JournalBlock<Note> {
  readonly block: number;
  readonly count: number;
  readonly note: Note;
}

/** Content of a block. */
interface JournalContent<Note> extends Omit<JournalBlock<Note>, 'block'> {
  readonly encode: () => Uint8Array;
}

export class Journal<Note> {
  blocks: readonly JournalBlock<Note>[] = [];
  private next = 0;

  constructor(readonly name: string) {}

  /** Number of things in all blocks. */
  get count(): number {
    return this.blocks.reduce((sum, {count}) => sum + count, 0);
  }

  noteOf(block: number): Note {
    return must(
      this.blocks.find((one) => one.block === block),
      'a journal lists its blocks',
    ).note;
  }

  restore(blocks: readonly JournalBlock<Note>[]): void {
    this.blocks = blocks;
    this.next = (blocks.at(-1)?.block ?? -1) + 1;
  }

  /** Drops these blocks. */
  drop(dropped: readonly JournalBlock<Note>[]): FrozenPart[] {
    this.blocks = this.blocks.filter((one) => !dropped.includes(one));
    return dropped.map(({block}) => ({name: this.name, block, payload: null}));
  }

  /** Appends a block. It joins the newest ones of `joinable`: `join` makes one content of theirs and its own. JO1 */
  append(
    {encode, ...fresh}: JournalContent<Note>,
    joinable: readonly JournalBlock<Note>[],
    join: (older: readonly Payload[]) => JournalContent<Note>,
  ): FrozenPart {
    const {name} = this;
    const block = this.next++;
    const merged = mergeCount([...joinable.map(({count}) => count), fresh.count], sizeRatio) - 1;
    const joined = merged === 0 ? [] : joinable.slice(-merged);
    this.blocks = [...this.blocks, {block, ...fresh}];
    if (joined.length === 0) return {name, block, payload: encode()};
    return {
      name,
      block,
      get payload() {
        return encode();
      },
      joins: {
        blocks: joined.map((one) => one.block),
        join: (older) => {
          const {encode: encodeAll, count, note} = join(older);
          const others = this.blocks.filter((one) => one.block !== block && !joined.includes(one));
          this.blocks = [...others, {block, count, note}];
          return encodeAll();
        },
      },
    };
  }
}

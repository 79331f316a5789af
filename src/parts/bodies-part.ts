// Blocks of bodies, decompressed from the members of their part (actors/chunk/bodies.ts).
import {promisify} from 'node:util';
import {gunzip} from 'node:zlib';
import {type BodiesLayout, bodiesLayout} from '../../actors/chunk/bodies.js';
import {bodyBlockRows, entryBytesMax} from '../../actors/limits.js';
import type {PartRef} from '../../actors/manifest.js';
import {storedBlock} from './stored-member.js';
import {DamagedPart} from './stored-parts.js';

const inflate = promisify(gunzip);

/** A block has one body a row, each at most an entry and its length: a member that inflates to more is damaged. */
const bodyBlockBytesMax = bodyBlockRows * (entryBytesMax + 8);

/** A whole bodies part, for a pass over its blocks. */
export class BodiesPart {
  private readonly ref: PartRef;
  private readonly bytes: Uint8Array;
  private readonly layout: BodiesLayout;

  constructor(ref: PartRef, bytes: Uint8Array) {
    this.ref = ref;
    this.bytes = bytes;
    this.layout = bodiesLayout(bytes);
  }

  get blocks(): number {
    return this.layout.starts.length;
  }

  member(block: number): Uint8Array {
    return this.bytes.subarray(this.layout.starts[block], this.layout.ends[block]);
  }

  /** @throws DamagedPart */
  async block(block: number): Promise<Uint8Array> {
    const member = this.member(block);
    return storedBlock(member) ?? inflatedBlock(this.ref, block, member);
  }
}

/** @throws DamagedPart */
export async function inflatedBlock(ref: PartRef, block: number, member: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const inflated = await inflate(member, {maxOutputLength: bodyBlockBytesMax});
    // A copy: zlib returns a slice of a buffer that may be much larger, and the cache counts lengths.
    return new Uint8Array(inflated);
  } catch (cause) {
    throw new DamagedPart(ref, `block ${block} does not inflate`, {cause});
  }
}

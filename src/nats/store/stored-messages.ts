// Messages of a stream of the service's own nats-server, read out of its storage blocks. Through the server a value is copied some
// five times, in two processes.
//   SM1. A place is a guess: the server may have rewritten the block since it was looked through. The caller tells by the bytes
//        whether they are the message's. If not, the block is looked through once more; what is not found then is asked of the server.
//   SM2. No file stays open: the server replaces and unlinks blocks, and bytes of a deleted user would stay on the disk.
//   SM3. Sequences ascend from block to block, so a message can be in one block only.
import {closeSync, fstatSync, openSync, read as readCallback, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {blocksFolder, checksumBytes, recordsOf} from './storage-block.js';

const read = promisify(readCallback);

interface Place {
  readonly sequence: number;
  readonly at: number;
  readonly bytes: number;
}

/** What a look through a block found. */
interface BlockLook {
  readonly number: number;
  /** Tells a block from the one that replaced it. */
  readonly inode: number;
  /** Its messages, by sequence. */
  readonly places: readonly Place[];
  /** End of the records. */
  readonly end: number;
  /** Sequence of its last message; of the one before the block, if it has none. */
  readonly last: number;
}

export class StoredMessages {
  private readonly folder: string;
  /** By block number. */
  private looks: BlockLook[] = [];

  /** `storeFolder`: the server's. */
  constructor(storeFolder: string, stream: string) {
    this.folder = blocksFolder(storeFolder, stream);
  }

  /** The bytes of the message; undefined: the server is to be asked. SM1 */
  async read(sequence: number, isRight: (bytes: Uint8Array) => boolean): Promise<Uint8Array | undefined> {
    try {
      if (sequence > (this.looks.at(-1)?.last ?? 0)) this.lookForNew();
      const look = this.lookFor(sequence);
      const bytes = look && (await this.bytesIn(look, sequence));
      if (look === undefined || (bytes !== undefined && isRight(bytes))) return bytes;
      const again = await this.bytesIn(this.lookAgain(look), sequence);
      return again !== undefined && isRight(again) ? again : undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      return undefined; // The server tells what is wrong with its files.
    }
  }

  /** The look at the block that may have the message. SM3 */
  private lookFor(sequence: number): BlockLook | undefined {
    let [low, high] = [0, this.looks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.looks[middle]!.last < sequence) low = middle + 1;
      else high = middle;
    }
    return this.looks[low];
  }

  private async bytesIn({number, places}: BlockLook, sequence: number): Promise<Uint8Array | undefined> {
    const place = places.find((each) => each.sequence === sequence);
    if (place === undefined) return undefined;
    const bytes = Buffer.allocUnsafeSlow(place.bytes);
    const file = openSync(this.pathOf(number), 'r');
    try {
      const {bytesRead} = await read(file, bytes, 0, place.bytes, place.at);
      return bytesRead === place.bytes ? bytes : undefined;
    } finally {
      closeSync(file);
    }
  }

  private lookForNew(): void {
    const there = this.blockNumbers();
    const isThere = new Set(there);
    const looks = this.looks.filter(({number}) => isThere.has(number));
    const newest = looks.pop();
    for (const number of there) {
      if (number >= (newest?.number ?? 0)) looks.push(this.lookThrough(number, looks.at(-1), newest));
    }
    this.looks = looks;
  }

  private lookAgain({number}: BlockLook): BlockLook {
    const at = this.looks.findIndex((each) => each.number === number);
    const look = this.lookThrough(number, this.looks[at - 1]);
    if (at >= 0) this.looks[at] = look;
    return look;
  }

  /** Looks through a block, from where an earlier look at it ended. `before`: the look at the block before. */
  private lookThrough(number: number, before: BlockLook | undefined, earlier?: BlockLook): BlockLook {
    const file = openSync(this.pathOf(number), 'r');
    try {
      const inode = fstatSync(file).ino;
      const known = earlier?.number === number && earlier.inode === inode ? earlier : undefined;
      const places = [...(known?.places ?? [])];
      let end = known?.end ?? 0;
      for (const {kind, sequence, at, length, bytesAt} of recordsOf(file, end)) {
        end = at + length;
        const bytes = end - checksumBytes - bytesAt;
        if (kind === 'message' && bytes >= 0) places.push({sequence: Number(sequence), at: bytesAt, bytes});
      }
      return {number, inode, places, end, last: places.at(-1)?.sequence ?? before?.last ?? 0};
    } finally {
      closeSync(file);
    }
  }

  private pathOf(number: number): string {
    return join(this.folder, `${number}.blk`);
  }

  private blockNumbers(): number[] {
    const numbers = readdirSync(this.folder).flatMap((name) => /^(\d+)\.blk$/.exec(name)?.[1] ?? []);
    return numbers.map(Number).sort((a, b) => a - b);
  }
}

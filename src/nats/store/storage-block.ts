// Records of a nats-server storage block (`<n>.blk`, not compressed), as in its file:
//   record = length u32 (bit 31: has headers)  sequence u64  time i64  subjectLength u16
//            subject  [headersLength u32  headers]  bytes  checksum u64                               (little endian)
//   sequence: bit 63 of a record that was erased (only random bytes follow), bit 62 of a tombstone: the message with that
//   sequence is deleted.
import {createHash, randomFillSync} from 'node:crypto';
import {readSync} from 'node:fs';
import {join} from 'node:path';
import {highwayHash64} from './highway-hash.js';

/** The blocks of a stream. `storeFolder`: the server's. */
export const blocksFolder = (storeFolder: string, stream: string): string =>
  join(storeFolder, 'jetstream', '$G', 'streams', stream, 'msgs');

const headBytes = 22;
/** Head, subject and the length of the headers: subjects of ours are short. */
const readBytes = 256;
export const checksumBytes = 8;
const hasHeaders = 2 ** 31;
const erasedBit = 1n << 63n;
const tombstoneBit = 1n << 62n;
/** Bytes of the head that the checksum includes: sequence and time. */
const [signedStart, signedEnd] = [4, 20];

export interface BlockRecord {
  readonly kind: 'message' | 'tombstone' | 'erased';
  readonly sequence: bigint;
  /** Place of the record in the file. */
  readonly at: number;
  readonly length: number;
  /** Place of the message's bytes in the file. They end before the checksum. */
  readonly bytesAt: number;
}

/** The records of an open file from `start`, where one begins, up to the first place where none does. */
export function* recordsOf(file: number, start = 0): Generator<BlockRecord, void, void> {
  const head = Buffer.alloc(readBytes);
  for (let at = start; ; ) {
    const read = readSync(file, head, 0, readBytes, at);
    if (read < headBytes) return;
    const length = head.readUInt32LE(0) % hasHeaders;
    if (length < headBytes + checksumBytes) return;
    const marked = head.readBigUInt64LE(signedStart);
    const kind = (marked & erasedBit) !== 0n ? 'erased' : (marked & tombstoneBit) !== 0n ? 'tombstone' : 'message';
    yield {kind, sequence: marked & (tombstoneBit - 1n), at, length, bytesAt: at + bytesStart(head, read)};
    at += length;
  }
}

/** Where the bytes of a message begin in its record; past all of a record whose subject is longer than those of ours. */
function bytesStart(head: Buffer, read: number): number {
  const subjectEnd = headBytes + head.readUInt16LE(signedEnd);
  if (head.readUInt32LE(0) < hasHeaders) return subjectEnd;
  return subjectEnd + 4 <= read ? subjectEnd + 4 + head.readUInt32LE(subjectEnd) : Number.POSITIVE_INFINITY;
}

/** Checksums of a block's records. */
export class BlockChecksum {
  private readonly key: Uint8Array;

  constructor(stream: string, blockNumber: number) {
    this.key = createHash('sha256').update(`${stream}-${blockNumber}`).digest();
  }

  isRight(record: Buffer): boolean {
    return record.readBigUInt64LE(record.length - checksumBytes) === this.of(record);
  }

  /** Erases a record as the server does. */
  erase(record: Buffer): void {
    const sequence = record.readBigUInt64LE(signedStart);
    randomFillSync(record);
    record.writeUInt32LE(record.length, 0);
    record.writeBigUInt64LE(sequence | erasedBit, signedStart);
    record.fill(0, signedStart + 8, headBytes);
    record.writeBigUInt64LE(this.of(record), record.length - checksumBytes);
  }

  /** The lengths of subject and headers are not included. */
  private of(record: Buffer): bigint {
    const subjectEnd = headBytes + record.readUInt16LE(signedEnd);
    const rest = subjectEnd + (record.readUInt32LE(0) >= hasHeaders ? 4 : 0);
    const signed = [
      record.subarray(signedStart, signedEnd),
      record.subarray(headBytes, subjectEnd),
      record.subarray(rest, record.length - checksumBytes),
    ];
    return highwayHash64(this.key, Buffer.concat(signed));
  }
}

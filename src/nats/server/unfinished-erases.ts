// Erases that a killed nats-server had begun. It writes a tombstone for a message before it rewrites the message's storage block
// without its bytes; no later server finishes that, and all of them say that there is no such message.
//   UE1. A message with a later tombstone is erased, and only while no server runs.
//   UE2. A record that is not whole, as far as we know the format, is left alone and reported: the format is the server's.
//   UE3. A block is rewritten as another file, which replaces it: a crash leaves the one or the other.
import {closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {BlockChecksum, type BlockRecord, recordsOf} from '../store/storage-block.js';

interface Block {
  readonly number: number;
  readonly path: string;
  readonly records: readonly BlockRecord[];
}

interface FinishedErases {
  readonly erased: number;
  /** Messages whose bytes are still on the disk. UE2 */
  readonly left: number;
}

/** `folder`: the blocks of a stream of which no deleted message may stay on the disk; it need not exist. */
export function finishErases(folder: string, stream: string): FinishedErases {
  const done = {erased: 0, left: 0};
  if (!existsSync(folder)) return done;
  const blocks = blocksOf(folder);
  for (const [block, dead] of deadRecords(blocks)) {
    const erased = eraseIn(block, dead, stream);
    done.erased += erased;
    done.left += dead.length - erased;
  }
  return done;
}

/** Blocks in the order of their numbers. */
function blocksOf(folder: string): Block[] {
  const numbers = readdirSync(folder).flatMap((name) => /^(\d+)\.blk$/.exec(name)?.[1] ?? []);
  return numbers
    .map(Number)
    .sort((a, b) => a - b)
    .map((number) => {
      const path = join(folder, `${number}.blk`);
      const file = openSync(path, 'r');
      try {
        return {number, path, records: [...recordsOf(file)]};
      } finally {
        closeSync(file);
      }
    });
}

/** Messages with a later tombstone. UE1 */
function deadRecords(blocks: readonly Block[]): Map<Block, BlockRecord[]> {
  const dead = new Map<Block, BlockRecord[]>();
  const buried = new Set<bigint>();
  for (const block of [...blocks].reverse()) {
    for (const record of [...block.records].reverse()) {
      if (record.kind === 'tombstone') buried.add(record.sequence);
      else if (record.kind === 'message' && buried.has(record.sequence)) {
        const others = dead.get(block) ?? [];
        dead.set(block, [...others, record]);
      }
    }
  }
  return dead;
}

/** @returns how many it erased. */
function eraseIn({number, path}: Block, records: readonly BlockRecord[], stream: string): number {
  const bytes = readFileSync(path);
  const checksum = new BlockChecksum(stream, number);
  const whole = records.map(({at, length}) => bytes.subarray(at, at + length)).filter((each) => checksum.isRight(each));
  if (whole.length === 0) return 0;
  for (const record of whole) checksum.erase(record);
  replace(path, bytes);
  return whole.length;
}

/** Replaces the file atomically. UE3 */
function replace(path: string, bytes: Buffer): void {
  const beside = `${path}.tmp`;
  const file = openSync(beside, 'w', 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(beside, path);
  const folder = openSync(join(path, '..'), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

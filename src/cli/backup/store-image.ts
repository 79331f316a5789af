// The files of a DATA_DIR at one instant, and their copy.
//   SI1. A file that is only appended to, or replaced by a file of the same name, is not read at that instant: it is opened,
//        and its length at that instant is copied. nats-server appends to storage blocks, and rewrites one into a new file
//        beside it. Files that it writes in place (indexes and settings of streams) are read at once.
//   SI2. Files of the running process are left out: lock, notes, logs and unfinished files.

import {closeSync, fstatSync, mkdirSync, openSync, read as readCallback, readdirSync, readFileSync} from 'node:fs';
import {type FileHandle, open} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {promisify} from 'node:util';
import {crc32} from 'node:zlib';
import {BackupFault} from './backup-fault.js';

const read = promisify(readCallback);

const pieceBytes = 1024 * 1024;

/** Names of files that are left out. SI2 */
const leftOut = [
  /^lock(-draft)?\.\d+$/,
  /^service\.json/,
  /^first-keys/,
  /^write-probe\.\d+$/,
  /^nats\/ports(\/|$)/,
  /^nats\/server\.(conf|err|log)/,
  /\.(tmp|draft)$/,
];

const isWrittenInPlace = (path: string): boolean => path.startsWith('nats/jetstream/') && !path.endsWith('.blk');

interface OpenFile {
  readonly path: string;
  readonly bytes: number;
  readonly from: {readonly fd: number} | {readonly content: Uint8Array};
}

export class StoreImage {
  private constructor(private readonly files: readonly OpenFile[]) {}

  /** Captures the files, synchronously, while the server is stopped. SI1 */
  static take(dataDir: string): StoreImage {
    const files: OpenFile[] = [];
    try {
      for (const entry of readdirSync(dataDir, {recursive: true, withFileTypes: true})) {
        const path = join(entry.parentPath, entry.name).slice(dataDir.length + 1);
        if (entry.isFile() && !leftOut.some((form) => form.test(path))) files.push(openFile(dataDir, path));
      }
      return new StoreImage(files);
    } catch (cause) {
      closeAll(files);
      if ((cause as NodeJS.ErrnoException).code !== 'EMFILE') throw cause;
      throw new BackupFault(
        `the store has more files than this process may open (${files.length}): raise the limit (ulimit -n)`,
        {cause},
      );
    }
  }

  get bytes(): number {
    return this.files.reduce((sum, {bytes}) => sum + bytes, 0);
  }

  get count(): number {
    return this.files.length;
  }

  /** Writes all files below `target`, durably and for its owner only, and reads them back. */
  async copyTo(target: string): Promise<void> {
    for (const file of this.files) {
      const path = join(target, file.path);
      mkdirSync(dirname(path), {recursive: true, mode: 0o700});
      const written = await copyFile(file, path);
      if ((await checksumOf(path)) !== written)
        throw new BackupFault(`${path} does not read back the bytes that were written: the disk is damaged`);
    }
    await syncFolders(target);
  }

  close(): void {
    closeAll(this.files);
  }
}

function openFile(dataDir: string, path: string): OpenFile {
  if (isWrittenInPlace(path)) {
    const content = readFileSync(join(dataDir, path));
    return {path, bytes: content.length, from: {content}};
  }
  const fd = openSync(join(dataDir, path), 'r');
  return {path, bytes: fstatSync(fd).size, from: {fd}};
}

function closeAll(files: readonly OpenFile[]): void {
  for (const {from} of files) if ('fd' in from) closeSync(from.fd);
}

/** @returns the checksum of the written bytes. */
async function copyFile(file: OpenFile, path: string): Promise<number> {
  const to = await open(path, 'wx', 0o600);
  try {
    let checksum = 0;
    for await (const piece of piecesOf(file)) {
      checksum = crc32(piece, checksum);
      await writeAll(to, piece);
    }
    await to.sync();
    return checksum;
  } finally {
    await to.close();
  }
}

async function* piecesOf({path, bytes, from}: OpenFile): AsyncGenerator<Uint8Array> {
  if ('content' in from) {
    yield from.content;
    return;
  }
  const buffer = Buffer.alloc(Math.min(pieceBytes, bytes));
  for (let at = 0; at < bytes; ) {
    const {bytesRead} = await read(from.fd, buffer, 0, Math.min(buffer.length, bytes - at), at);
    if (bytesRead === 0)
      throw new BackupFault(`${path} was truncated during the backup: only its service may change a store`);
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

async function writeAll(to: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length; ) at += (await to.write(piece, at)).bytesWritten;
}

async function checksumOf(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    let checksum = 0;
    const buffer = Buffer.alloc(pieceBytes);
    for (;;) {
      const {bytesRead} = await file.read(buffer, 0, pieceBytes);
      if (bytesRead === 0) return checksum;
      checksum = crc32(buffer.subarray(0, bytesRead), checksum);
    }
  } finally {
    await file.close();
  }
}

/** New names are durable once their folders are synced. */
async function syncFolders(target: string): Promise<void> {
  const below = readdirSync(target, {recursive: true, withFileTypes: true}).filter((entry) => entry.isDirectory());
  for (const path of [target, ...below.map(({parentPath, name}) => join(parentPath, name))]) {
    const folder = await open(path, 'r');
    await folder.sync();
    await folder.close();
  }
}

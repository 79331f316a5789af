// The files in a zip archive, by its directory at the end (PKWARE's APPNOTE, 4.3 and 4.5): where their bytes are, and how they
// are packed.
//   Z1. The directory decides, not what stands between the files. Its size is bounded.

import type {FileHandle} from 'node:fs/promises';
import {SourceFault} from './source-fault.js';

export interface ZipEntry {
  readonly name: string;
  readonly isDeflated: boolean;
  /** Place of its local header. */
  readonly headerAt: number;
  readonly packedBytes: number;
}

const endBytes = 22;
const commentBytesMax = 0xffff;
const locatorBytes = 20;
const end64Bytes = 56;
const directoryBytesMax = 64 * 1024 * 1024;
const signature = {end: 0x06054b50, locator: 0x07064b50, end64: 0x06064b50, entry: 0x02014b50, header: 0x04034b50};
const unsaid32 = 0xffffffff;

/** Sorted by name; folders, empty files and what macOS adds are left out. */
export async function zipEntries(file: FileHandle, fileBytes: number): Promise<readonly ZipEntry[]> {
  const {at, bytes} = await directoryOf(file, fileBytes);
  if (bytes > directoryBytesMax || at + bytes > fileBytes) throw brokenZip();
  const directory = await bytesAt(file, at, bytes);
  const entries: ZipEntry[] = [];
  for (let next = 0; next < directory.length; ) {
    if (next + 46 > directory.length || directory.readUInt32LE(next) !== signature.entry) throw brokenZip();
    const nameEnd = next + 46 + directory.readUInt16LE(next + 28);
    const extraEnd = nameEnd + directory.readUInt16LE(next + 30);
    if (extraEnd > directory.length) throw brokenZip();
    const name = directory.toString('utf8', next + 46, nameEnd);
    const method = directory.readUInt16LE(next + 10);
    const sizes = sizesOf(directory.subarray(next, extraEnd), nameEnd - next);
    if (!/(^|\/)(__MACOSX\/|\.)|\/$/.test(name) && sizes.packedBytes > 0) {
      if ((directory.readUInt16LE(next + 8) & 1) !== 0) throw new SourceFault(`${name} in the archive is encrypted.`);
      if (method !== 0 && method !== 8) throw new SourceFault(`${name} in the archive is packed by method ${method}.`);
      entries.push({name, isDeflated: method === 8, ...sizes});
    }
    next = extraEnd + directory.readUInt16LE(next + 32);
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Place of the first byte of an entry's content. */
export async function contentAt(file: FileHandle, {headerAt}: ZipEntry): Promise<number> {
  const header = await bytesAt(file, headerAt, 30);
  if (header.readUInt32LE(0) !== signature.header) throw brokenZip();
  return headerAt + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
}

async function directoryOf(file: FileHandle, fileBytes: number): Promise<{at: number; bytes: number}> {
  const tailAt = Math.max(0, fileBytes - endBytes - commentBytesMax);
  const tail = await bytesAt(file, tailAt, fileBytes - tailAt);
  let end = tail.length - endBytes;
  while (end >= 0 && tail.readUInt32LE(end) !== signature.end) end--;
  if (end < 0) throw brokenZip();
  const [bytes, at] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (at !== unsaid32 && bytes !== unsaid32) return {at, bytes};
  const locatorAt = tailAt + end - locatorBytes;
  if (locatorAt < 0) throw brokenZip();
  const locator = await bytesAt(file, locatorAt, locatorBytes);
  if (locator.readUInt32LE(0) !== signature.locator) throw brokenZip();
  const end64 = await bytesAt(file, Number(locator.readBigUInt64LE(8)), end64Bytes);
  if (end64.readUInt32LE(0) !== signature.end64) throw brokenZip();
  return {bytes: Number(end64.readBigUInt64LE(40)), at: Number(end64.readBigUInt64LE(48))};
}

/** What 32 bits do not hold is in an extra field, in this order: size, packed size, place. */
function sizesOf(entry: Buffer, nameEnd: number): Pick<ZipEntry, 'headerAt' | 'packedBytes'> {
  const sizes = [entry.readUInt32LE(24), entry.readUInt32LE(20), entry.readUInt32LE(42)];
  for (let at = nameEnd; at + 4 <= entry.length; at += 4 + entry.readUInt16LE(at + 2)) {
    if (entry.readUInt16LE(at) !== 1) continue;
    let next = at + 4;
    for (const [which, size] of sizes.entries()) {
      if (size !== unsaid32) continue;
      if (next + 8 > entry.length) throw brokenZip();
      sizes[which] = Number(entry.readBigUInt64LE(next));
      next += 8;
    }
    break;
  }
  return {packedBytes: sizes[1]!, headerAt: sizes[2]!};
}

async function bytesAt(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const {buffer, bytesRead} = await file.read(Buffer.alloc(bytes), 0, bytes, at);
  if (bytesRead < bytes) throw brokenZip();
  return buffer;
}

const brokenZip = (): SourceFault => new SourceFault('the zip archive is cut or broken.');

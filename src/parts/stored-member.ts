// Gzip members (RFC 1952) whose block is stored uncompressed (RFC 1951, 3.2.4). They are written and read without zlib: each use
// of zlib costs some 20 to 50 us, with the hop to the thread pool and back. Any gzip reads them.
import {crc32} from 'node:zlib';

/** Magic, deflate, no flags, no time, no hint, made on an unknown system; then one last block, stored. */
const head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1];
/** Head, length and its complement; then the block; then its checksum and its length. */
const blockStart = 15;
const frameBytes = blockStart + 8;

/** `block`: below 64 KiB. */
export function storedMember(block: Uint8Array): Uint8Array {
  const {length} = block;
  const member = new Uint8Array(frameBytes + length);
  const fields = new DataView(member.buffer);
  member.set(head);
  fields.setUint16(11, length, true);
  fields.setUint16(13, ~length & 0xffff, true);
  member.set(block, blockStart);
  fields.setUint32(blockStart + length, crc32(block), true);
  fields.setUint32(blockStart + length + 4, length, true);
  return member;
}

/** A view of the block of such a member; undefined for any other member, and for a damaged one: gunzip reports how. */
export function storedBlock<B extends ArrayBufferLike>(member: Uint8Array<B>): Uint8Array<B> | undefined {
  const length = member.length - frameBytes;
  if (length < 0 || head.some((byte, i) => member[i] !== byte)) return undefined;
  const fields = new DataView(member.buffer, member.byteOffset, member.length);
  const end = blockStart + length;
  const isSound =
    fields.getUint16(11, true) === length &&
    fields.getUint16(13, true) === (~length & 0xffff) &&
    fields.getUint32(end + 4, true) === length;
  const block = member.subarray(blockStart, end);
  return isSound && fields.getUint32(end, true) === crc32(block) ? block : undefined;
}

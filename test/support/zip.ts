// Zip archives for tests.

import {deflateRawSync} from 'node:zlib';

export interface Packed {
  readonly name: string;
  readonly content: Buffer;
  readonly isDeflated?: boolean;
  readonly isEncrypted?: boolean;
}

/** An archive as `zip` writes it; with `is64`, places are in the fields for large archives. */
export function zipOf(files: readonly Packed[], is64 = false): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const {name, content, isDeflated = true, isEncrypted = false} of files) {
    const packed = isDeflated && content.length > 0 ? deflateRawSync(content) : content;
    const header = Buffer.alloc(30 + name.length + 4);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(name.length, 26);
    header.writeUInt16LE(4, 28);
    header.write(name, 30);
    const extra = is64 ? Buffer.alloc(12) : Buffer.alloc(0);
    if (is64) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(8, 2);
      extra.writeBigUInt64LE(BigInt(at), 4);
    }
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(isEncrypted ? 1 : 0, 8);
    entry.writeUInt16LE(isDeflated && content.length > 0 ? 8 : 0, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(content.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(extra.length, 30);
    entry.writeUInt32LE(is64 ? 0xffffffff : at, 42);
    directory.push(entry, Buffer.from(name), extra);
    pieces.push(header, packed);
    at += header.length + packed.length;
  }
  const bytes = Buffer.concat(directory);
  const end64 = Buffer.alloc(is64 ? 76 : 0);
  if (is64) {
    end64.writeUInt32LE(0x06064b50, 0);
    end64.writeBigUInt64LE(BigInt(bytes.length), 40);
    end64.writeBigUInt64LE(BigInt(at), 48);
    end64.writeUInt32LE(0x07064b50, 56);
    end64.writeBigUInt64LE(BigInt(at + bytes.length), 64);
  }
  const end = Buffer.alloc(22 + 5);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(bytes.length, 12);
  end.writeUInt32LE(is64 ? 0xffffffff : at, 16);
  end.writeUInt16LE(5, 20);
  end.write('notes', 22);
  return Buffer.concat([...pieces, bytes, end64, end]);
}

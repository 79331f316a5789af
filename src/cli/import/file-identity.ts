// Identity of a file by its content: names change and files are copied.

import {hash} from 'node:crypto';
import {stat} from 'node:fs/promises';
import {openContent} from './content.js';
import {SourceFault} from './source-fault.js';

const headBytesMax = 64 * 1024;

export interface FileIdentity {
  /** Size on disk. */
  readonly bytes: number;
  /** SHA-256 of the first 64 KiB after decompression: a file and its gzip copy are the same file. */
  readonly headSha256: string;
}

const sentence = (path: string, cause: NodeJS.ErrnoException): string =>
  cause.code === 'ENOENT' ? `there is no file ${path}` : `cannot read ${path}: ${cause.message}`;

export async function identifyFile(path: string, isTable = false): Promise<FileIdentity> {
  const {size} = await stat(path).catch((cause: Error) => {
    throw new SourceFault(sentence(path, cause), {cause});
  });
  return {bytes: size, headSha256: hash('sha256', await readHead(path, isTable), 'hex')};
}

/** At most 64 KiB of the content. */
export async function readHead(path: string, isTable = false): Promise<Buffer> {
  const content = await openContent(path, isTable);
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const {bytes: part} of content.parts()) {
      for await (const piece of part) {
        pieces.push(piece as Buffer);
        bytes += (piece as Buffer).length;
        if (bytes >= headBytesMax) break;
      }
      break; // Of an archive: its first file.
    }
  } catch (error) {
    if (error instanceof SourceFault) throw error;
    throw new SourceFault(`${path} cannot be read: ${(error as Error).message}`, {cause: error});
  } finally {
    content.close();
  }
  return Buffer.concat(pieces).subarray(0, headBytesMax);
}

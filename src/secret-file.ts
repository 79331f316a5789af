// Reads a secret from a file of its own, as Docker, Kubernetes and systemd provide secrets: child processes inherit the
// environment, and `docker inspect` shows it.
import {closeSync, openSync, readSync} from 'node:fs';

/** Bytes of a secret: the longest is a NATS token. A path of another kind (/dev/zero) must not be read further. */
const secretBytesMax = 4_096;

type SecretFile =
  | {readonly kind: 'secret'; readonly text: string}
  /** Follows the name of the variable; never contains the file's content. */
  | {readonly kind: 'bad'; readonly why: string};

/** A line break at the end is the editor's, not part of the secret. */
export function readSecretFile(path: string): SecretFile {
  let text: string;
  try {
    text = firstBytes(path, secretBytesMax + 1).toString('utf8');
  } catch (error) {
    return {kind: 'bad', why: `cannot be read: ${(error as Error).message}`};
  }
  if (text.length > secretBytesMax) return {kind: 'bad', why: `names a file of more than ${secretBytesMax} bytes`};
  const secret = text.replace(/\r?\n$/, '');
  return secret === '' ? {kind: 'bad', why: 'names an empty file'} : {kind: 'secret', text: secret};
}

function firstBytes(path: string, bytesMax: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(bytesMax);
    let end = 0;
    for (let read = -1; read !== 0 && end < bytesMax; end += read)
      read = readSync(file, bytes, end, bytesMax - end, null);
    return bytes.subarray(0, end);
  } finally {
    closeSync(file);
  }
}

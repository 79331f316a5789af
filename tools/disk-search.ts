// Searches for texts in every byte under a folder: raw, JSON-escaped, base64 at each alignment, hex, UTF-16, and inside every
// gzip member in any file. It finds what a person with an editor, or with a found disk, could find.
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {constants, inflateRawSync} from 'node:zlib';

export interface Found {
  readonly file: string;
  /** Encoding of the text that was found. */
  readonly form: string;
  readonly marker: string;
}

interface Needle {
  readonly form: string;
  readonly bytes: Buffer;
}

/** Base64 encodes three bytes at a time: after 0, 1 or 2 other bytes the text looks different, except at its edges. */
function base64Forms(marker: string): Needle[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), Buffer.from(marker)])
      .toString('base64')
      .replace(/=+$/, '');
    const from = shift === 0 ? 0 : shift + 1;
    return {form: `base64+${shift}`, bytes: Buffer.from(encoded.slice(from, -2))};
  });
}

const jsonEscaped = (marker: string): string =>
  [...marker].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

function needlesOf(marker: string): Needle[] {
  const raw = Buffer.from(marker);
  return [
    {form: 'raw', bytes: raw},
    {form: 'json', bytes: Buffer.from(jsonEscaped(marker))},
    {form: 'hex', bytes: Buffer.from(raw.toString('hex'))},
    {form: 'HEX', bytes: Buffer.from(raw.toString('hex').toUpperCase())},
    {form: 'utf16le', bytes: Buffer.from(marker, 'utf16le')},
    {form: 'utf16be', bytes: Buffer.from(marker, 'utf16le').swap16()},
    ...base64Forms(marker),
  ];
}

/** A gzip header without optional fields; a raw deflate stream follows it, and any bytes follow that. */
const gzipMagic = Buffer.from([0x1f, 0x8b, 0x08, 0x00]);
const gzipHeaderBytes = 10;

/** All members that inflate in these bytes, truncated ones included. */
function* gzipMembers(bytes: Buffer): Generator<Buffer> {
  for (let at = bytes.indexOf(gzipMagic); at >= 0; at = bytes.indexOf(gzipMagic, at + 1)) {
    try {
      const stream = bytes.subarray(at + gzipHeaderBytes);
      yield inflateRawSync(stream, {finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 64 * 1024 * 1024});
    } catch (error) {
      // Four bytes that look like the head of a member do not inflate.
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }
}

/** All files under `folder`; links are not followed. */
export function filesUnder(folder: string): string[] {
  return readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, {throwIfNoEntry: false})?.isFile() === true);
}

/** Files under `folder` with any of the markers, which must have 16 characters or more: shorter ones occur by chance. */
export function searchDisk(folder: string, markers: readonly string[]): Found[] {
  const needles = markers.flatMap((marker) => needlesOf(marker).map((needle) => ({...needle, marker})));
  const found: Found[] = [];
  for (const file of filesUnder(folder)) {
    const bytes = readIfThere(file);
    for (const {form, marker, bytes: needle} of needles) if (bytes.includes(needle)) found.push({file, form, marker});
    for (const member of gzipMembers(bytes)) {
      for (const {form, marker, bytes: needle} of needles) {
        if (member.includes(needle)) found.push({file, form: `gzip ${form}`, marker});
      }
    }
  }
  return found;
}

/** Empty for a file that the server removed during the search. */
function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

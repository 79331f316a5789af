// Chunks (RFC 9112, 7.1). The parser is lenient where no harm follows: a chunked request is the last of its connection.
import {broken, type Case, takenLast, waits, waitsForBody} from './case.js';
import {chunk, chunked, lastChunk, post} from './wire.js';

const inChunks = (chunks: (body: string) => string) => (body: string) => post([chunked], chunks(body));
/** One chunk of the whole body, under a size line of its own. */
const sized = (line: (size: string) => string) =>
  inChunks((body) => `${line(body.length.toString(16))}\r\n${body}\r\n${lastChunk}`);
const pieces = (body: string, size: number): string =>
  (body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map(chunk).join('') + lastChunk;

export const chunkCases: readonly Case[] = [
  takenLast(
    'a chunk for every byte',
    inChunks((body) => pieces(body, 1)),
  ),
  takenLast(
    'chunks of 7 bytes',
    inChunks((body) => pieces(body, 7)),
  ),
  takenLast(
    'a size in capitals',
    sized((size) => size.toUpperCase()),
  ),
  takenLast(
    'a size with leading zeros',
    sized((size) => `0000${size}`),
  ),
  broken(
    'the last chunk alone',
    400,
    inChunks(() => lastChunk),
  ),
  broken(
    'a negative size',
    400,
    sized((size) => `-${size}`),
  ),
  broken(
    'a size with 0x',
    400,
    sized((size) => `0x${size}`),
  ),
  broken(
    'a size with a sign',
    400,
    sized((size) => `+${size}`),
  ),
  broken(
    'a size that is no number',
    400,
    sized(() => 'zz'),
  ),
  broken(
    'a digit past f',
    400,
    sized(() => 'g'),
  ),
  broken(
    'no size',
    505,
    sized(() => ''),
  ),
  broken(
    'a space before the size',
    505,
    sized((size) => ` ${size}`),
  ),
  broken(
    'a size of 64 bits',
    400,
    sized(() => 'f'.repeat(16)),
  ),
  broken(
    'a size that wraps around 64 bits',
    400,
    sized((size) => `1${size.padStart(16, '0')}`),
  ),
  broken(
    'a size that wraps around 32 bits',
    413,
    inChunks((body) => `1${body.length.toString(16).padStart(8, '0')}\r\n${body.padEnd(1_000_000)}`),
  ),
  broken(
    'chunks past the bound of the route',
    413,
    inChunks(() => chunk('x'.repeat(50_000)).repeat(20)),
  ),
  broken(
    'a size that is too small',
    400,
    sized(() => '5'),
  ),
  waitsForBody(
    'no chunk',
    inChunks(() => ''),
  ),
  waits(
    'a size that is too large',
    sized((size) => `1${size}`),
  ),
  waits(
    'a size far too large',
    sized(() => 'fffffffffffffff'),
  ),
  // `;` passes for a hexadecimal digit: the request waits for a body that never comes.
  waits(
    'a chunk extension',
    sized((size) => `${size};a=b`),
  ),
  waits(
    'a chunk extension with a bare line feed',
    sized((size) => `${size};a\nb`),
  ),
  broken(
    'a chunk extension of 40 KiB',
    400,
    sized((size) => `${size};${'a'.repeat(40_000)}`),
  ),
  broken(
    'a trailer',
    505,
    inChunks((body) => `${chunk(body)}0\r\nX-Trailer: y\r\n\r\n`),
  ),
  broken(
    'trailers that would change the request',
    505,
    inChunks((body) => `${chunk(body)}0\r\nContent-Length: 5\r\nAuthorization: x\r\n\r\n`),
  ),
  takenLast(
    'a space behind the size',
    sized((size) => `${size} `),
  ),
  takenLast(
    'other bytes in place of the line end of a chunk',
    inChunks((body) => `${body.length.toString(16)}\r\n${body}XX${lastChunk}`),
  ),
  takenLast(
    'bare line feeds between chunks',
    inChunks((body) => `${body.length.toString(16)}\n${body}\n\n0\n\n\n`),
  ),
  waits(
    'no last chunk',
    inChunks((body) => chunk(body)),
  ),
  takenLast(
    'the last chunk without its empty line',
    inChunks((body) => `${chunk(body)}0\r\n`),
  ),
];

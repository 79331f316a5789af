// Chunks (RFC 9112, 7.1). The parser is lenient where no harm follows: a chunked request is the last of its connection.
import {broken, type Case, takenLast, waits, waitsForBody} from './case.js';
import {chunk, chunked, lastChunk, post} from './wire.js';

const sent = (chunks: string): string => post([chunked], chunks);
/** One chunk of the whole body under this size line, in which `#` is the size. */
const sized = (line: string) => (body: string) =>
  sent(`${line.replaceAll('#', body.length.toString(16))}\r\n${body}\r\n${lastChunk}`);
const pieces = (body: string, size: number): string =>
  (body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map(chunk).join('') + lastChunk;

export const chunkCases: readonly Case[] = [
  takenLast('a chunk for every byte', (body) => sent(pieces(body, 1))),
  takenLast('chunks of 7 bytes', (body) => sent(pieces(body, 7))),
  takenLast('a size in capitals', (body) => sized(body.length.toString(16).toUpperCase())(body)),
  takenLast('a size with leading zeros', sized('0000#')),
  broken('the last chunk alone', 400, () => sent(lastChunk)),
  broken('a negative size', 400, sized('-#')),
  broken('a size with 0x', 400, sized('0x#')),
  broken('a size with a sign', 400, sized('+#')),
  broken('a size that is no number', 400, sized('zz')),
  broken('a digit past f', 400, sized('g')),
  broken('no size', 505, sized('')),
  broken('a space before the size', 505, sized(' #')),
  broken('a size of 64 bits', 400, sized('f'.repeat(16))),
  broken('a size that wraps around 64 bits', 400, sized(`1${'0'.repeat(14)}#`)),
  broken('a size that wraps around 32 bits', 413, (body) =>
    sent(`1${body.length.toString(16).padStart(8, '0')}\r\n${body.padEnd(1_000_000)}`),
  ),
  broken('chunks past the bound of the route', 413, () => sent(chunk('x'.repeat(50_000)).repeat(20))),
  broken('a size that is too small', 400, sized('5')),
  waitsForBody('no chunk', () => sent('')),
  waits('a size that is too large', sized('1#')),
  waits('a size far too large', sized('fffffffffffffff')),
  // `;` passes for a hexadecimal digit: the request waits for a body that never comes.
  waits('a chunk extension', sized('#;a=b')),
  waits('a chunk extension with a bare line feed', sized('#;a\nb')),
  broken('a chunk extension of 40 KiB', 400, sized(`#;${'a'.repeat(40_000)}`)),
  broken('a trailer', 505, (body) => sent(`${chunk(body)}0\r\nX-Trailer: y\r\n\r\n`)),
  broken('trailers that would change the request', 505, (body) =>
    sent(`${chunk(body)}0\r\nContent-Length: 5\r\nAuthorization: x\r\n\r\n`),
  ),
  takenLast('a space behind the size', sized('# ')),
  takenLast('other bytes in place of the line end of a chunk', (body) =>
    sent(`${body.length.toString(16)}\r\n${body}XX${lastChunk}`),
  ),
  takenLast('bare line feeds between chunks', (body) => sent(`${body.length.toString(16)}\n${body}\n\n0\n\n\n`)),
  waits('no last chunk', (body) => sent(chunk(body))),
  takenLast('the last chunk without its empty line', (body) => sent(`${chunk(body)}0\r\n`)),
];

// Where a body ends: Content-Length and Transfer-Encoding (RFC 9112, 6).
import {broken, type Case, cut, refused, shown, taken, takenLast, waits} from './case.js';
import {chunk, chunked, get, json, lastChunk, lengthOf, message, post} from './wire.js';

const inChunks = (encoding: readonly string[]) => (body: string) => post(encoding, chunk(body) + lastChunk);
/** `#` is the length. */
const withLength = (value: string) => (body: string) =>
  post([`Content-Length:${value.replaceAll('#', `${body.length}`)}`], body);

export const framingCases: readonly Case[] = [
  taken('a length', withLength(' #')),
  taken('a length without a space', withLength('#')),
  taken('a length between spaces and tabs', withLength('\t  # \t')),
  taken('a length with leading zeros', withLength(' 000#')),
  broken('no length at all', 400, () => post([], '')),
  refused('a length of 0', 400, () => post(['Content-Length: 0'], '')),
  cut('two lengths that agree', (body) => post([lengthOf(body), lengthOf(body)], body)),
  cut('two lengths that differ', (body) => post([lengthOf(body), 'Content-Length: 5'], body)),
  cut('two lengths, the right one last', (body) => post(['Content-Length: 5', lengthOf(body)], body)),
  cut('two lengths in different case', (body) => post([lengthOf(body), lengthOf(body).toLowerCase()], body)),
  cut('a list of lengths', withLength(' #, #')),
  cut('an empty length', withLength(' ')),
  cut('a signed length', withLength(' +#')),
  cut('a negative length', withLength(' -#')),
  cut('a hexadecimal length', (body) => withLength(` 0x${body.length.toString(16)}`)(body)),
  cut('a fraction', withLength(' #.0')),
  cut('a length with an exponent', withLength(' 3e1')),
  cut('a length with a gap', withLength(' 3 1')),
  cut('a length in other digits', withLength(' \xb2\xb3')),
  broken('a length of 20 digits', 400, withLength(' 99999999999999999999')),
  broken('a length that wraps around 64 bits', 400, (body) => withLength(` ${2n ** 64n + BigInt(body.length)}`)(body)),
  broken('a length with 30 zeros', 400, withLength(` ${'0'.repeat(30)}#`)),
  {...waits('a length past the bound of the route', () => post(['Content-Length: 99999999999'], '')), answers: [413]},
  broken('a length and chunks', 400, (body) => post([lengthOf(body), chunked], chunk(body) + lastChunk)),
  broken('chunks and a length', 400, (body) => post([chunked, lengthOf(body)], chunk(body) + lastChunk)),
  takenLast('chunks', inChunks([chunked])),
  takenLast('chunks in capitals', inChunks(['TRANSFER-ENCODING: CHUNKED'])),
  ...[
    'identity',
    'gzip',
    'xchunked',
    'chunkedx',
    'chunked, chunked',
    'gzip, chunked',
    'chunked, identity',
    'identity, chunked',
    ', chunked',
    'chunked,',
    '"chunked"',
    'chunked;q=1',
    'chunked; a=b',
    'chun ked',
    '',
  ].map((encoding) => cut(`Transfer-Encoding: ${encoding}`, inChunks([`Transfer-Encoding: ${encoding}`]))),
  cut('chunked on two lines', inChunks([chunked, chunked])),
  cut('chunked and identity on two lines', inChunks([chunked, 'Transfer-Encoding: identity'])),
  cut('identity and chunked on two lines', inChunks(['Transfer-Encoding: identity', chunked])),
  broken('an encoding behind a vertical tab', 400, inChunks(['Transfer-Encoding: \x0bchunked'])),
  broken('an encoding on a folded line', 400, inChunks(['Transfer-Encoding:\r\n chunked'])),
  broken('an encoding with a space before the colon', 400, inChunks(['Transfer-Encoding : chunked'])),
  shown('a GET with a body', () => get('/healthz', ['Content-Length: 5']) + 'hello'),
  {...shown('a GET with chunks', () => get('/healthz', [chunked]) + chunk('hello') + lastChunk), ending: 'closed'},
  taken('Expect: 100-continue', (body) => post([lengthOf(body), 'Expect: 100-continue'], body)),
  refused('a body on a path that is not there', 404, () =>
    message(['POST /nothing HTTP/1.1', 'Host: x', json, 'Content-Length: 5'], 'hello'),
  ),
  refused('a body without a key', 401, (body) =>
    message(['POST /v1/events HTTP/1.1', 'Host: x', json, lengthOf(body)], body),
  ),
];

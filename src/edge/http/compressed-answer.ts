// Compression of whole answers for clients that accept it. Documents are compressed once (document.ts), exports line by line
// (line-answer.ts).
//   CA1. Answers to reads and questions alone, above 1 KiB: the answer to an event pays one comparison.
//   CA2. The thread pool compresses, so that the thread of the edge takes events meanwhile. Some large answers at a time: a further one
//        is sent as it is, and waits for none.
//   CA3. No secret is compressed beside the text of another person, who could guess it by the length (BREACH): keys, secrets of webhooks
//        and tokens of links are in answers to changes, sessions in answers with a cookie.
//   CA4. A compressed answer has the weak form of its tag: other bytes, the same content. A client that sends this form gets it back
//        with its 304.
import {promisify} from 'node:util';
import {brotliCompress, gzip, constants as zlib} from 'node:zlib';
import type {Header} from '../failure.js';
import {type Encoding, encodingFor} from './accept-encoding.js';
import {AnswerShare} from './unread-answers.js';

/** Smaller answers fit one segment of a network as they are. CA1 */
export const compressedCharactersMin = 1_024;
/** From here on an answer is large. CA2 */
const largeCharactersMin = 64 * 1024;
const largeMax = 2;
let largeNow = 0;

/** Cheap levels: a fifth of the bytes of a history. Higher ones take three times as long for a sixth less. */
const compress: Readonly<Record<Encoding, (body: string | Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, {params: {[zlib.BROTLI_PARAM_QUALITY]: 1}}),
  gzip: (body) => promisify(gzip)(body, {level: 1}),
};

const vary: Header = ['Vary', 'Accept-Encoding'];
/** Their routes decide themselves how they are sent, or what they have must not be compressed. CA3 */
const isOwnWay = ([name]: Header): boolean => name === 'Vary' || name === 'Content-Encoding' || name === 'Set-Cookie';

/** Whether an answer to a read is sent as its client accepts it. CA1, CA3 */
export const isCompressible = (status: string, headers: readonly Header[] | undefined): boolean =>
  status === '200 OK' && headers?.some(isOwnWay) !== true;

export interface EncodedAnswer {
  readonly body: string | Buffer;
  readonly headers: readonly Header[];
}

/** The answer as the client accepts it; a promise if that takes the thread pool. `accepted`: Accept-Encoding of the request. */
export function encodedAnswer(
  accepted: string,
  body: string | Buffer,
  headers: readonly Header[] = [],
): EncodedAnswer | Promise<EncodedAnswer> {
  const plain = {body, headers: [...headers, vary]};
  const encoding = encodingFor(accepted);
  if (encoding === undefined) return plain;
  const encoded = (bytes: Buffer): EncodedAnswer => ({
    body: bytes,
    headers: [...withWeakTag(plain.headers), ['Content-Encoding', encoding]],
  });
  if (body.length < largeCharactersMin) return compress[encoding](body).then(encoded);
  const share = new AnswerShare();
  if (largeNow >= largeMax || !share.take(body.length)) return plain; // CA2
  largeNow += 1;
  return compress[encoding](body)
    .then(encoded)
    .finally(() => {
      largeNow -= 1;
      share.release();
    });
}

/** CA4 */
const withWeakTag = (headers: readonly Header[]): readonly Header[] =>
  headers.map(([name, value]) => [name, name === 'ETag' && value.startsWith('"') ? `W/${value}` : value]);

/** Those of a 304, which has what the whole answer had. `isWeak`: the client sent the weak form of the tag. CA4 */
export const headersOfUnchanged = (headers: readonly Header[] = [], isWeak: boolean): readonly Header[] => [
  ...(isWeak ? withWeakTag(headers) : headers),
  ...(headers.some(isOwnWay) ? [] : [vary]),
];

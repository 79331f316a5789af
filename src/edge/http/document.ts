// A document that is the same for everybody: made once as bytes, plain and compressed, and not sent to a client that has it.
//   DO1. The tag is strong: each form of the bytes has its own. A client that has any form of the present content gets 304.
import {createHash} from 'node:crypto';
import {promisify} from 'node:util';
import {brotliCompress, gzip, constants as zlib} from 'node:zlib';
import type {Header} from '../failure.js';
import {type Encoding, encodingFor, encodings} from './accept-encoding.js';
import type {Exchange} from './exchange.js';

interface Form {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly headers: readonly Header[];
}

export interface Document {
  readonly type: string;
  readonly plain: Form;
  readonly encoded: Readonly<Partial<Record<Encoding, Form>>>;
}

/** A document out of bytes that are compressed already. `headers`: of every answer. */
export function documentOf(
  type: string,
  bytes: Buffer,
  encoded: Readonly<Partial<Record<Encoding, Buffer>>>,
  headers: readonly Header[],
): Document {
  const form = (of: Buffer, encoding?: Encoding): Form => {
    const etag = `"${createHash('sha256').update(of).digest('base64url').slice(0, 22)}"`;
    const ofEncoding: readonly Header[] = encoding === undefined ? [] : [['Content-Encoding', encoding]];
    return {bytes: of, etag, headers: [...headers, ['ETag', etag], ['Vary', 'Accept-Encoding'], ...ofEncoding]};
  };
  const forms = encodings.flatMap((name) => (encoded[name] === undefined ? [] : [[name, form(encoded[name], name)]]));
  return {type, plain: form(bytes), encoded: Object.fromEntries(forms)};
}

/** Compresses in the thread pool. The quality takes some 20 ms for a megabyte, and the best one seconds. */
export async function compressed(type: string, text: string, headers: readonly Header[]): Promise<Document> {
  const bytes = Buffer.from(text);
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(bytes, {params: {[zlib.BROTLI_PARAM_QUALITY]: 5}}),
    promisify(gzip)(bytes),
  ]);
  return documentOf(type, bytes, {br, gzip: zipped}, headers);
}

/** `accepted`: Accept-Encoding of the request. `more`: headers of this answer alone. */
export function answerDocument(
  exchange: Exchange,
  accepted: string,
  {type, plain, encoded}: Document,
  more: readonly Header[] = [],
): void {
  const offered = encodings.filter((name) => encoded[name] !== undefined);
  const encoding = encodingFor(accepted, offered);
  const best = encoding === undefined ? plain : encoded[encoding]!;
  const held = heldBy(exchange, [best, plain, ...Object.values(encoded)]);
  const {bytes, headers: own} = held ?? best;
  const headers = more.length === 0 ? own : [...own, ...more];
  if (held !== undefined) exchange.answer('304 Not Modified', undefined, '', headers);
  else exchange.answer('200 OK', type, bytes, headers);
}

/** The form that the client has. DO1. Proxies that compress make a tag weak: the content is the same. */
function heldBy({ifNoneMatch}: Exchange, forms: readonly Form[]): Form | undefined {
  if (ifNoneMatch === undefined) return undefined;
  if (ifNoneMatch.trim() === '*') return forms[0];
  const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return forms.find(({etag}) => tags.includes(etag));
}

// The head of an answer: the headers of every answer, and those that a route adds.
//   A1. An answer belongs to one client: no cache stores it unless its route says otherwise, and no browser guesses its type.
//   A2. uWebSockets.js ends a connection after 8 to 12 idle seconds, which no setting changes. `Keep-Alive` tells the client to
//       close first: a request that meets the server's close is lost. An answer that ends its connection has no such header.

import type {Header} from '../failure.js';
import type {HttpResponse} from './transport.js';

const idleSecondsMin = 8;

export interface Head {
  /** Undefined for an answer without a body. */
  readonly contentType: string | undefined;
  readonly isCorsOpen: boolean;
  /** The one origin that may read the answer, with its credentials; undefined: every origin, if any. */
  readonly echoedOrigin: string | undefined;
  readonly headers: readonly Header[] | undefined;
  /** Undefined on an accepted write whose client sent no id (request-id.ts). */
  readonly requestId: string | undefined;
  /** The connection ends with this answer. */
  readonly closes: boolean;
}

/** The newest lines: answers to the entries of one log message have the same. */
const newest = {
  contentType: '' as string | undefined,
  isCorsOpen: false,
  echoedOrigin: undefined as string | undefined,
  headers: undefined as readonly Header[] | undefined,
  closes: false,
  bytes: Buffer.alloc(0),
};

/** Writes all header lines after the status, except the length and the end of the connection. */
export function writeHead(res: HttpResponse, head: Head): void {
  res.writeHeader('X-Content-Type-Options', linesOf(head));
  if (head.requestId !== undefined) res.writeHeader('X-Request-Id', head.requestId);
}

/**
 * All lines in one value: uWebSockets.js copies a value unchanged, and each call costs 0.2 us. Names and values from clients are
 * visible ASCII (cors.ts) or percent-encoded (`Ignored-Fields`): none ends a line. Bytes, as uWebSockets.js would measure and encode a
 * text with every answer.
 */
function linesOf({contentType, isCorsOpen, echoedOrigin: echoed, headers, closes}: Head): Buffer {
  if (
    headers === newest.headers &&
    contentType === newest.contentType &&
    isCorsOpen === newest.isCorsOpen &&
    echoed === newest.echoedOrigin &&
    closes === newest.closes
  ) {
    return newest.bytes;
  }
  let text = 'nosniff';
  if (contentType !== undefined) text += `\r\nContent-Type: ${contentType}`;
  if (!headers?.some(isCacheControl)) text += '\r\nCache-Control: no-store'; // A1
  if (isCorsOpen && echoed === undefined) text += '\r\nAccess-Control-Allow-Origin: *';
  else if (isCorsOpen) for (const [name, value] of echoedOrigin(echoed!)) text += `\r\n${name}: ${value}`;
  for (const [name, value] of headers ?? []) text += `\r\n${name}: ${value}`;
  if (!closes) text += `\r\nKeep-Alive: timeout=${idleSecondsMin}`; // A2
  newest.contentType = contentType;
  newest.isCorsOpen = isCorsOpen;
  newest.echoedOrigin = echoed;
  newest.headers = headers;
  newest.closes = closes;
  newest.bytes = Buffer.from(text);
  return newest.bytes;
}

/** Lets this origin read an answer to a request with credentials, for which `*` does not count. */
export const echoedOrigin = (origin: string): readonly Header[] => [
  ['Access-Control-Allow-Origin', origin],
  ['Access-Control-Allow-Credentials', 'true'],
  ['Vary', 'Origin'],
];

const isCacheControl = ([name]: Header): boolean => name === 'Cache-Control';

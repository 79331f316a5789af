// CORS: preflights before a page of another origin may send, and which answers it may read (docs/api/events.md, Browsers).
//   C1. Any page may send to the write routes, and may read every answer of them, also the error for a path or method that does
//       not exist: otherwise a page with a misspelt path would see no answer at all.
import type {Header} from '../failure.js';
import {echoedOrigin} from '../http/answer-head.js';
import type {Preflight} from '../http/exchange.js';
import {type Route, readEndpoint} from '../route.js';

const anyOrigin: readonly Header[] = [['Access-Control-Allow-Origin', '*']];

/** Visible ASCII: an origin that goes into a header of the answer. */
const echoableOrigin = /^[!-~]{1,256}$/;

/**
 * The origin that answers of compatible routes name. Some libraries send all requests with credentials, and behind `*` a page could
 * not read their answers: it would take a 503 for done. Undefined: `*`.
 */
export const originToEcho = (route: Route | undefined, origin: string | undefined): string | undefined =>
  route?.isCompatible && origin !== undefined && echoableOrigin.test(origin) ? origin : undefined;

const ownHeaders = 'Authorization, Content-Type, Content-Encoding';
const askedCharsMax = 1_024;
/** A list of tokens. RFC 9110, 5.6.1 and 5.6.2. */
const tokens = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;

/** Allows all headers that a page asks for: libraries send their own, and the service ignores them. */
function allowedHeaders({headers}: Preflight): string {
  return headers.length <= askedCharsMax && tokens.test(headers) ? headers : ownHeaders;
}

// The answer has a body, and is no 204: the edge can hold back only a body from a client that does not read (exchange.ts, X6).
export const preflightBody = '{"status":"ok"}';
export const preflightHeaders = (preflight: Preflight, echoed: string | undefined): readonly Header[] => [
  ...(echoed === undefined ? anyOrigin : echoedOrigin(echoed)),
  ['Access-Control-Allow-Methods', echoed === undefined ? 'POST' : 'GET, POST'],
  ['Access-Control-Allow-Headers', allowedHeaders(preflight)],
  ['Access-Control-Max-Age', '86400'],
];

/** Paths of the write routes and misspellings of these. C1 */
const isNearWriteRoutes = (path: string): boolean => path.startsWith('/v1/');

/** Whether this is the preflight of a POST that a page may send, even if the answer says that the path does not exist. */
export function mayPreflight(path: string, route: Route | undefined, {method}: Preflight): boolean {
  if (route === undefined) return method === 'POST' && isNearWriteRoutes(path);
  return route.isWriteRoute === true || route.isCompatible === true;
}

/** Whether every origin may read the answer. C1 */
export function isOpenToPages(path: string, route: Route | undefined, method: string): boolean {
  if (route === undefined) return method === 'POST' && isNearWriteRoutes(path);
  if (route.isCompatible) return true;
  return route.isWriteRoute === true && (method === 'POST' || readEndpoint(route, method) === undefined);
}

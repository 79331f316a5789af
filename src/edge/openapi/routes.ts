// GET /openapi.json and GET /docs, the description for programs and for people, and GET /licenses, the notices of what is bundled.
//   OD1. Each is made once as bytes, for each of the newest prefixes where it has links: making one takes milliseconds of the thread
//        that takes events.
//   OD2. Nobody needs a key, so each address has a limit.

import {readFile} from 'node:fs/promises';
import {AddressLimits} from '../admission/address-limits.js';
import {RateLimit} from '../admission/rate-limit.js';
import type {Header} from '../failure.js';
import {answerDocument, compressed, type Document} from '../http/document.js';
import {pathPrefix} from '../http/path-prefix.js';
import type {Handle} from '../route.js';
import {contentSecurityPolicy} from './page/page.js';

const readsPerMinute = 120;
const ofAddress = new RateLimit('descriptions', readsPerMinute, 60);
const limits = new AddressLimits<'descriptions'>();

/** A service has one prefix for each proxy in front of it. OD1 */
const prefixesMax = 8;

// A new version of the service may answer at the same address.
const always: readonly Header[] = [['Cache-Control', 'no-cache']];

const ofPage: readonly Header[] = [
  ...always,
  ['Content-Security-Policy', contentSecurityPolicy],
  ['Referrer-Policy', 'no-referrer'],
];

/** `text`: made of a prefix. */
export const serveDescription = (text: (prefix: string) => string): Handle =>
  serve((prefix) => compressed('application/json; charset=utf-8', text(prefix), always));

export const servePage = (text: (prefix: string) => string): Handle =>
  serve((prefix) => compressed('text/html; charset=utf-8', text(prefix), ofPage));

/** The build writes it (scripts/notices.mjs). */
const noticesFile = new URL('../../../THIRD-PARTY-NOTICES.txt', import.meta.url);

export const serveNotices = (): Handle =>
  serve(
    async () => compressed('text/plain; charset=utf-8', await readFile(noticesFile, 'utf8'), always),
    () => '',
  );

function serve(make: (prefix: string) => Promise<Document>, prefixOf = pathPrefix): Handle {
  /** The first made is the first to go. */
  const made = new Map<string, Promise<Document>>();
  return async (front, exchange) => {
    const admitted = limits.admit(ofAddress, '', front.clientAddresses.of(exchange), exchange.receivedMs);
    if (typeof admitted !== 'function') {
      const message = `your address read /docs, /openapi.json and /licenses more than ${readsPerMinute} times a minute: try again later`;
      return exchange.fail({...admitted, message});
    }
    const prefix = prefixOf(front, exchange);
    const {acceptEncoding} = exchange;
    const document = made.get(prefix) ?? make(prefix);
    made.set(prefix, document);
    if (made.size > prefixesMax) made.delete(made.keys().next().value!);
    answerDocument(exchange, acceptEncoding, await document);
  };
}

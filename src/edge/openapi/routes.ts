// GET /openapi.json and GET /docs, the description for programs and for people, and GET /licenses, the notices of what is bundled.
//   OD1. The build makes each. A service compresses it once, for each of the newest prefixes where it has links.
//   OD2. Nobody needs a key, so each address has a limit.

import {readFile} from 'node:fs/promises';
import {AddressLimits} from '../admission/address-limits.js';
import type {Header} from '../failure.js';
import {answerDocument, compressed, type Document} from '../http/document.js';
import {pathPrefix} from '../http/path-prefix.js';
import {RateLimit} from '../http/rate-limit.js';
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

/** Stands for the prefix in the files of the description: a path that no prefix has. */
export const prefixMark = '/__PREFIX__';

/** The build writes them (scripts/bundle.mjs, scripts/notices.mjs). */
const builtFiles = {
  description: new URL('../../../openapi.json', import.meta.url),
  page: new URL('../../../docs.html', import.meta.url),
  notices: new URL('../../../THIRD-PARTY-NOTICES.txt', import.meta.url),
};

/** The address of the service is `/` where it has no prefix. */
export const serveDescription = (): Handle =>
  serve(async (prefix) => {
    const text = await readFile(builtFiles.description, 'utf8');
    return compressed('application/json; charset=utf-8', text.replaceAll(prefixMark, prefix || '/'), always);
  });

export const servePage = (): Handle =>
  serve(async (prefix) => {
    const text = await readFile(builtFiles.page, 'utf8');
    return compressed('text/html; charset=utf-8', text.replaceAll(prefixMark, prefix), ofPage);
  });

export const serveNotices = (): Handle =>
  serve(
    async () => compressed('text/plain; charset=utf-8', await readFile(builtFiles.notices, 'utf8'), always),
    () => '',
  );

function serve(make: (prefix: string) => Promise<Document>, prefixOf = pathPrefix): Handle {
  /** The first made is the first to go. */
  const made = new Map<string, Promise<Document>>();
  return async (front, exchange) => {
    const admitted = limits.admit(ofAddress, '', front.operations.clientAddresses.of(exchange), exchange.receivedMs);
    if (typeof admitted !== 'function') {
      const message = `your address read /docs, /openapi.json and /licenses more than ${readsPerMinute} times a minute: try again later`;
      return exchange.fail({...admitted, message});
    }
    const prefix = prefixOf(front.operations, exchange);
    const {acceptEncoding} = exchange;
    const document = made.get(prefix) ?? make(prefix);
    made.set(prefix, document);
    if (made.size > prefixesMax) made.delete(made.keys().next().value!);
    answerDocument(exchange, acceptEncoding, await document);
  };
}

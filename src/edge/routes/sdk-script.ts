// GET /sdk.js and /sdk-VERSION.js: the script of our own SDK (packages/sdk), for pages of every origin.
//   SS1. It is made once as bytes, and costs what a refusal costs: no limit, as all people of an office have one address.
//   SS2. What publishes a page may add a query to the addresses of its scripts: it is ignored.

import {readFile} from 'node:fs/promises';
import type {Header} from '../failure.js';
import {answerDocument, compressed, type Document} from '../http/document.js';
import type {Route} from '../route.js';

/** The build writes it (scripts/sdk.mjs). */
const scriptFile = new URL('../../../sdk.js', import.meta.url);

const ofEveryOrigin: readonly Header[] = [
  ['Access-Control-Allow-Origin', '*'],
  ['Cross-Origin-Resource-Policy', 'cross-origin'],
];

function serveScript(cache: string): Route {
  let made: Promise<Document> | undefined;
  const make = async (): Promise<Document> =>
    compressed('text/javascript; charset=utf-8', await readFile(scriptFile, 'utf8'), [
      ['Cache-Control', cache],
      ...ofEveryOrigin,
    ]);
  return {
    GET: {
      access: 'open',
      ignoresQuery: true, // SS2
      handle: async (_, exchange) => {
        const {acceptEncoding} = exchange;
        answerDocument(exchange, acceptEncoding, await (made ??= make()));
      },
    },
  };
}

/** The newest one that a page asks for at most once an hour. */
export const sdkScript = (): Route => serveScript('public, max-age=3600');

/** The one of a version, which never changes. */
export const sdkScriptOfVersion = (): Route => serveScript('public, max-age=31536000, immutable');

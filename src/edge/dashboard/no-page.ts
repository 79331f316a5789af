// The page for an unknown path of the dashboard, for browsers. Programs get the JSON of every unknown path.

import type {Front} from '../front.js';
import type {Document} from '../http/document.js';
import type {Exchange} from '../http/exchange.js';
import {pathPrefix} from '../http/path-prefix.js';

export const isPageAsked = ({page, path}: Exchange): boolean =>
  page?.acceptsHtml === true && path.startsWith('/dashboard/');

/** The app, which says so in its own frame. */
export const answerAppWithoutPage = (exchange: Exchange, {type, plain: {bytes, headers}}: Document): void =>
  exchange.answer('404 Not Found', type, bytes, headers);

/** Answers with a page without style and script, where the app is not served. */
export function answerNoPage(front: Front, exchange: Exchange): void {
  const text = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>No such page - Millrace</title><h1>There is no such page</h1>
<p><a href="${pathPrefix(front.operations, exchange)}/dashboard">Go to the dashboard</a></p></html>
`;
  exchange.answer('404 Not Found', 'text/html; charset=utf-8', text, [
    ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
    ['Vary', 'Accept'],
  ]);
}

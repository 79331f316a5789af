// GET /openapi.json and GET /docs: the description for programs and for people. Made once for each prefix.

import type {Header} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {pathPrefix} from '../http/path-prefix.js';
import type {Handle} from '../route.js';
import {contentSecurityPolicy} from './page/page.js';

// A new version of the service may answer at the same address.
const always: readonly Header[] = [['Cache-Control', 'no-cache']];

const ofPage: readonly Header[] = [
  ...always,
  ['Content-Security-Policy', contentSecurityPolicy],
  ['Referrer-Policy', 'no-referrer'],
];

export const serveDescription =
  (text: (prefix: string) => string): Handle =>
  (front: Front, exchange: Exchange): void =>
    exchange.json('200 OK', text(pathPrefix(front, exchange)), always);

export const servePage =
  (text: (prefix: string) => string): Handle =>
  (front: Front, exchange: Exchange): void =>
    exchange.answer('200 OK', 'text/html; charset=utf-8', text(pathPrefix(front, exchange)), ofPage);

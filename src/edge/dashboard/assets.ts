// The files of the dashboard, held in memory as the build made them: raw, gzip and brotli.
//   AS1. Every file is a path of its own, and so is every page of the app: an unknown path is 404, not the app.
//   AS2. Browsers cache files whose names carry a hash of their content without end. They ask again each time for the page itself and
//        for files that it names by a fixed name.
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {extname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {Header} from '../failure.js';
import {type Document, documentOf} from '../http/document.js';
import type {Exchange} from '../http/exchange.js';

const folder = fileURLToPath(new URL('../../../pages/', import.meta.url));
const pagesFile = 'pages.json';
const indexFile = 'index.html';
const relativeLink = '"./';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** `embedders`: origins whose pages may embed it. */
const policyFor = (embedders: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${embedders.length === 0 ? "'none'" : embedders.join(' ')}`,
    "require-trusted-types-for 'script'",
    'trusted-types stream-worker',
  ].join('; ');

const refusedFeatures = ['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'magnetometer']
  .concat(['microphone', 'midi', 'payment', 'publickey-credentials-get', 'screen-wake-lock', 'usb'])
  .map((feature) => `${feature}=()`)
  .join(', ');

const safetyFor = (embedders: readonly string[]): readonly Header[] => [
  ['Content-Security-Policy', policyFor(embedders)],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', refusedFeatures],
];
const safety = safetyFor([]);
const keptForEver: Header = ['Cache-Control', 'public, max-age=31536000, immutable'];
const askedAgain: Header = ['Cache-Control', 'no-cache'];
/** Output of the build. */
export interface DashboardFiles {
  /** Files by their path below `/dashboard/`. */
  readonly assets: ReadonlyMap<string, Document>;
  /** Text of the page, whose links are relative. */
  readonly index: string;
  /** Paths of the app's pages, below `/dashboard`. */
  readonly pages: readonly string[];
}

export function readDashboardFiles(): DashboardFiles | undefined {
  if (!existsSync(join(folder, pagesFile))) return undefined; // Made by the build alone.
  const names = readdirSync(folder, {recursive: true, encoding: 'utf8'}).map((name) => name.replaceAll('\\', '/'));
  const plain = names.filter((name) => extname(name) in types && name !== indexFile);
  return {
    assets: new Map(plain.map((name) => [name, assetOf(name, new Set(names))])),
    index: readFileSync(join(folder, indexFile), 'utf8'),
    pages: JSON.parse(readFileSync(join(folder, pagesFile), 'utf8')) as string[],
  };
}

function assetOf(name: string, names: ReadonlySet<string>): Document {
  const cache = /-[\w-]{7}\.\w+$/.test(name) ? keptForEver : askedAgain; // AS2
  const read = (file: string): Buffer => readFileSync(join(folder, file));
  const encoded = {
    ...(names.has(`${name}.br`) ? {br: read(`${name}.br`)} : {}),
    ...(names.has(`${name}.gz`) ? {gzip: read(`${name}.gz`)} : {}),
  };
  return documentOf(types[extname(name)]!, read(name), encoded, [...safety, cache]);
}

/** The page for clients that reach the service under `prefix` (path-prefix.ts): its links depend on the prefix. */
export const pageBehind = (index: string, prefix: string): Document =>
  documentOf(types['.html']!, Buffer.from(index.replaceAll(relativeLink, `"${prefix}/dashboard/`)), {}, [
    ...safety,
    askedAgain,
  ]);

/**
 * The page of a link, for whoever has it. Its address is a secret: no cache and no search engine keeps it. The policy of a kept copy
 * could also be that of an earlier link.
 */
export function answerSharedPage(exchange: Exchange, {type, plain}: Document, embedders: readonly string[]): void {
  exchange.answer('200 OK', type, plain.bytes, [
    ...safetyFor(embedders),
    ['Cache-Control', 'no-store'],
    ['X-Robots-Tag', 'noindex'],
  ]);
}

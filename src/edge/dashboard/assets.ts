// The files of the dashboard, held in memory as the build made them: raw, gzip and brotli.
//   AS1. Every file is a path of its own, and so is every page of the app: an unknown path is 404, not the app.
//   AS2. Browsers cache files whose names carry a hash of their content without end. They ask again each time for the page itself and
//        for files that it names by a fixed name.
import {createHash} from 'node:crypto';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {extname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {Header} from '../failure.js';
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
const vary: Header = ['Vary', 'Accept-Encoding'];

type Encoding = 'br' | 'gzip';

interface Form {
  readonly bytes: Buffer;
  readonly headers: readonly Header[];
}

export interface Asset {
  readonly type: string;
  readonly etag: string;
  readonly plain: Form;
  readonly encoded: Readonly<Partial<Record<Encoding, Form>>>;
}

/** Output of the build. */
export interface DashboardFiles {
  /** Files by their path below `/dashboard/`. */
  readonly assets: ReadonlyMap<string, Asset>;
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

function assetOf(name: string, names: ReadonlySet<string>): Asset {
  const bytes = readFileSync(join(folder, name));
  const cache = /-[\w-]{8}\.\w+$/.test(name) ? keptForEver : askedAgain; // AS2
  const form = (file: string, encoding?: Encoding): Form => ({
    bytes: encoding === undefined ? bytes : readFileSync(join(folder, file)),
    headers: headersOf(cache, etagOf(bytes), encoding),
  });
  return {
    type: types[extname(name)]!,
    etag: etagOf(bytes),
    plain: form(name),
    encoded: {
      ...(names.has(`${name}.br`) ? {br: form(`${name}.br`, 'br')} : {}),
      ...(names.has(`${name}.gz`) ? {gzip: form(`${name}.gz`, 'gzip')} : {}),
    },
  };
}

const etagOf = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;

const headersOf = (cache: Header, etag: string, encoding?: Encoding): readonly Header[] => [
  ...safety,
  cache,
  ['ETag', etag],
  vary,
  ...(encoding === undefined ? [] : [['Content-Encoding', encoding] as const]),
];

/** The page for clients that reach the service under `prefix` (path-prefix.ts): its links depend on the prefix. */
export function pageBehind(index: string, prefix: string): Asset {
  const bytes = Buffer.from(index.replaceAll(relativeLink, `"${prefix}/dashboard/`));
  const etag = etagOf(bytes);
  return {type: types['.html']!, etag, plain: {bytes, headers: headersOf(askedAgain, etag)}, encoded: {}};
}

/** `more`: headers of this answer alone. */
export function answerAsset(
  exchange: Exchange,
  {type, etag, plain, encoded}: Asset,
  more: readonly Header[] = [],
): void {
  const {bytes, headers: own} = encodedFor(exchange.page!.acceptEncoding, encoded) ?? plain;
  const headers = more.length === 0 ? own : [...own, ...more];
  if (exchange.ifNoneMatch === etag) exchange.answer('304 Not Modified', undefined, '', headers);
  else exchange.answer('200 OK', type, bytes, headers);
}

/**
 * The page of a link, for whoever has it. Its address is a secret: no cache and no search engine keeps it. The policy of a kept copy
 * could also be that of an earlier link.
 */
export function answerSharedPage(exchange: Exchange, {type, plain}: Asset, embedders: readonly string[]): void {
  exchange.answer('200 OK', type, plain.bytes, [
    ...safetyFor(embedders),
    ['Cache-Control', 'no-store'],
    ['X-Robots-Tag', 'noindex'],
  ]);
}

function encodedFor(accepted: string, encoded: Asset['encoded']): Form | undefined {
  const names = accepted
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !/;\s*q=0(?:\.0*)?$/.test(name))
    .map((name) => name.split(';', 1)[0]);
  const encoding = (['br', 'gzip'] as const).find((name) => names.includes(name) && encoded[name] !== undefined);
  return encoding === undefined ? undefined : encoded[encoding];
}

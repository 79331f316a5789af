// Mutations of the head: method, path, query, keys, header fields, and the bytes of all of them.
import type {Random} from '../random.js';
import {adminToken, secretKey, writeKey} from '../service-process.js';
import {type HostileRequest, setHeader} from './request.js';

type Mutation = (request: HostileRequest, random: Random) => void;

// No white space and no control characters: they would change the request line, which `mangleHead` does.
const oddPieces = [
  '%',
  '%zz',
  '%00',
  '%FF',
  '%C3%28',
  '%ED%A0%80',
  '%2e%2e',
  '%2F',
  '+',
  '..',
  '.',
  '//',
  '\\',
  "'",
  '"',
  '<',
  ';',
  '\xff',
  '#',
  '|',
  '{}',
  'a'.repeat(300),
  '%F0%9F%98%80',
  '__proto__',
];
const parameters = [
  'userId',
  'anonymousId',
  'event',
  'from',
  'to',
  'limit',
  'cursor',
  'kind',
  'interval',
  'filter',
  'metric',
  'steps[]',
  'window',
  'at',
  'format',
  'write_key',
  'what',
  '',
];
const values = [
  '',
  '0',
  '-1',
  '1001',
  '1e3',
  '99999999999999999999',
  'NaN',
  'null',
  '2026-02-30',
  '2026-01-01',
  '9999-12-31',
  '0001-01-01',
  'hour',
  'dau',
  'anonymous',
  'a=b=c',
  '=',
  '%3D',
  '0d',
  '7d',
  '-7d',
  '999999999999d',
  ...oddPieces,
];
const keys = [
  '',
  'x',
  'sk_write_',
  'sk_read_',
  'sk_live_',
  'sk_live_unknownunknownunknown',
  'null',
  'undefined',
  '__proto__',
  '\xff',
  'x'.repeat(5_000),
  writeKey,
  secretKey,
  adminToken,
  `${writeKey} `,
  writeKey.toUpperCase(),
  secretKey.slice(0, -1),
  `${secretKey}x`,
];
const schemes = ['Bearer ', 'bearer ', 'BEARER  ', 'Bearer', 'Basic ', 'Token ', '', 'Bearer\t', 'Bearer Bearer '];
const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'get',
  'G',
  'POSTX',
  'QUERY',
  'M'.repeat(1_000),
];
const paths = [
  '/',
  '/v1',
  '/v1/events',
  '/v1/events/',
  '/v1/events/batch',
  '/v1/users/',
  '/v1/users/identify',
  '/v1/reports/events',
  '/v1/reports/users',
  '/v1/reports/funnel',
  '/v1/reports/retention',
  '/v1/reports/lifecycle',
  '/v1/reports/stickiness',
  '/v1/reports/paths',
  '/v1/deletions/x',
  '/admin/v1/keys',
  '/admin/v1/keys/x',
  '/healthz',
  '/readyz',
  '/metrics',
  '/docs',
  '/openapi.json',
  '/licenses',
  '/sdk.js',
];
const fields: readonly (readonly [string, string])[] = [
  ['Expect', '100-continue'],
  ['Connection', 'close'],
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['If-None-Match', '*'],
  ['If-None-Match', '"x", W/"y"'],
  ['Range', 'bytes=0-1'],
  ['Accept', 'application/xml'],
  ['Accept-Encoding', 'gzip, br'],
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Cookie', 'a=b'],
  ['Content-Type', 'application/json'],
  ['Origin', 'null'],
  ['X', 'y'.repeat(20_000)],
];

/** Replaces, doubles or breaks a piece of the text. */
function edit(text: string, random: Random): string {
  const at = random.between(0, text.length);
  const gone = random.between(0, 3);
  return text.slice(0, at) + random.pick(['', ...oddPieces]) + text.slice(at + gone);
}

const asPath = (text: string): string => (text.startsWith('/') ? text : `/${text}`);

export const headMutations: Readonly<Record<string, Mutation>> = {
  'another method': (request, random) => {
    request.method = random.pick(methods);
  },
  'another path': (request, random) => {
    request.path = random.pick(paths);
  },
  'an odd path': (request, random) => {
    request.path = asPath(edit(request.path, random));
  },
  'an odd query': (request, random) => {
    request.query = edit(request.query, random);
  },
  'a parameter more': (request, random) => {
    request.query += `${request.query === '' ? '' : '&'}${random.pick(parameters)}=${random.pick(values)}`;
  },
  'a parameter less': (request, random) => {
    const pairs = request.query.split('&');
    pairs.splice(random.between(0, pairs.length - 1), 1);
    request.query = pairs.join('&');
  },
  'another value of a parameter': (request, random) => {
    const pairs = request.query.split('&');
    const at = random.between(0, pairs.length - 1);
    pairs[at] = `${pairs[at].split('=', 1)[0]}=${random.pick(values)}`;
    request.query = pairs.join('&');
  },
  'many parameters': (request, random) => {
    const parameter = random.pick(['steps[]=view', 'event=x', 'limit=1', '&', 'what=1']);
    request.query = Array.from({length: random.between(2, 1_000)}, () => parameter).join('&');
  },
  'another key': (request, random) => {
    setHeader(request, 'Authorization', random.pick(schemes) + random.pick(keys));
  },
  'no key': (request) => {
    request.headers = request.headers.filter(([name]) => name !== 'Authorization');
  },
  'a key in the URL': (request, random) => {
    headMutations['no key'](request, random);
    request.query += `${request.query === '' ? '' : '&'}write_key=${encodeURIComponent(random.pick(keys)).slice(0, 6_000)}`;
  },
  'two keys': (request, random) => {
    request.headers = [...request.headers, ['Authorization', random.pick(schemes) + random.pick(keys)]];
  },
  'header fields more': (request, random) => {
    for (let left = random.between(1, 3); left > 0; left--) request.headers = [...request.headers, random.pick(fields)];
  },
  'many header fields': (request, random) => {
    const more = Array.from({length: random.between(50, 90)}, (_, i) => [`X-${i}`, 'v'] as const);
    request.headers = [...request.headers, ...more];
  },
};

/** How a server reads these is undefined, so the connection is not used again. */
export const byteMutations: Readonly<Record<string, Mutation>> = {
  'bytes of the head changed': (request, random) => {
    const changes = Array.from({length: random.between(1, 3)}, () => [random.next(), random.between(0, 255)] as const);
    request.mangleHead = (head) => {
      const copy = Buffer.from(head);
      for (const [share, byte] of changes) copy[Math.floor(share * copy.length)] = byte;
      return copy;
    };
  },
  'bytes of the head gone or doubled': (request, random) => {
    const [share, length, isDoubled] = [random.next(), random.between(1, 20), random.chance(0.5)];
    request.mangleHead = (head) => {
      const at = Math.floor(share * head.length);
      const behind = isDoubled ? at : at + length;
      return Buffer.concat([head.subarray(0, at + (isDoubled ? length : 0)), head.subarray(behind)]);
    };
  },
  'another framing': (request, random) => {
    const framings = [
      ['Content-Length', '5'],
      ['Content-Length', '-1'],
      ['Content-Length', '99999999999999999999'],
      ['Content-Length', '1000000000'],
      ['Transfer-Encoding', 'chunked'],
      ['Transfer-Encoding', 'gzip'],
      ['Transfer-Encoding', 'chunked, chunked'],
    ] as const;
    request.headers = [...request.headers, random.pick(framings)];
    if (random.chance(0.3)) request.headers = [...request.headers, random.pick(framings)];
  },
  'the client leaves': (request, random) => {
    request.leavesAfter = random.next();
  },
};

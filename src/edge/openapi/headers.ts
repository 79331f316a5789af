// Headers of answers: their meaning and the form of their values.
import {positionsPattern} from '../../log-position.js';
import {bucketStartForm} from '../answers/report-fields.js';
import type {JsonSchema} from '../query/query.js';

interface HeaderForm {
  readonly description: string;
  readonly pattern: RegExp;
  readonly example: string;
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const headerForms = {
  'Log-Position': {
    description:
      'The position of the write in the log: `<partition>:<generation>.<sequence>`, one for each partition. A report ' +
      'includes the write if its `Report-Log-Position` has, for the same partition, a later generation, or the same ' +
      'generation and at least the same sequence. Absent for a moment after a start or a reconnect to the log.',
    pattern: positionsPattern,
    example: '2:1.42',
  },
  'Ignored-Fields': {
    description: 'Unknown fields of the body: the first ten names, percent-encoded.',
    pattern: /^[!-+\--~]+(,[!-+\--~]+)*$/,
    example: 'time,distinct_id',
  },
  'Rejected-Events': {
    description: 'How many calls of the request were refused: `GET /v1/rejected` says why. Absent if none was.',
    pattern: /^[1-9]\d*$/,
    example: '1',
  },
  'Event-Time-Ahead': {
    description:
      'By how many seconds the time of the event, of a batch the latest one, is after its receipt; absent up to 5 minutes. ' +
      'The event is stored at that time. A `sentAt` corrects a clock that is ahead.',
    pattern: /^\d+$/,
    example: '72000',
  },
  'Report-As-Of': {
    description: 'The answer includes every event that was acknowledged up to this time.',
    pattern: instant,
    example: '2026-05-02T18:00:00.000Z',
  },
  'Report-Log-Position': {
    description: 'Up to where the log is in the answer: `<partition>:<generation>.<sequence>`, all partitions.',
    pattern: positionsPattern,
    example: '0:1.17,1:1.20,2:1.42,3:1.9',
  },
  'Report-Next-By': {
    description:
      'When the next publication is due: an event that is acknowledged after `Report-As-Of` is in reports by then, or ' +
      'by the one after it. A time that is past means that reports are late.',
    pattern: instant,
    example: '2026-05-02T18:05:00.000Z',
  },
  'Report-Incomplete-From': {
    description: 'The first bucket that is still open; absent when all of them are over.',
    pattern: bucketStartForm,
    example: '2026-05-02',
  },
  'Report-Retained-From': {
    description: 'Events before this time have expired. Only where the question asks for earlier ones.',
    pattern: instant,
    example: '2025-11-02T00:00:00.000Z',
  },
  'Report-Hint': {
    description:
      'What was probably meant: `unknown event "singup"; did you mean "signup"?` for a name that no event has (answered ' +
      'with zeros), `operators go into where=` for a `filter` whose property ends in `!`, `<`, `>` or `~`, ' +
      '`for users by their events ask /v1/users?sort=events` for a `breakdown` by `userId` or `anonymousId`, ' +
      '`event "debug" is hidden from lists`. For people: the ' +
      'text may change.',
    pattern: /^[\x20-\x7e]+$/,
    example: 'unknown event "singup"; did you mean "signup"?',
  },
  'Next-Cursor': {
    description: 'Of a list as a table: the `cursor` of the next page. Absent on the last page.',
    pattern: /^[\w-]+$/,
    example: 'WyJKdW5lIiwxXQ',
  },
  ETag: {
    description:
      'Of a report it depends on the query and the answer only, not on the snapshot: send it back as `If-None-Match`. Of what ' +
      'clients edit it differs after each edit, and not with `health` or the state of an alert: send it as `If-Match` of a change.',
    pattern: /^(W\/)?"[\w-]+"$/,
    example: '"6kP0xkqv3wJbJkD3m3V8hY1c9dA"',
  },
  Location: {
    description: 'Where to ask for the state of the deletion.',
    pattern: /^(\/[A-Za-z0-9._~-]+)*\/v1\/(deletion\?id=|deletions\/)del_\d+_[0-9a-f]{32}$/,
    example: '/v1/deletion?id=del_2_0123456789abcdef0123456789abcdef',
  },
  Allow: {description: 'The methods that this path supports.', pattern: /^[A-Z]+(, [A-Z]+)*$/, example: 'GET, HEAD'},
  'WWW-Authenticate': {
    description: 'How to authenticate; with `error` if what was sent is invalid.',
    pattern: /^Bearer realm="millrace"(, error="invalid_token")?$/,
    example: 'Bearer realm="millrace"',
  },
  'Retry-After': {description: 'Seconds to wait before another try.', pattern: /^[1-9]\d*$/, example: '1'},
  RateLimit: {
    description: 'The rest of the limit: `r` units remain, and it is full again in `t` seconds.',
    pattern: /^"[\w-]+";r=\d+(;t=\d+)?$/,
    example: '"events";r=0;t=1',
  },
  'RateLimit-Policy': {
    description: 'The limit: units `q` in `w` seconds.',
    pattern: /^"[\w-]+";q=\d+;w=\d+(;[\w-]+=[^;]+)*$/,
    example: '"events";q=100000;w=2',
  },
  'Access-Control-Allow-Origin': {
    description: 'Every origin may read the answer. Routes of other libraries name the origin that asks.',
    pattern: /^(\*|[!-~]+)$/,
    example: '*',
  },
  'Access-Control-Allow-Credentials': {
    description:
      'The page may read the answer to a request with credentials, which some libraries send. No cookie is read.',
    pattern: /^true$/,
    example: 'true',
  },
  'Access-Control-Allow-Methods': {description: 'What pages may send.', pattern: /^(GET, )?POST$/, example: 'POST'},
  'Access-Control-Allow-Headers': {
    description: 'What pages may send along: the headers that the preflight asks for.',
    pattern: /^[\w!#$%&'*+.^`|~-]+([ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/,
    example: 'Authorization, Content-Type, Content-Encoding',
  },
  'Access-Control-Expose-Headers': {
    description: 'What pages may read of the headers.',
    pattern:
      /^((Rejected-Events|Ignored-Fields|Event-Time-Ahead)(, (Ignored-Fields|Event-Time-Ahead))*|Retry-After, RateLimit, RateLimit-Policy)$/,
    example: 'Retry-After, RateLimit, RateLimit-Policy',
  },
  'Access-Control-Max-Age': {description: 'Seconds that browsers may remember it.', pattern: /^\d+$/, example: '86400'},
  'Cache-Control': {
    description: '`no-store`; `no-cache` on `/docs`, `/openapi.json` and `/licenses`. Scripts for pages are cached.',
    pattern: /^(no-(store|cache)|public, max-age=(3600|31536000, immutable))$/,
    example: 'no-store',
  },
  'Content-Security-Policy': {
    description: 'The page loads nothing, and runs its own script alone.',
    pattern: /^default-src 'none'; /,
    example: "default-src 'none'; style-src 'sha256-…'; script-src 'sha256-…'",
  },
  'Cross-Origin-Resource-Policy': {
    description: 'Pages that isolate themselves may load it.',
    pattern: /^cross-origin$/,
    example: 'cross-origin',
  },
  'X-Content-Type-Options': {description: 'Browsers guess no other type.', pattern: /^nosniff$/, example: 'nosniff'},
  'X-Request-Id': {
    description:
      'The id of the request, also in the log line of a 500: the one that the client sent, if it has up to 128 letters, digits and `._~+/=:-`, else one that the service creates. An accepted write has it only if the client sent one.',
    pattern: /^[A-Za-z0-9._~+/=:-]{1,128}$/,
    example: '5f1c0e9a7b2d-1',
  },
  Vary: {
    description: 'The answer depends on this header.',
    pattern: /^(Accept-Encoding|Origin)$/,
    example: 'Accept-Encoding',
  },
  'Content-Encoding': {description: 'How the body is compressed.', pattern: /^(gzip|br)$/, example: 'gzip'},
  'Referrer-Policy': {description: 'Links send no referrer.', pattern: /^no-referrer$/, example: 'no-referrer'},
} as const satisfies Record<string, HeaderForm>;

export type HeaderName = keyof typeof headerForms;

/** Header objects of the description, by name. */
export const describedHeaders: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries<HeaderForm>(headerForms).map(([name, {description, pattern, example}]) => [
    name,
    {description, schema: {type: 'string', pattern: pattern.source}, example},
  ]),
);

/** As they stand at an answer: those that it always has, and those that it may have. */
export const headersAlways: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(describedHeaders).map(([name, form]) => [name, {...form, required: true}]),
);
export const headersSometimes: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.keys(describedHeaders).map((name) => [name, {$ref: `#/components/headers/${name}`}]),
);

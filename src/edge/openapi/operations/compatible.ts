// Routes for libraries of other services (docs/clients.md).
import {z} from 'zod';
import {rudderSettings, segmentAccepted, segmentSettings} from '../../answers/compatible.js';
import {anyText, optional} from '../../query/parameters.js';
import type {Operation, Operations} from '../operation.js';

/** Fields that a call may have; it may have any others. */
const callFields = {
  type: z.string().nullish().describe('`track`, `page`, `screen`, `identify`, `group` or `alias`.'),
  event: z.unknown().optional().describe('Of `track`: the name of the event.'),
  userId: z.unknown().optional().describe('A text or an integer. `null` and an empty text are absent.'),
  anonymousId: z.unknown().optional().describe('A text or an integer. `null` and an empty text are absent.'),
  properties: z.unknown().optional(),
  traits: z.unknown().optional(),
  context: z.unknown().optional(),
  messageId: z.unknown().optional(),
  timestamp: z.unknown().optional().describe('ISO 8601, or a number: seconds up to 10^11, milliseconds above.'),
};

export const segmentCall = z.looseObject(callFields);
export const segmentBatch = z.looseObject({
  batch: z.array(z.unknown().optional()).max(1_000).optional().describe('Up to 1,000 calls, each with its `type`.'),
  sentAt: z
    .unknown()
    .optional()
    .describe('More than 5 minutes ahead of the service, it moves all times back by as much.'),
  writeKey: z.unknown().optional().describe('The key, if the head of the request has none.'),
});

const headers = {
  sometimes: ['Log-Position', 'Rejected-Events', 'Ignored-Fields', 'Event-Time-Ahead', 'Access-Control-Expose-Headers'],
} as const;

const write = (id: string, summary: string, body: Operation['body'], description?: string): Operation => ({
  id,
  tag: 'Other libraries',
  summary,
  ...(description === undefined ? {} : {description}),
  ...(body === undefined ? {} : {body}),
  answers: {
    200: {
      description: 'All valid calls are on disk; `Rejected-Events` counts the others.',
      schema: segmentAccepted,
      headers,
    },
  },
  errors: ['batch_too_large'],
});

const batch: Operation['body'] = {
  schema: segmentBatch,
  example: {batch: [{type: 'track', event: 'signup', userId: 'ada', messageId: 'm-1'}]},
};
const examples: Readonly<Record<string, object>> = {
  track: {event: 'signup', userId: 'ada', properties: {plan: 'pro'}},
  page: {name: 'Home', anonymousId: 'a-1', properties: {path: '/'}},
  screen: {name: 'Main', userId: 'ada'},
  identify: {userId: 'ada', anonymousId: 'a-1', traits: {plan: 'pro'}},
  group: {userId: 'ada', groupId: 'acme', traits: {name: 'ACME'}},
  alias: {userId: 'ada', previousId: 'a-1'},
};

function ofKind([kind, example]: [string, object]): [`POST ${string}`, Operation][] {
  const body = {schema: segmentCall, example};
  const name = kind[0]!.toUpperCase() + kind.slice(1);
  return [
    [`POST /v1/${kind}`, write(`segment${name}`, `Segment, RudderStack: ${kind}`, body)],
    [`POST /v1/${kind[0]}`, write(`segment${name}Short`, `Segment, RudderStack: ${kind}, the short path`, body)],
  ];
}

const anyKey = {description: 'The write key.', schema: {type: 'string'}, example: 'sk_write_0000'} as const;

export const compatible: Operations = {
  'POST /v1/batch': write(
    'segmentBatch',
    'Segment, RudderStack: a batch of calls',
    batch,
    'For libraries of Segment and RudderStack, unchanged: replace their host and key. `track`, `page`, `screen` and `group` ' +
      'become events, `identify` sets traits, `alias` joins two ids. The key may be the name of `Authorization: Basic`, ' +
      '`?writeKey=`, or `writeKey` in the body. The body may have any content type, and a slash may end the path.',
  ),
  'POST /v1/b': write('segmentBatchShort', 'Segment: a batch of calls, the short path', batch),
  'POST /beacon/v1/batch': write('rudderBeacon', 'RudderStack: a batch of calls, from a page that is left', batch),
  'POST /v1/import': write('segmentImport', 'Segment: a batch of calls of the past', batch, '`sentAt` moves no times.'),
  ...Object.fromEntries(Object.entries(examples).flatMap(ofKind)),
  'GET /v1/projects/{id}/settings': {
    id: 'segmentSettings',
    tag: 'Other libraries',
    summary: 'Segment: settings for pages',
    path: {id: anyKey},
    answers: {200: {description: 'Where the page sends its calls.', schema: segmentSettings}},
    errors: [],
  },
  'GET /sourceConfig': {
    id: 'rudderSettings',
    tag: 'Other libraries',
    summary: 'RudderStack: settings for pages',
    query: {writeKey: optional(anyText, {description: 'The write key.'})},
    answers: {200: {description: 'A source that is enabled, and has no other destinations.', schema: rudderSettings}},
    errors: [],
  },
};

// Routes for libraries of other services (docs/clients.md).
import {z} from 'zod';
import {
  amplitudeAccepted,
  amplitudeRefusal,
  batchAccepted,
  jitsuAccepted,
  mixpanelAccepted,
  posthogAccepted,
  posthogFlags,
  rudderSettings,
  segmentAccepted,
  segmentSettings,
  trackAccepted,
  umamiAccepted,
} from '../../answers/compatible.js';
import {anyText, optional, required} from '../../query/parameters.js';
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

const write = (
  id: string,
  summary: string,
  body: Operation['body'],
  description?: string,
  schema: z.ZodType = segmentAccepted,
): Operation => ({
  id,
  tag: 'Other libraries',
  summary,
  ...(description === undefined ? {} : {description}),
  ...(body === undefined ? {} : {body}),
  answers: {
    200: {
      description: 'All valid calls are on disk; `Rejected-Events` counts the others.',
      schema,
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

export const posthogCalls = z.looseObject({
  api_key: z.unknown().optional().describe('The key; also as `token`, or in the `properties` of a call.'),
  batch: z.unknown().optional().describe('Up to 1,000 calls; without it the body is one call.'),
  event: z.unknown().optional(),
  distinct_id: z.unknown().optional(),
  properties: z.unknown().optional(),
  timestamp: z.unknown().optional(),
  uuid: z.unknown().optional(),
});
export const amplitudeCalls = z.looseObject({
  api_key: z.unknown().optional().describe('The key, if the head of the request has none.'),
  events: z.unknown().optional().describe('Up to 1,000 calls.'),
  client_upload_time: z.unknown().optional(),
});
/** The body may as well be a list, and is nearly always a form. */
export const mixpanelCalls = z.unknown();

const capture = {event: 'signup', distinct_id: 'ada', properties: {plan: 'pro'}, uuid: 'm-1'};
const posthogBody = {schema: posthogCalls, example: {api_key: 'sk_write_0000', batch: [capture]}};
const posthog = (id: string, path: string, description?: string): [`POST ${string}`, Operation] => [
  `POST ${path}`,
  write(id, `PostHog: ${path}`, posthogBody, description, posthogAccepted),
];
const flags = (id: string, path: string): [`POST ${string}`, Operation] => [
  `POST ${path}`,
  {
    ...write(id, `PostHog: ${path}`, {schema: posthogCalls, example: {token: 'sk_write_0000', distinct_id: 'ada'}}),
    answers: {200: {description: 'There are no flags. Nothing is stored.', schema: posthogFlags, headers}},
  },
];

const amplitudeBody = {
  schema: amplitudeCalls,
  example: {api_key: 'sk_write_0000', events: [{event_type: 'signup', user_id: 'ada', insert_id: 'm-1'}]},
};
const amplitudeRefusals = {schema: amplitudeRefusal};

const mixpanelExamples: Readonly<Record<string, object>> = {
  track: [{event: 'signup', properties: {distinct_id: 'ada', token: 'sk_write_0000', $insert_id: 'm-1'}}],
  import: [{event: 'signup', properties: {distinct_id: 'ada', token: 'sk_write_0000', time: 1_767_225_600}}],
  engage: [{$token: 'sk_write_0000', $distinct_id: 'ada', $set: {plan: 'pro'}}],
  groups: [{$token: 'sk_write_0000', $group_key: 'company', $group_id: 'acme', $set: {size: 3}}],
};
const ofOpenPanel =
  'A body with `type` and `payload` is one of OpenPanel, and is answered `{}`. Its key is in the header `openpanel-client-id`, ' +
  'and its events without a profile are of visitors (docs/clients.md).';
const verbose = optional(anyText, {description: '`1`: the answer is an object.'});

function mixpanel([path, example]: [string, object]): [`${'GET' | 'POST'} ${string}`, Operation][] {
  const name = path[0]!.toUpperCase() + path.slice(1);
  const body = {schema: mixpanelCalls, example};
  const posting =
    path === 'track'
      ? write('mixpanelTrack', 'Mixpanel, OpenPanel: track', body, ofOpenPanel, trackAccepted)
      : write(`mixpanel${name}`, `Mixpanel: ${path}`, body, undefined, mixpanelAccepted);
  const {body: _, ...getting} = write(
    `mixpanel${name}ByQuery`,
    `Mixpanel: ${path}, the calls in the query`,
    undefined,
    'It stores, as a POST does.',
    mixpanelAccepted,
  );
  const data = required(anyText, {
    description: 'The calls: JSON, or JSON in base64.',
    example: JSON.stringify(example),
  });
  // HEAD is no allowed method: it stores nothing.
  const errors = [...getting.errors, 'invalid_json', 'unavailable', 'method_not_allowed'] as const;
  return [
    [`POST /${path}`, posting],
    [`GET /${path}`, {...getting, query: {data, verbose}, errors}],
  ];
}
/** Where its libraries put the key. */
const jitsuKey = 'The key may follow a name and a colon in the header `x-write-key`.';
const jitsu = ([kind, example]: [string, object]): [`POST ${string}`, Operation][] => {
  const name = kind[0]!.toUpperCase() + kind.slice(1);
  const body = {schema: segmentCall, example: {type: kind, ...example}};
  return [
    [`POST /api/s/${kind}`, write(`jitsu${name}`, `Jitsu: ${kind}`, body, jitsuKey, jitsuAccepted)],
    [
      `POST /api/s/s2s/${kind}`,
      write(`jitsuServer${name}`, `Jitsu: ${kind}, from a server`, body, jitsuKey, jitsuAccepted),
    ],
  ];
};

export const umamiCall = z.looseObject({
  type: z.unknown().optional().describe('`event`, `identify` or `performance`; the last is ignored.'),
  payload: z.unknown().optional().describe('Its `website` is the key, if the head of the request has none.'),
});

export const plausibleCall = z.looseObject({
  n: z
    .unknown()
    .optional()
    .describe('Or `name`: the name of the event. `pageview` becomes `page`; `engagement` is ignored.'),
  u: z.unknown().optional().describe('Or `url`.'),
  r: z.unknown().optional().describe('Or `referrer`.'),
  p: z.unknown().optional().describe('Or `props`: an object, or a text with its JSON.'),
});

const plausible: Operation = {
  ...write(
    'plausibleEvent',
    'Plausible: an event',
    {schema: plausibleCall, example: {n: 'pageview', u: 'https://shop.example/docs', d: 'shop.example', r: null}},
    'For its scripts, unchanged: replace their endpoint, with the key in its query. Events are of visitors (docs/clients.md).',
  ),
  answers: {
    202: {description: 'A valid event is on disk; `Rejected-Events` counts another.', media: 'text/plain', headers},
  },
};

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
  'POST /batch': {
    ...write(
      'posthogBatch',
      'PostHog, Amplitude: a batch of calls',
      posthogBody,
      'For libraries of PostHog, unchanged: replace their host and key. A body with `events` is one of Amplitude, and is ' +
        'answered as `POST /2/httpapi` is. What is refused before the body is read is answered as there, too.',
    ),
    answers: {
      200: {
        description: 'All valid calls are on disk; `Rejected-Events` counts the others.',
        schema: batchAccepted,
        headers,
      },
    },
    refusals: {...amplitudeRefusals, isBeside: true},
  },
  ...Object.fromEntries([
    posthog('posthogEvents', '/e'),
    posthog('posthogCapture', '/capture'),
    posthog('posthogIngest', '/i/v0/e'),
    flags('posthogFlags', '/flags'),
    flags('posthogDecide', '/decide'),
  ]),
  'POST /2/httpapi': {
    ...write(
      'amplitudeEvents',
      'Amplitude: a batch of calls',
      amplitudeBody,
      'For libraries of Amplitude, unchanged: replace their URL and key. They read `code` in the body of an answer.',
      amplitudeAccepted,
    ),
    refusals: amplitudeRefusals,
  },
  ...Object.fromEntries(Object.entries(mixpanelExamples).flatMap(mixpanel)),
  ...Object.fromEntries(Object.entries(examples).flatMap(jitsu)),
  'POST /api/send': write(
    'umamiSend',
    'Umami: an event, or who it is',
    {schema: umamiCall, example: {type: 'event', payload: {website: 'sk_write_0000', url: '/docs', title: 'Docs'}}},
    'For libraries of Umami, unchanged: replace their host, and the id of the website by the key. Events without an `id` are of ' +
      'visitors (docs/clients.md).',
    umamiAccepted,
  ),
  'POST /api/event': plausible,
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

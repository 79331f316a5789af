// Real requests, one of each kind.
import type {Random} from '../random.js';
import {adminToken, secretKey, writeKey} from '../service-process.js';
import type {HostileRequest} from './request.js';

/** The value of a JSON body before it is text. */
export type Json = null | boolean | number | string | Json[] | {[name: string]: Json};

export interface Template {
  readonly request: HostileRequest;
  readonly value: Json | undefined;
  /** Form of its text in the body; absent: as it is. */
  readonly encode?: (text: string) => string;
}

export const eventNames = ['view', 'search', 'cart', 'buy', 'leave', 'sign up', 'naïve café', '日本語', '😀'];
const usersCount = 2_000;
const devicePrefix = 'device';
/** Of the events: with both ids, or with the device alone. */
const personShare = 0.25;
/** Users that are deleted during the run. Their events are not compared. */
export const victimPrefix = 'victim';
const victimsCount = 200;
const firstDayMs = Date.UTC(2026, 0, 1);
const daysCount = 120;
const dayMs = 86_400_000;

const weights = {
  event: 36,
  batch: 14,
  identify: 8,
  library: 6,
  site: 5,
  history: 10,
  profile: 6,
  deletion: 0.1,
  receipt: 1,
  counts: 6,
  users: 4,
  funnel: 4,
  funnelUsers: 2,
  engagement: 4,
  keys: 1,
  newKey: 0.2,
  revocation: 0.5,
  health: 3,
  preflight: 2,
};

/** `index` makes its message ids and properties unique. */
export function template(random: Random, index: number): Template {
  const kind = random.weighted(weights);
  switch (kind) {
    case 'event':
      return posting('/v1/events', event(random, `${index}`));
    case 'batch':
      return posting('/v1/events/batch', {events: batch(random, index)});
    case 'identify':
      return posting('/v1/users/identify', {...userOrPerson(random), traits: properties(random, `${index}`)});
    case 'library':
      return libraryRequest(random, `${index}`);
    case 'site':
      return siteRequest(random, `${index}`);
    case 'newKey':
      return posting(
        '/admin/v1/keys',
        {kind: random.pick(['write', 'read', 'secret']), name: `fuzz ${index}`},
        adminToken,
      );
    case 'preflight':
      return preflight(random);
    default:
      return reading(readings[kind](random), random);
  }
}

type Reading = readonly [method: string, path: string, query: string, key?: string];

const readings: Record<string, (random: Random) => Reading> = {
  history: (random) => ['GET', '/v1/events', historyQuery(random)],
  profile: (random) => ['GET', `/v1/users/${userOf(random)}`, random.chance(0.2) ? 'kind=anonymous' : ''],
  deletion: (random) => ['DELETE', `/v1/users/${victimPrefix}${random.between(0, victimsCount)}`, ''],
  receipt: (random) => ['GET', `/v1/deletions/del_${random.between(0, 5)}_${'0123456789abcdef'.repeat(2)}`, ''],
  counts: (random) => [
    'GET',
    '/v1/reports/events',
    `event=${nameOf(random)}&${range(random)}${filter(random)}${form(random)}`,
  ],
  users: (random) => [
    'GET',
    '/v1/reports/users',
    `${range(random)}&metric=${random.pick(['dau', 'wau', 'mau'])}${form(random)}`,
  ],
  funnel: (random) => [
    'GET',
    '/v1/reports/funnel',
    `${steps(random)}&${range(random)}${window(random)}${form(random)}${funnelOptions(random)}`,
  ],
  funnelUsers: (random) => [
    'GET',
    '/v1/reports/funnel/users',
    `${steps(random)}&${range(random)}${window(random)}${funnelRules(random)}&step=${random.between(1, 4)}` +
      `&outcome=${random.pick(['reached', 'dropped'])}&limit=${random.between(1, 1_000)}`,
  ],
  engagement: (random) => {
    const [path, asked] = random.pick(engagement);
    return ['GET', `/v1/reports/${path}`, `${asked(random)}&${range(random)}${condition(random)}${form(random)}`];
  },
  keys: () => ['GET', '/admin/v1/keys', '', adminToken],
  revocation: (random) => ['DELETE', `/admin/v1/keys/key_${random.between(0, 1e9)}`, '', adminToken],
  health: (random) => [
    'GET',
    random.pick(['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs', '/licenses', '/sdk.js']),
    '',
  ],
};

/** Reports about what users do over time, each with its own parameters. */
const engagement: readonly (readonly [path: string, asked: (random: Random) => string])[] = [
  [
    'retention',
    (random) =>
      `start=${nameOf(random)}&${random.pick([`return=${nameOf(random)}`, 'any_return=true'])}` +
      `&periods=${random.between(1, 60)}&cohort=${random.pick(['first', 'recurring'])}` +
      `&criteria=${random.pick(['on', 'on_or_after'])}&frame=${random.pick(['calendar', 'rolling'])}`,
  ],
  ['lifecycle', (random) => random.pick([`event=${nameOf(random)}`, 'any_event=true'])],
  ['stickiness', (random) => `event=${nameOf(random)}${random.chance(0.5) ? '&at_least=true' : ''}`],
  [
    'paths',
    (random) =>
      `${random.pick(['start', 'end'])}=${nameOf(random)}&depth=${random.between(2, 6)}&limit=${random.between(1, 200)}`,
  ],
];

function posting(path: string, value: Json, key = writeKey): Template {
  const request = bare('POST', path, '');
  request.headers.push(['Authorization', `Bearer ${key}`], ['Content-Type', 'application/json']);
  return {request, value};
}

/** Paths of libraries of other services. */
const libraryPaths = [
  '/v1/batch',
  '/v1/b',
  '/v1/import',
  '/beacon/v1/batch',
  '/v1/track',
  '/v1/i',
  '/v1/p',
  '/v1/group',
  '/v1/a',
  '/batch',
  '/e',
  '/capture',
  '/i/v0/e',
  '/flags',
  '/2/httpapi',
  '/track',
  '/import',
  '/engage',
  '/groups',
];
/** Of these a GET stores what its query has. */
const queryPaths = ['/track', '/import', '/engage', '/groups'];
/** Refusals of these have their status in the body. */
export const isCodedPath = (path: string): boolean => /^\/(?:batch|2\/httpapi)\/?$/.test(path);
/** Paths of libraries whose calls may name nobody, or have their key in a header of their own. */
const sitePaths = [
  '/track',
  '/api/send',
  '/api/event',
  '/api/s/track',
  '/api/s/page',
  '/api/s/identify',
  '/api/s/s2s/group',
];
export const isLibraryPath = (path: string): boolean =>
  [...libraryPaths, ...sitePaths].includes(path.replace(/\/$/, ''));

/** Calls of a library, with the key and the body in every form. Their events are not compared: their users are victims. */
function libraryRequest(random: Random, name: string): Template {
  const path = random.pick(libraryPaths);
  const calls = Array.from({length: random.between(1, 8)}, (_, i) => callOf(path, random, `${name}-${i}`));
  const isBatch = path.endsWith('batch') || /\/v1\/(b|import)$/.test(path);
  const value: {[name: string]: Json} =
    path === '/2/httpapi' || (path === '/batch' && random.chance(0.5))
      ? {events: calls}
      : isBatch
        ? {batch: calls}
        : calls[0]!;
  const request = bare('POST', `${path}${random.chance(0.2) ? '/' : ''}`, '');
  const place = random.between(0, 4);
  if (place === 0) request.headers.push(['Authorization', `Bearer ${writeKey}`]);
  if (place === 1) request.headers.push(['Authorization', `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`]);
  if (place === 2) request.query = `writeKey=${writeKey}`;
  if (place === 3) value[random.pick(['writeKey', 'api_key', 'token', '$token'])] = writeKey;
  request.headers.push([
    'Content-Type',
    random.pick(['application/json', 'text/plain', 'x', 'application/x-www-form-urlencoded']),
  ]);
  const encode = random.pick([
    undefined,
    undefined,
    (text: string) => `data=${encodeURIComponent(text)}`,
    (text: string) => `v=1&data=${Buffer.from(text).toString('base64')}`,
  ]);
  if (queryPaths.includes(path) && random.chance(0.5)) {
    request.method = random.chance(0.9) ? 'GET' : 'HEAD';
    const text = JSON.stringify(value);
    const data = random.chance(0.5) ? text : Buffer.from(text).toString('base64');
    request.query += `${request.query === '' ? '' : '&'}verbose=1&data=${encodeURIComponent(data)}`;
    return {request, value: undefined};
  }
  return encode === undefined ? {request, value} : {request, value, encode};
}

const victim = (random: Random): string => `${victimPrefix}${random.between(0, victimsCount)}`;

function callOf(path: string, random: Random, name: string): {[name: string]: Json} {
  if (path.startsWith('/v1/') || path.startsWith('/beacon/')) return libraryCall(random, name);
  const ids: {[name: string]: Json} = {
    distinct_id: random.pick([victim(random), `$device:${victim(random)}`, '', null]),
    $device_id: random.pick([victim(random), null]),
    $anon_distinct_id: random.pick([victim(random), null]),
    alias: random.pick([victim(random), null]),
  };
  const names = ['$identify', '$create_alias', '$groupidentify', '$set', '$snapshot', random.pick(eventNames)];
  const traits = {$set: properties(random, name), $set_once: properties(random, name), $add: {n: 1}};
  return {
    event: random.pick(names),
    event_type: random.pick(names),
    ...ids,
    $distinct_id: ids.distinct_id!,
    user_id: random.pick([victim(random), null]),
    device_id: random.pick([victim(random), null]),
    uuid: `m-${name}`,
    insert_id: `m-${name}`,
    time: random.pick([timeText(random), timeMs(random), timeMs(random) / 1_000]),
    properties: {...properties(random, name), ...ids, ...traits, $is_identified: random.chance(0.5), token: 'other'},
    event_properties: properties(random, name),
    user_properties: {...traits, $setOnce: properties(random, name)},
    groups: {company: ['acme', 5]},
    $group_type: 'company',
    $group_key: 'acme',
    ...traits,
  };
}

/** Calls of libraries of pages, in the forms of all of them, with a key in every place. */
function siteRequest(random: Random, name: string): Template {
  const request = bare('POST', `${random.pick(sitePaths)}${random.chance(0.2) ? '/' : ''}`, '');
  const key = random.pick([writeKey, writeKey, writeKey, secretKey, 'no-key', '']);
  const place = random.between(0, 6);
  if (place === 0) request.headers.push(['Authorization', `Bearer ${key}`]);
  if (place === 1) request.headers.push(['X-Write-Key', random.pick([key, `any:${key}`, `${key}:`])]);
  if (place === 2) request.headers.push(['OpenPanel-Client-Id', key], ['OpenPanel-Client-Secret', 'any']);
  if (place === 3) request.query = `x=1&write_key=${key}`;
  request.headers.push(['User-Agent', random.pick(['', 'Browser 1', 'Browser 2', 'é'])]);
  request.headers.push(['Content-Type', random.pick(['application/json', 'text/plain', 'x'])]);
  const calls = Array.from({length: random.pick([1, 1, 1, 3])}, (_, i) => {
    const call = siteCall(random, `${name}-${i}`);
    if (place === 4) (call.payload as {[name: string]: Json}).website = key;
    return call;
  });
  return {request, value: calls.length === 1 ? calls[0]! : calls};
}

/** One that is a call of Umami, Plausible, Jitsu and OpenPanel at once: each reads its own fields. */
function siteCall(random: Random, name: string): {[name: string]: Json} {
  const url = random.pick(['/docs?a=1#x', 'https://shop.example/?utm_source=x', 'mailto:x', '', '?', null, 7]);
  const referrer = random.pick(['https://other.example/', '', null]);
  const event = random.pick([...eventNames, 'pageview', 'engagement', 'screen_view', '', null]);
  const own = properties(random, name);
  const {type, userId, groupId, ...call} = libraryCall(random, name);
  const time = random.pick([timeText(random), Math.floor(timeMs(random) / 1_000), null]);
  return {
    ...{
      ...call,
      type: random.pick(['event', 'identify', 'performance', 'track', 'alias', 'group', 'increment', type!]),
    },
    ...{userId: userId!, groupId: random.pick([groupId!, '', null]), sentAt: random.pick([timeText(random), null])},
    ...{n: event, u: url, r: referrer, d: 'shop.example', p: random.pick([own, JSON.stringify(own), '{', null])},
    ...{$: random.pick([{amount: 12.5, currency: 'EUR'}, '{"amount":1}', null]), w: random.pick([1_200, null])},
    payload: {
      ...{name: event, id: userId!, profileId: userId!, alias: call.previousId!, data: own, timestamp: time},
      ...{url, referrer, title: 'T', hostname: 'shop.example', language: 'de', screen: random.pick(['1x1', 'wide'])},
      ...{groupIds: random.pick([['acme', 7, null], 'acme', null]), groups: ['acme'], ip: '192.0.2.1'},
      properties: {...own, __path: url, __referrer: referrer, __timestamp: time},
    },
  };
}

function libraryCall(random: Random, name: string): {[name: string]: Json} {
  const id = (): Json =>
    random.pick([
      `${victimPrefix}${random.between(0, victimsCount)}`,
      `${victimPrefix}${random.between(0, victimsCount)}`,
      null,
      '',
    ]);
  return {
    type: random.pick(['track', 'page', 'screen', 'identify', 'group', 'alias']),
    event: random.pick(eventNames),
    userId: id(),
    anonymousId: id(),
    previousId: id(),
    messageId: random.pick([`m-${name}`, null]),
    timestamp: random.pick([timeText(random), timeMs(random), timeMs(random) / 1_000]),
    properties: properties(random, name),
    traits: properties(random, name),
    context: {library: {name: 'fuzz'}},
    name: 'Home',
    groupId: 'acme',
  };
}

function reading([method, path, query, key = secretKey]: Reading, random: Random): Template {
  const request = bare(method, path, query);
  request.headers.push(['Authorization', `Bearer ${key}`]);
  // A position that is not reached is waited for: few requests name one.
  if (random.chance(0.02))
    request.headers.push([
      'Min-Log-Position',
      random.pick(['0:1.1', '0:1.1,1:1.1', '0:1.999999999', '900:1.1', '1.1']),
    ]);
  return {request, value: undefined};
}

function preflight(random: Random): Template {
  const request = bare('OPTIONS', random.pick(['/v1/events', '/v1/events/batch', '/v1/users/identify']), '');
  request.headers.push(['Origin', 'https://shop.example'], ['Access-Control-Request-Method', 'POST']);
  return {request, value: undefined};
}

const bare = (method: string, path: string, query: string): HostileRequest => ({
  method,
  path,
  query,
  headers: [['Host', 'fuzz']],
  body: undefined,
  leavesAfter: undefined,
  mangleHead: undefined,
  marks: [],
});

function batch(random: Random, index: number): Json[] {
  const count = random.chance(0.01) ? random.between(900, 1_001) : random.between(1, 20);
  return Array.from({length: count}, (_, i) => event(random, `${index}-${i}`));
}

export function event(random: Random, name: string): {[name: string]: Json} {
  return {
    event: random.pick(eventNames),
    ...idsOf(random),
    ...(random.chance(0.7) ? {properties: properties(random, name)} : {}),
    ...(random.chance(0.8) ? {timestamp: timeText(random)} : {}),
    ...(random.chance(0.7) ? {messageId: `m-${name}`} : {}),
  };
}

function idsOf(random: Random): {[name: string]: Json} {
  if (random.chance(0.03)) return userOrAnonymous(random, `${victimPrefix}${random.between(0, victimsCount)}`);
  if (random.chance(personShare)) return random.chance(0.5) ? personOf(random) : {anonymousId: deviceOf(random)};
  return userOrAnonymous(random, userOf(random));
}

const userOrAnonymous = (random: Random, id: string): {[name: string]: Json} => ({
  [random.chance(0.2) ? 'anonymousId' : 'userId']: id,
});

const userOrPerson = (random: Random): {[name: string]: Json} =>
  random.chance(0.3) ? personOf(random) : {userId: userOf(random)};

/** A user with its device, which no request names beside another user unless it is mutated. */
function personOf(random: Random): {[name: string]: Json} {
  const number = random.between(0, usersCount);
  return {userId: `u${number}`, anonymousId: `${devicePrefix}${number}`};
}

const deviceOf = (random: Random): string => `${devicePrefix}${random.between(0, usersCount)}`;

function properties(random: Random, name: string): {[name: string]: Json} {
  return {
    n: name,
    ...(random.chance(0.5) ? {plan: random.pick(['free', 'pro', 'team'])} : {}),
    ...(random.chance(0.3) ? {amount: random.between(-100_000, 100_000) / 64} : {}),
    ...(random.chance(0.2) ? {nested: {list: [1, null, 'two', [true]], deep: {text: 'line\nbreak "quoted" \\'}}} : {}),
  };
}

const userOf = (random: Random): string => `u${random.between(0, usersCount)}`;
const nameOf = (random: Random): string => encodeURIComponent(random.pick(eventNames));
const timeMs = (random: Random): number => firstDayMs + random.between(0, daysCount * dayMs);
const timeText = (random: Random): string => new Date(timeMs(random)).toISOString();
const dateText = (random: Random): string => timeText(random).slice(0, 10);

function range(random: Random): string {
  const [from, to] = [dateText(random), dateText(random)].sort();
  const interval = random.chance(0.5)
    ? `&interval=${random.pick(['hour', 'day', 'week', 'month', 'quarter', 'year'])}`
    : '';
  const zones = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia', '-03:30', '%2B14:00'];
  const timezone = random.chance(0.3) ? `&timezone=${random.pick(zones)}` : '';
  return `from=${from}&to=${to}${interval}${timezone}`;
}

const form = (random: Random): string =>
  `${random.chance(0.2) ? '&format=csv' : ''}${random.chance(0.05) ? `&at=${random.pick(['0:1.1', '0:1.1,1:1.1', '1.1'])}` : ''}`;
const filter = (random: Random): string =>
  random.chance(0.4) ? `&filter=${random.pick(['plan=pro', 'nested.deep.text=x', 'amount=1.5', 'n='])}` : '';
const condition = (random: Random): string =>
  random.chance(0.3) ? `&user_where=${random.pick(['plan+eq+pro', 'n+gt+1', '%22a+b%22+set', 'plan+in+a,b'])}` : '';
const window = (random: Random): string =>
  random.chance(0.4) ? `&window=${random.pick(['7d', '1h', '60', '90m'])}` : '';
const steps = (random: Random): string =>
  Array.from({length: random.between(1, 6)}, () => `${random.pick(['steps[]', 'steps%5B%5D'])}=${nameOf(random)}`).join(
    '&',
  );

const funnelRules = (random: Random): string =>
  [
    random.chance(0.4) ? `&order=${random.pick(['sequential', 'strict', 'any'])}` : '',
    random.chance(0.2) ? '&range=entry' : '',
    random.chance(0.2) ? `&hold=${random.pick(['plan', 'n', 'nested.deep.text'])}` : '',
    random.chance(0.3) ? `&where[${random.between(1, 4)}]=${random.pick(['plan+eq+pro', 'n+gt+1', 'amount+set'])}` : '',
    random.chance(0.3) ? `&exclude[1]=${nameOf(random)}` : '',
    random.chance(0.1) ? '&exclude_between[1]=1-2' : '',
    condition(random),
  ].join('');

const funnelOptions = (random: Random): string =>
  random.chance(0.5)
    ? ''
    : [
        funnelRules(random),
        random.chance(0.3) ? '&breakdown=plan&breakdown_limit=2' : '',
        random.chance(0.2) ? `&breakdown_at=${random.pick(['1', '2', 'first', 'last'])}` : '',
        random.chance(0.3) ? `&histogram=${random.pick(['true', 'clock'])}` : '',
      ].join('');

function historyQuery(random: Random): string {
  const parts = [
    random.chance(0.4) ? `userId=${userOf(random)}` : '',
    random.chance(0.3) ? `event=${nameOf(random)}` : '',
    random.chance(0.3) ? `from=${dateText(random)}` : '',
    random.chance(0.5) ? `limit=${random.between(1, random.chance(0.05) ? 1_000 : 50)}` : '',
  ];
  return parts.filter((part) => part !== '').join('&');
}

// The real, unchanged libraries of other services, and our own SDK, through refusals, lost answers and a killed service: what they were
// given is stored once. A gate stands before the service, under one address, and misbehaves as proxies and networks do.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type * as ownSdk from '../packages/sdk/src/node.js';
import {Gate} from './support/gate.js';
import {Client, expectJson, type HistoryAnswer, type ProfileBody, query, userPath} from './support/http.js';
import {until} from './support/reports.js';
import {installSdk} from './support/sdk-package.js';
import {type Service, startService} from './support/service.js';

/** What all libraries have; their packages are no part of the service's own types. */
interface Library {
  track(message: Call): void;
  page(message: Call): void;
  screen(message: Call): void;
  identify(message: Call): void;
  group(message: Call): void;
  alias(message: Call): void;
}

/** As `play` makes it. */
interface Call {
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly previousId?: string;
  readonly groupId?: string;
  readonly event?: string;
  readonly name?: string;
  readonly properties?: object;
  readonly traits?: object;
  readonly timestamp: Date;
}

const load = createRequire(import.meta.url);

const gate = new Gate();
let host = '';
let service: Service;
/** Low enough for a 429 now and then. */
const env = {RATE_LIMIT_EVENTS_PER_SECOND: '60', RATE_LIMIT_READS_PER_MINUTE: '0'};

async function begin(dataDir?: string): Promise<void> {
  service = await startService(dataDir === undefined ? {env} : {env, dataDir});
  gate.lead(new URL(service.baseUrl));
}

beforeAll(async () => {
  host = await gate.open();
  await begin();
});
afterAll(async () => {
  gate.close();
  expect(await service.stop()).toBe(0);
});

const usersCount = 10;
const rounds = 40;
const day = '2026-02-03';
const timeOf = (n: number): Date => new Date(Date.parse(`${day}T00:00:00Z`) + n * 1_000);

/** Calls of one round: each user browses, logs in once, and goes on. `n` is unique. */
function play(library: Library, name: string, round: number): void {
  for (let user = 0; user < usersCount; user++) {
    const n = round * usersCount + user;
    const [userId, anonymousId] = [`${name}-u${user}`, `${name}-a${user}`];
    const at = {timestamp: timeOf(n)};
    if (round === 0) library.page({anonymousId, name: 'Home', properties: {n}, ...at});
    else if (round === 1) {
      library.identify({userId, anonymousId, traits: {plan: 'free', first: n}, ...at});
      library.track({userId, event: 'played', properties: {n}, ...at});
    } else if (round === 2) {
      library.alias({userId, previousId: `${anonymousId}-old`, ...at});
      library.group({userId, groupId: 'acme', traits: {n}, ...at});
    } else if (round === 3) library.track({anonymousId: `${anonymousId}-old`, event: 'played', properties: {n}, ...at});
    else if (round === rounds - 1) library.identify({userId, traits: {plan: 'pro'}, ...at});
    else if (round % 9 === 0) library.screen({userId, name: 'Main', properties: {n}, ...at});
    else library.track({userId, event: 'played', properties: {n}, ...at});
  }
}

/** Events of a user as `play` makes them. */
function expectedOf(user: number): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (let round = 0; round < rounds - 1; round++) {
    const event = round === 0 ? 'page' : round === 2 ? 'group' : round > 3 && round % 9 === 0 ? 'screen' : 'played';
    found.set(event, [...(found.get(event) ?? []), round * usersCount + user]);
  }
  return found;
}

async function expectStoredOnce(name: string): Promise<void> {
  const client = new Client(service.baseUrl, service.secretKey);
  for (let user = 0; user < usersCount; user++) {
    const userId = `${name}-u${user}`;
    const ask = async () => {
      const answer = await client.get(`/v1/events?${query({userId, limit: 1_000})}`);
      expectJson(answer, 200);
      return answer.json<HistoryAnswer>().data;
    };
    const events = await until(ask, ({length}) => length >= rounds - 1, `${userId} is joined with what it was before`);
    const stored = new Map<string, number[]>();
    for (const {event, properties} of events) {
      const n = Number(event === 'group' ? (properties.traits as {n: number}).n : properties.n);
      stored.set(
        event,
        [...(stored.get(event) ?? []), n].sort((a, b) => a - b),
      );
    }
    expect(stored).toEqual(expectedOf(user));
    const profile = (await client.get(userPath(userId))).json<ProfileBody>();
    expect(profile.traits).toEqual({plan: 'pro', first: usersCount + user});
    expect([...profile.anonymous_ids!].sort()).toEqual([`${name}-a${user}`, `${name}-a${user}-old`]);
  }
}

/** The counts of all users together, as the report has them once it has everything. */
async function expectReported(libraries: number): Promise<void> {
  const client = new Client(service.baseUrl, service.secretKey);
  const sum = (event: string): number =>
    libraries *
    Array.from({length: usersCount}, (_, user) => expectedOf(user).get(event)!.length).reduce((a, b) => a + b, 0);
  for (const event of ['page', 'played', 'screen', 'group']) {
    const path = `/v1/reports/events?${query({event, from: day, to: day})}`;
    const countsOf = async () => (await client.get(path)).json<{total: number; data: {count: number}[]}>();
    const report = await until(
      countsOf,
      ({data}) => data.reduce((all, {count}) => all + count, 0) >= sum(event),
      `the report has every ${event}`,
    );
    expect([event, report.data.reduce((all, {count}) => all + count, 0)]).toEqual([event, sum(event)]);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** All of them play all rounds; in the middle answers are lost, and then the service is killed and comes back. */
async function playThrough(libraries: ReadonlyMap<string, Library>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const [name, library] of libraries) play(library, name, round);
    if (round === 10) gate.losesAnswers = 4;
    if (round === 20) {
      gate.lead(undefined);
      await service.kill();
      await begin(service.dataDir);
    }
    await pause(25);
  }
}

// ---- libraries that send each call once ----

interface Jitsu {
  page(properties: object): Promise<unknown>;
  identify(userId: string, traits: object): Promise<unknown>;
  track(event: string, properties: object): Promise<unknown>;
  group(groupId: string, traits: object): Promise<unknown>;
}

interface OfUmami {
  track(event: string | object, data?: object): Promise<Response>;
  identify(data: object): Promise<Response>;
}

type Stored = HistoryAnswer['data'][number];

/** The events of an asked user once there are `count`, the oldest first. */
async function storedOf(asked: Record<string, string>, count: number): Promise<Stored[]> {
  const client = new Client(service.baseUrl, service.secretKey);
  const ask = async () => (await client.get(`/v1/events?${query({...asked, limit: 100})}`)).json<HistoryAnswer>().data;
  const events = await until(ask, ({length}) => length >= count, `${JSON.stringify(asked)} has ${count} events`);
  return events.toReversed();
}

test('@jitsu/js on a server: both ids join, traits are set, the group is of the person', async () => {
  const {jitsuAnalytics} = load('@jitsu/js');
  const jitsu: Jitsu = jitsuAnalytics({host, writeKey: `any:${service.writeKey}`, s2s: true, errorPolicy: 'rethrow'});
  await jitsu.page({name: 'Home'});
  await jitsu.identify('jitsu-ada', {plan: 'pro'});
  await jitsu.track('signup', {n: 1});
  await jitsu.group('acme', {size: 3});
  const events = await storedOf({userId: 'jitsu-ada'}, 3);
  expect(events.map(({event, properties}) => [event, properties])).toEqual([
    ['page', {name: 'Home'}],
    ['signup', {n: 1}],
    ['group', {groupId: 'acme', traits: {size: 3}}],
  ]);
  const client = new Client(service.baseUrl, service.secretKey);
  const profile = (await client.get(userPath('jitsu-ada'))).json<ProfileBody>();
  expect(profile).toMatchObject({traits: {plan: 'pro'}, anonymous_ids: [expect.stringMatching(/^[\da-f-]{36}$/)]});
});

test('@umami/node: all of its calls are of one visitor, who has another id than that of another user agent', async () => {
  const {Umami} = load('@umami/node');
  const open = (userAgent: string): OfUmami => new Umami({hostUrl: host, websiteId: service.writeKey, userAgent});
  const umami = open('Umami test 1');
  const answers = [
    await umami.track({url: '/umami?a=1', title: 'Docs', referrer: 'https://other.example/'}),
    await umami.track('umami signup', {plan: 'pro'}),
    await umami.identify({seats: 3}),
    await open('Umami test 2').track('umami signup', {plan: 'free'}),
  ];
  for (const answer of answers) expect(await answer.json()).toEqual({cache: '', sessionId: '', visitId: ''});
  const signups = await storedOf({event: 'umami signup'}, 2);
  const [one, other] = signups.map(({anonymousId}) => anonymousId!);
  expect([one, other]).toEqual([expect.stringMatching(/^v_[\w-]{22}$/), expect.stringMatching(/^v_[\w-]{22}$/)]);
  expect(one).not.toBe(other);
  const events = await storedOf({anonymousId: one!}, 3);
  expect(events).toMatchObject([
    {
      event: 'page',
      context: {page: {path: '/umami', search: '?a=1', title: 'Docs', referrer: 'https://other.example/'}},
    },
    {event: 'umami signup', properties: {plan: 'pro'}},
    {event: 'identify', properties: {traits: {seats: 3}}},
  ]);
});

interface OfOpenPanel {
  track(event: string, properties: object): Promise<unknown>;
  identify(profile: object): Promise<unknown>;
  setGroup(group: string): Promise<unknown>;
  revenue(amount: number, properties: object): Promise<unknown>;
  increment(asked: object): Promise<unknown>;
}

test('@openpanel/sdk: calls are of the visitor until they name a profile', async () => {
  const {OpenPanel} = load('@openpanel/sdk');
  const openpanel: OfOpenPanel = new OpenPanel({apiUrl: host, clientId: service.writeKey, clientSecret: 'any'});
  expect(await openpanel.track('openpanel seen', {n: 1})).toEqual({});
  await openpanel.identify({profileId: 'openpanel-ada', firstName: 'Ada', properties: {plan: 'pro'}});
  await openpanel.track('bought', {n: 2});
  await openpanel.setGroup('acme');
  await openpanel.increment({profileId: 'openpanel-ada', property: 'visits', value: 1});
  await openpanel.revenue(12, {n: 3});
  const events = await storedOf({userId: 'openpanel-ada'}, 3);
  expect(events.map(({event, properties}) => [event, properties])).toEqual([
    ['bought', {n: 2}],
    ['group', {groupId: 'acme'}],
    ['revenue', {n: 3, __revenue: 12}],
  ]);
  const client = new Client(service.baseUrl, service.secretKey);
  const profile = (await client.get(userPath('openpanel-ada'))).json<ProfileBody>();
  expect(profile).toMatchObject({traits: {firstName: 'Ada', plan: 'pro'}, anonymous_ids: []});
  const [seen] = await storedOf({event: 'openpanel seen'}, 1);
  expect(seen).toMatchObject({userId: null, anonymousId: expect.stringMatching(/^v_[\w-]{22}$/)});
});

// ---- libraries that repeat ----

test('what @segment/analytics-node and @rudderstack/rudder-sdk-node were given is stored once, through 429, lost answers and kill -9', async () => {
  const faults: unknown[] = [];
  const {Analytics} = load('@segment/analytics-node');
  const segment = new Analytics({writeKey: service.writeKey, host, flushAt: 15, flushInterval: 100, maxRetries: 1_000});
  segment.on('error', (fault: unknown) => faults.push(fault));
  const RudderAnalytics = load('@rudderstack/rudder-sdk-node');
  const rudder = new RudderAnalytics(service.writeKey, {
    dataPlaneUrl: host,
    flushAt: 15,
    flushInterval: 100,
    logLevel: 'none',
    retryCount: 1_000,
    axiosRetryConfig: {retryDelay: () => 250},
    errorHandler: (fault: unknown) => faults.push(fault),
  });
  await playThrough(
    new Map<string, Library>([
      ['segment', segment],
      ['rudder', rudder],
    ]),
  );
  await segment.closeAndFlush({timeout: 200_000});
  do await rudder.flush();
  while (rudder.queue.length > 0);
  expect(faults).toEqual([]);
  await expectStoredOnce('segment');
  await expectStoredOnce('rudder');
  await expectReported(2);
  expect(gate.losesAnswers).toBe(0);
  expect(gate.statuses.get(429) ?? 0, 'some requests were over the limit').toBeGreaterThan(0);
});

describe('our own SDK', () => {
  let entry = '';
  let entryOfApps = '';
  beforeAll(async () => {
    const folder = await installSdk();
    entry = pathToFileURL(join(folder, 'dist/node.js')).href;
    entryOfApps = pathToFileURL(join(folder, 'dist/millrace.js')).href;
  });

  /** The calls of the other libraries, as it has them. */
  function libraryOf(sdk: ownSdk.Millrace): Library & {readonly made: {count: number}} {
    const made = {count: 0};
    const track = (event: string, {userId, anonymousId, timestamp}: Call, properties: object): void => {
      made.count += 1;
      sdk.track(
        event,
        {...properties},
        {userId: userId!, anonymousId: anonymousId!, timestamp: timestamp.toISOString()},
      );
    };
    const identify = (userId: string, traits: object, anonymousId: string | undefined, timestamp: Date): void => {
      made.count += 1;
      sdk.identify(userId, {...traits}, {timestamp: timestamp.toISOString(), ...(anonymousId && {anonymousId})});
    };
    return {
      made,
      track: (call: Call) => track(call.event!, call, {...call.properties}),
      page: (call: Call) => track('page', call, {name: call.name, ...call.properties}),
      screen: (call: Call) => track('screen', call, {name: call.name, ...call.properties}),
      group: (call: Call) => track('group', call, {groupId: call.groupId, traits: call.traits}),
      identify: (call: Call) => identify(call.userId!, call.traits!, call.anonymousId, call.timestamp),
      alias: (call: Call) => identify(call.userId!, {}, call.previousId, call.timestamp),
    };
  }

  test('what it was given is stored once, through 429, lost answers and kill -9, and it knows so', async () => {
    const {start} = (await import(entry)) as typeof ownSdk;
    const sdk = start({host, key: service.secretKey, signals: []});
    const refused: unknown[] = [];
    sdk.on('rejected', (one) => refused.push(one)).on('dropped', (one) => refused.push(one));
    const library = libraryOf(sdk);
    await playThrough(new Map([['own', library]]));
    let accepted = 0;
    for (let waiting = 1; waiting > 0; ) {
      const told = await sdk.close();
      accepted += told.accepted;
      waiting = told.waiting;
    }
    expect([accepted, refused]).toEqual([library.made.count, []]);
    await expectStoredOnce('own');
  });

  /** Plays `calls` in a process of its own, whose SDK sends nothing by itself yet, and ends it by `end`. */
  async function played(calls: string, end: 'SIGTERM' | undefined): Promise<readonly [unknown, unknown]> {
    const program = `
      import {start} from ${JSON.stringify(entry)};
      const millrace = start({host: ${JSON.stringify(service.baseUrl)}, key: ${JSON.stringify(service.writeKey)}});
      ${calls}
      console.log('played');`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    if (end !== undefined) child.kill(end);
    return (await ended) as [unknown, unknown];
  }

  const stored = async (userId: string): Promise<number> => {
    const client = new Client(service.baseUrl, service.secretKey);
    return (await client.get(`/v1/events?${query({userId})}`)).json<HistoryAnswer>().data.length;
  };

  /** The parts of the SDK for apps and edges that need no browser. */
  interface AppSdk {
    start(options: object): {
      track(event: string, properties?: object, more?: object): void;
      identify(userId: string): void;
      flush(): Promise<{readonly accepted: number; readonly waiting: number}>;
    };
  }

  test('an app that was closed without a network sends at its next start, from a store that answers later', async () => {
    const {start} = (await import(entryOfApps)) as AppSdk;
    const store = new Map<string, string>();
    const later = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(resolve, value));
    const storage = {
      getItem: (key: string) => later(store.get(key) ?? null),
      setItem: (key: string, value: string) => later(void store.set(key, value)),
      removeItem: (key: string) => later(void store.delete(key)),
      getAllKeys: () => later([...store.keys()]),
    };
    // A call that waits for another service is not for this one.
    const ofAnother = ['millrace_https://elsewhere.example:m1', 'e{"event":"elsewhere","messageId":"m1"}'] as const;
    store.set(...ofAnother);
    const app = () => start({host, key: service.writeKey, storage});
    const lost = gate.losesAnswers;
    gate.losesAnswers = lost + 2;
    const first = app();
    first.identify('app');
    for (let n = 0; n < 5; n++) first.track('opened', {n});
    expect(await first.flush()).toMatchObject({accepted: 0});
    gate.losesAnswers = lost;
    const second = app();
    second.track('opened', {n: 5});
    const told = await until(
      () => second.flush(),
      ({waiting}) => waiting === 0,
      'all is sent',
    );
    expect(told).toMatchObject({rejected: [], dropped: 0});
    const client = new Client(service.baseUrl, service.secretKey);
    const {data} = (await client.get(`/v1/events?${query({userId: 'app'})}`)).json<HistoryAnswer>();
    expect(data.map(({properties}) => properties.n)).toEqual([5, 4, 3, 2, 1, 0]);
    expect([...store].filter(([, text]) => /^[ei]\{/.test(text))).toEqual([ofAnother]);
    // The first one, too, hears that its calls are stored.
    await until(
      () => first.flush(),
      ({waiting}) => waiting === 0,
      'it may ask again',
    );
  });

  test('an edge names the person of each call, and joins nobody', async () => {
    const {start} = (await import(entryOfApps)) as AppSdk;
    const edge = start({host, key: service.writeKey, storage: 'none'});
    for (const userId of ['edge-1', 'edge-2']) edge.track('asked', {}, {userId});
    edge.track('asked', {}, {anonymousId: 'edge-3'});
    expect(await edge.flush()).toMatchObject({accepted: 3, waiting: 0});
    const client = new Client(service.baseUrl, service.secretKey);
    for (const userId of ['edge-1', 'edge-2']) {
      const profile = (await client.get(userPath(userId))).json<ProfileBody>();
      expect([profile.anonymous_ids, profile.events.length]).toEqual([[], 1]);
    }
  });

  test('a script that has nothing else to do sends what waits, and ends', async () => {
    expect(await played("millrace.track('ran', {n: 1}, {userId: 'script'});", undefined)).toEqual([0, null]);
    expect(await stored('script')).toBe(1);
  });

  test('a server that gets SIGTERM sends what waits, and ends by it', async () => {
    const calls = "setInterval(() => {}, 1_000); millrace.track('ran', {n: 1}, {userId: 'server'});";
    expect(await played(calls, 'SIGTERM')).toEqual([null, 'SIGTERM']);
    expect(await stored('server')).toBe(1);
  });
});

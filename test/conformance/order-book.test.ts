// Calls of the libraries of all services, mixed: each counts once, and who uses two of them is one person. A visitor whom nobody names
// is one, too.
import {expect, test} from 'vitest';
import {Random} from '../../tools/random.js';
import {query} from '../support/http.js';
import {reportCovering} from '../support/reports.js';
import {runs} from '../support/runs.js';
import {freshId, useService} from './service-under-test.js';

const under = useService();

interface Library {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body of some calls; absent: a request has one. */
  readonly bodyOf?: (calls: readonly object[]) => unknown;
  readonly callOf: (event: string, person: string, id: string) => object;
}

/** Those that name a person. */
function librariesOf(key: string): Readonly<Record<string, Library>> {
  return {
    segment: {
      path: '/v1/batch',
      headers: {authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`},
      bodyOf: (batch) => ({batch}),
      callOf: (event, userId, messageId) => ({type: 'track', event, userId, messageId}),
    },
    posthog: {
      path: '/batch/',
      bodyOf: (batch) => ({api_key: key, batch}),
      callOf: (event, distinct_id, uuid) => ({event, distinct_id, uuid, properties: {}}),
    },
    mixpanel: {
      path: '/track',
      bodyOf: (calls) => calls,
      callOf: (event, distinct_id, $insert_id) => ({event, properties: {token: key, distinct_id, $insert_id}}),
    },
    amplitude: {
      path: '/2/httpapi',
      bodyOf: (events) => ({api_key: key, events}),
      callOf: (event_type, user_id, insert_id) => ({event_type, user_id, insert_id}),
    },
    jitsu: {
      path: '/api/s/track',
      headers: {'x-write-key': `page:${key}`},
      callOf: (event, userId, messageId) => ({type: 'track', event, userId, messageId}),
    },
    openpanel: {
      path: '/track',
      headers: {'openpanel-client-id': key},
      callOf: (name, profileId) => ({type: 'track', payload: {name, profileId}}),
    },
    umami: {
      path: '/api/send',
      callOf: (name, id) => ({type: 'event', payload: {website: key, name, id}}),
    },
  };
}

const plausible = (key: string): Library => ({
  path: `/api/event?write_key=${key}`,
  callOf: (n) => ({n, u: 'https://shop.example.com/', d: 'shop.example.com'}),
});

const callsMax = 100;
const requestsAtOnce = 8;

test('an order book of all of them: counts are the sum, and nobody counts twice', async () => {
  const {writeKey} = under.service;
  const [random, event] = [new Random(52), freshId('ordered')];
  const named = librariesOf(writeKey);
  const libraries = {...named, plausible: plausible(writeKey)};
  const names = Object.keys(named);
  const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other] as const));
  const calls = new Map<string, object[]>(Object.keys(libraries).map((name) => [name, []]));
  const users = new Map<string, Set<string>>();
  for (let n = 0; n < runs(10_000); n++) {
    const pair = random.pick(pairs);
    const library = random.chance(0.1) ? 'plausible' : random.pick(pair);
    const person = `${event} ${pair.join(' ')}`;
    calls.get(library)!.push(libraries[library as keyof typeof libraries].callOf(event, person, `${event}-${n}`));
    if (library !== 'plausible') users.set(person, (users.get(person) ?? new Set()).add(library));
  }
  const requests = Object.entries(libraries).flatMap(([name, {path, headers, bodyOf}]) => {
    const all = calls.get(name)!;
    const send = (body: unknown) => async () => {
      const options = {body: JSON.stringify(body), headers: {'content-type': 'application/json', ...headers}};
      const answer = await under.nobody.send('POST', path, options);
      expect([200, 202], `${name}: ${answer.text}`).toContain(answer.status);
      expect(answer.headers['rejected-events'], name).toBeUndefined();
      under.positions.note(answer);
    };
    if (bodyOf === undefined) return all.map(send);
    return Array.from({length: Math.ceil(all.length / callsMax)}, (_, at) =>
      send(bodyOf(all.slice(at * callsMax, (at + 1) * callsMax))),
    );
  });
  const lane = async (): Promise<void> => {
    for (let next = requests.pop(); next !== undefined; next = requests.pop()) await next();
  };
  await Promise.all(Array.from({length: requestsAtOnce}, lane));
  expect([...users.values()].filter(({size}) => size === 2)).toHaveLength(pairs.length);

  const day = new Date().toISOString().slice(0, 10);
  const range = {from: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10), to: day, event};
  const totalOf = async (more: Readonly<Record<string, string>>): Promise<{total: number; total_value?: number}> =>
    (await reportCovering(under.read, `/v1/reports/events?${query({...range, ...more})}`, under.positions)).json();
  expect(await totalOf({})).toMatchObject({total: runs(10_000)});
  expect((await totalOf({measure: 'users'})).total_value).toBe(pairs.length + 1);
});

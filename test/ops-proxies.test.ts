// Millrace behind the proxies of ops/proxies, run as they stand there: what they hide, which user a request names behind
// them, where the links of /docs lead, and what becomes of connections that idle.
import {randomBytes} from 'node:crypto';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {jetstream} from '@nats-io/jetstream';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {ByteWriter} from '../actors/bytes/bytes.js';
import {beginMessage, sealMessage, writeEvent} from '../actors/log/entries.js';
import {connectNats} from '../src/nats/client/connection.js';
import {logSubject} from '../src/nats/topology.js';
import {type ConnectionEnd, ConnectionEnds} from './support/connection-ends.js';
import {canRun, type ProxyAnswer, type ProxyProgram, proxyPrograms, ReverseProxy} from './support/reverse-proxy.js';
import {hasOwnNats, type Service, startService} from './support/service.js';
import {until} from './support/until.js';

const missing = proxyPrograms.filter((program) => !canRun(program));
if (missing.length > 0)
  console.warn(`OPS/PROXIES IS NOT TESTED WITH ${missing.join(', ')} (Debian: nginx-light, haproxy, caddy)`);

const variants = proxyPrograms.flatMap((program) => ['', '/analytics'].map((basePath) => ({program, basePath})));
type Variant = (typeof variants)[number];
const nameOf = ({program, basePath}: Variant): string => `${program}${basePath}`;

let service: Service;
const proxies = new Map<string, ReverseProxy>();
const wires: ConnectionEnds[] = [];
const idled = new Map<string, Promise<Idled>>();

beforeAll(async () => {
  service = await startService({env: {PARTITIONS: '1', TRUSTED_PROXIES: '127.0.0.1'}});
  if (hasOwnNats) await store(variants.map((variant) => `a/../${victimOf(variant)}`));
  const start = async (variant: Variant): Promise<void> => {
    const wire = await ConnectionEnds.watch(Number(new URL(service.baseUrl).port));
    wires.push(wire);
    const proxy = await ReverseProxy.start(variant.program, variant.basePath, wire.port);
    proxies.set(nameOf(variant), proxy);
    const outcome = idle(proxy, wire, nameOf(variant));
    outcome.catch(() => undefined); // Its test says so.
    idled.set(nameOf(variant), outcome);
  };
  await Promise.all(variants.filter(({program}) => !missing.includes(program)).map(start));
});
afterAll(async () => {
  await Promise.all([...proxies.values()].map((proxy) => proxy.end()));
  await Promise.all(wires.map((wire) => wire.stop()));
  await service.stop();
});

/** Millrace ends what idles after 8 to 12 s, and a request that is sent at that moment is lost. */
const idleMsMax = 8_000;
/** Millrace ends a connection right behind an answer where it is asked to, as HAProxy's health checks do. */
const answeredMsMax = 2_000;
const clients = 12;
/** The connection over which a proxy asks every other second whether Millrace lives. */
const healthChecksMax = 1;

interface Idled {
  readonly statuses: readonly number[];
  /** Of the connections between proxy and Millrace, once all of them have ended. */
  readonly ends: readonly ConnectionEnd[];
}

/** Many clients post at once, idle until the proxy has no connection left, and post over their own connections again. */
async function idle(proxy: ReverseProxy, wire: ConnectionEnds, name: string): Promise<Idled> {
  const postAll = (turn: string) =>
    Promise.all(
      Array.from({length: clients}, async (_, i) => {
        const event = {event: 'idle', userId: name, messageId: `${turn} ${i}`};
        return (await proxy.send('POST', '/v1/events', service.writeKey, event)).status;
      }),
    );
  const first = await postAll('first');
  await until('connections that idle have ended', () => wire.openCount <= healthChecksMax);
  const ends = [...wire.seen];
  return {statuses: [...first, ...(await postAll('second'))], ends};
}

const victimOf = (variant: Variant): string => `victim of ${variant.program} ${variant.basePath.length}`;

/** An event each, as a version stored it that took any id. */
async function store(userIds: readonly string[]): Promise<void> {
  const nats = join(service.dataDir, 'nats');
  const [ports] = readdirSync(join(nats, 'ports'));
  const {nats: servers} = JSON.parse(readFileSync(join(nats, 'ports', ports!), 'utf8')) as {nats: string[]};
  const [, token] = /token: "([^"]+)"/.exec(readFileSync(join(nats, 'server.conf'), 'utf8'))!;
  const nc = await connectNats({servers: servers.slice(0, 1), token: token!}, 'test');
  const writer = new ByteWriter(1_024);
  beginMessage(writer);
  const timeMs = Date.UTC(2026, 4, 1);
  for (const userId of userIds) writeEvent(writer, {event: 'stored', userId, timeMs, receivedMs: timeMs});
  await jetstream(nc).publish(logSubject(0), sealMessage(writer, randomBytes(8), 1, timeMs, userIds.length));
  await nc.close();
}

const hiddenPaths = ['admin/v1/keys', 'metrics', 'healthz', 'readyz'].flatMap((path) => [
  `/${path}`,
  `/${path}/`,
  `/${path}?a=b`,
  `//${path}`,
  `/./${path}`,
  `/v1/../${path}`,
  `/v1/..%2f${path}`,
  `/%${path.charCodeAt(0).toString(16)}${path.slice(1)}`,
  `/${path.toUpperCase()}`,
  `/${path.replace('/', '//')}`,
  `/${path.replace('/', '%2F')}`,
]);

const eventsOf60kB = (count: number) => ({
  events: Array.from({length: count}, () => ({event: 'large', userId: 'u', properties: {text: 'x'.repeat(60_000)}})),
});

describe.each(variants)('$program, base path "$basePath"', (variant) => {
  let proxy: ReverseProxy;
  beforeEach(({skip}) => {
    skip(missing.includes(variant.program), `${variant.program} is not installed`);
    proxy = proxies.get(nameOf(variant))!;
  });

  const eventsOf = async (userId: string): Promise<number> => {
    const answer = await proxy.send('GET', `/v1/events?${new URLSearchParams({userId})}`, service.secretKey);
    expect(answer.status).toBe(200);
    return (JSON.parse(answer.text) as {data: unknown[]}).data.length;
  };
  const track = async (userId: string): Promise<number> =>
    (await proxy.send('POST', '/v1/events', service.writeKey, {event: 'seen', userId})).status;
  const user = (method: string, userId: string): Promise<ProxyAnswer> =>
    proxy.send(method, `/v1/user?userId=${encodeURIComponent(userId)}`, service.secretKey);
  /** Of the receipt, which takes longer than the 5 s of an answer where the disk is slow. */
  const erase = async (userId: string): Promise<{id: string; eventsDeleted: number}> => {
    const {status, text} = await user('DELETE', userId);
    expect([200, 202]).toContain(status);
    const {id, deletion} = JSON.parse(text) as {id: string; deletion: {id: string}};
    const {events_deleted: eventsDeleted} = await until('the deletion is completed', async () => {
      const receipt = await proxy.send('GET', `/v1/deletion?id=${deletion.id}`, service.secretKey);
      if (receipt.status === 503) return false; // A live read waits 2 s, which a busy machine can exceed.
      expect(receipt.status).toBe(200);
      const told = (JSON.parse(receipt.text) as {deletion: {status: string; events_deleted: number}}).deletion;
      return told.status === 'completed' && told;
    });
    return {id, eventsDeleted};
  };

  test.runIf(hasOwnNats)('erases whom the query names, and not whom that would be as a path', async () => {
    const victim = victimOf(variant);
    const stored = `a/../${victim}`;
    // nginx makes one slash of several before it takes a base path off.
    expect([await track(victim), await track(stored), await track(`/${victim}`)]).toEqual([200, 400, 400]);
    expect([await eventsOf(victim), await eventsOf(stored)]).toEqual([1, 1]);
    expect(await erase(stored)).toEqual({id: stored, eventsDeleted: 1});
    expect([await eventsOf(victim), await eventsOf(stored)]).toEqual([1, 0]);
    expect((await user('GET', stored)).status).toBe(404);
    expect((await user('GET', victim)).status).toBe(200);
  });

  test('reads and erases users whom a path cannot name', async () => {
    const ids = ['org/1', 'a//b', 'a%2Fb', 'a\\b', 'ä/?#&+ b'].map((name) => `${nameOf(variant)} ${name}`);
    await Promise.all(
      ids.map(async (id) => {
        expect(await track(id)).toBe(200);
        const read = await user('GET', id);
        expect([read.status, JSON.parse(read.text)]).toEqual([200, expect.objectContaining({id})]);
        expect(await erase(id)).toEqual({id, eventsDeleted: 1});
        expect((await user('GET', id)).status).toBe(404);
      }),
    );
  });

  test('serves /docs with links and addresses below its own path, whatever prefix the client claims', async () => {
    const {basePath, origin} = proxy;
    const claimed = {'X-Forwarded-Prefix': '/claimed'};
    const page = await proxy.send('GET', '/docs', undefined, undefined, claimed);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain(`BASE=<span class="base">http://127.0.0.1:8080${basePath}</span>`);
    const links = [...page.text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThan(20);
    const targets = new Set(links.map((link) => new URL(link, `${origin}${basePath}/docs`).href.replace(/#.*/, '')));
    expect([...targets].sort()).toEqual([`${origin}${basePath}/docs`, `${origin}${basePath}/openapi.json`]);
    const description = await proxy.send('GET', '/openapi.json', undefined, undefined, claimed);
    const {servers} = JSON.parse(description.text) as {servers: {url: string}[]};
    expect(servers.map(({url}) => url)).toEqual([basePath === '' ? '/' : basePath]);
    if (basePath === '') return;
    const redirect = await proxy.send('GET', '');
    expect(redirect.status).toBe(308);
    expect(new URL(redirect.headers.location as string, origin).href).toBe(`${origin}${basePath}/docs`);
  });

  test('hides what is for operators, however it is spelt', async () => {
    const answers = await Promise.all(
      hiddenPaths.map(async (path) => ({path, status: (await proxy.send('GET', path, service.adminToken)).status})),
    );
    expect(answers.filter(({status}) => status !== 404)).toEqual([]);
  });
});

const installed: readonly ProxyProgram[] = proxyPrograms.filter((program) => !missing.includes(program));

test.each(installed)(
  '%s takes a large batch, and leaves the refusal of one above 10 MiB to Millrace',
  async (program) => {
    const proxy = proxies.get(program)!;
    // Millrace refuses a body and ends the connection before all of it has come: to a client that is still sending, the answer may
    // be lost. And a proxy may be ending a connection that idled while a slow machine makes the body. The client sends again.
    const answerTo = (count: number): Promise<ProxyAnswer> =>
      until(`an answer to ${count} events`, () =>
        proxy.send('POST', '/v1/events/batch', service.writeKey, eventsOf60kB(count)).catch(() => undefined),
      );
    const taken = await answerTo(40);
    expect([taken.status, taken.text]).toEqual([200, expect.stringContaining('"received":40')]);
    const refused = await answerTo(178);
    expect([refused.status, refused.text]).toEqual([413, expect.stringContaining('payload_too_large')]);
  },
);

test.each(installed)('%s ends connections before Millrace does', async (program) => {
  for (const basePath of ['', '/analytics']) {
    const {statuses, ends} = (await idled.get(nameOf({program, basePath})))!;
    expect(statuses).toEqual(Array.from({length: 2 * clients}, () => 200));
    expect(ends.length).toBeGreaterThan(1);
    const tooLate = ends.filter(({by, idleMs}) => idleMs >= (by === 'client' ? idleMsMax : answeredMsMax));
    expect(tooLate).toEqual([]);
  }
});

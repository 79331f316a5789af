// Millrace behind the proxies of ops/proxies, run as they stand there: what they hide, which user a request names behind
// them, and what becomes of connections that idle.
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {type ConnectionEnd, ConnectionEnds} from './support/connection-ends.js';
import {canRun, type ProxyProgram, proxyPrograms, ReverseProxy} from './support/reverse-proxy.js';
import {type Service, startService} from './support/service.js';
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
  service = await startService();
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
    const taken = await proxy.send('POST', '/v1/events/batch', service.writeKey, eventsOf60kB(40));
    expect([taken.status, taken.text]).toEqual([200, expect.stringContaining('"received":40')]);
    const refused = await proxy.send('POST', '/v1/events/batch', service.writeKey, eventsOf60kB(178));
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

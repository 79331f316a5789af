// Millrace behind the proxies of ops/proxies, run as they stand there: what they hide, which user a request names behind
// them, and what becomes of connections that idle.
import {setTimeout as pause} from 'node:timers/promises';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {canRun, type ProxyProgram, proxyPrograms, ReverseProxy} from './support/reverse-proxy.js';
import {type Service, startService} from './support/service.js';

const missing = proxyPrograms.filter((program) => !canRun(program));
if (missing.length > 0)
  console.warn(`OPS/PROXIES IS NOT TESTED WITH ${missing.join(', ')} (Debian: nginx-light, haproxy, caddy)`);

const variants = proxyPrograms.flatMap((program) => ['', '/analytics'].map((basePath) => ({program, basePath})));
type Variant = (typeof variants)[number];
const nameOf = ({program, basePath}: Variant): string => `${program}${basePath}`;

let service: Service;
const proxies = new Map<string, ReverseProxy>();
const idled = new Map<string, Promise<readonly number[]>>();

beforeAll(async () => {
  service = await startService();
  const start = async (variant: Variant): Promise<void> => {
    const port = Number(new URL(service.baseUrl).port);
    const proxy = await ReverseProxy.start(variant.program, variant.basePath, port);
    proxies.set(nameOf(variant), proxy);
    const statuses = afterIdling(proxy, nameOf(variant));
    statuses.catch(() => undefined); // Its test says so.
    idled.set(nameOf(variant), statuses);
  };
  await Promise.all(variants.filter(({program}) => !missing.includes(program)).map(start));
});
afterAll(async () => {
  await Promise.all([...proxies.values()].map((proxy) => proxy.end()));
  await service.stop();
});

/** Idle times that end before, at and after Millrace's own (8 to 12 s). */
const idleMs = [7_500, 8_000, 8_500, 9_000, 9_500, 10_000, 10_500, 11_000, 11_500, 12_000];

/** The statuses of as many posts as there are idle times, and of as many more over the same connections after these. */
async function afterIdling(proxy: ReverseProxy, name: string): Promise<readonly number[]> {
  const post = async (messageId: string): Promise<number> => {
    const event = {event: 'idle', userId: name, messageId};
    return (await proxy.send('POST', '/v1/events', service.writeKey, event)).status;
  };
  const first = await Promise.all(idleMs.map((ms) => post(`before ${ms}`)));
  const second = await Promise.all(idleMs.map((ms) => pause(ms).then(() => post(`after ${ms}`))));
  return [...first, ...second];
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

test.each(installed)('%s answers every request of clients that idled, for however long', async (program) => {
  const statuses = await Promise.all(['', '/analytics'].map((basePath) => idled.get(nameOf({program, basePath}))));
  expect(statuses.flat()).toEqual(Array.from({length: 4 * idleMs.length}, () => 200));
});

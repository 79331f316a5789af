// A NATS that others run, and what it can do to the service: come back with other settings, run out of room, lose a stream.
import {afterEach, describe, expect, test} from 'vitest';
import {ExternalNats, type ExternalNatsOptions} from './support/external-nats.js';
import {Client} from './support/http.js';
import {scrape} from './support/metrics.js';
import {type Service, startService} from './support/service.js';
import {until} from './support/until.js';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function startOn(options: ExternalNatsOptions): Promise<{nats: ExternalNats; service: Service}> {
  const nats = await ExternalNats.start(options);
  cleanUps.push(() => nats.stop());
  const service = await startService({env: {NATS_URL: nats.url, PARTITIONS: '1'}});
  cleanUps.push(() => service.stop());
  return {nats, service};
}

const linesWith = (service: Service, text: string): string[] =>
  service
    .logs()
    .split('\n')
    .filter((line) => line.includes(text));

describe('what an acknowledgement survives', () => {
  // Port 8222 alone is asked: an address of its own has it free. All of 127.0.0.0/8 is the loopback of Linux.
  const host = `127.${1 + (process.pid % 250)}.${1 + ((process.pid >> 8) % 250)}.7`;
  const monitored = {host, lines: [`http: "${host}:8222"`]};
  const durabilityOf = async ({baseUrl}: Service): Promise<unknown> =>
    (await new Client(baseUrl).get('/healthz')).json<{durability: string}>().durability;

  test('is read again when the server comes back', async () => {
    const {nats, service} = await startOn({...monitored, jetstream: 'sync_interval: always'});
    expect(await durabilityOf(service)).toBe('power-cut');
    expect(linesWith(service, 'power cut')).toEqual([]);

    await nats.startAnew(monitored);
    await until('it is no longer claimed', async () => (await durabilityOf(service)) === 'process-crash');
    expect(linesWith(service, 'power cut')).toEqual([
      expect.stringContaining(`maybe not a power cut: the sync_interval of NATS is not always, as ${host}:8222 tells`),
    ]);
    const [sample] = (await scrape(service.baseUrl)).find('millrace_durability_info');
    expect(sample?.labels).toMatchObject({durability: 'process-crash'});

    await nats.startAnew({...monitored, jetstream: 'sync_interval: always'});
    await until('it is claimed again', async () => (await durabilityOf(service)) === 'power-cut');
    expect(linesWith(service, 'survives a power cut again')).toHaveLength(1);
  });

  test('is less where nothing tells, and the log says why', async () => {
    const {service} = await startOn({host, jetstream: 'sync_interval: always'});
    expect(await durabilityOf(service)).toBe('process-crash');
    expect(linesWith(service, 'power cut')).toEqual([
      expect.stringContaining(`no monitoring port of NATS at ${host}:8222 tells its sync_interval`),
    ]);
  });
});

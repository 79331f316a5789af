// A NATS that others run, and what it can do to the service: come back with other settings, run out of room, lose a stream.
import {type JetStreamManager, jetstreamManager} from '@nats-io/jetstream';
import {afterEach, describe, expect, test} from 'vitest';
import {connectNats} from '../src/nats/client/connection.js';
import {ensureTopology} from '../src/nats/topology.js';
import {ExternalNats, type ExternalNatsOptions, monitored} from './support/external-nats.js';
import {Client, expectJson} from './support/http.js';
import {scrape} from './support/metrics.js';
import {Positions, reportCovering} from './support/reports.js';
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
  cleanUps.push(() => service.kill()); // Without its log it would be drained for 25 s.
  return {nats, service};
}

const linesWith = (service: Service, text: string): string[] =>
  service
    .logs()
    .split('\n')
    .filter((line) => line.includes(text));

async function reasonsOf({baseUrl}: Service): Promise<string[]> {
  const {reasons} = (await new Client(baseUrl).get('/readyz')).json<{reasons: string[]}>();
  return reasons;
}

const signup = {event: 'signup', userId: 'ada'};

describe('a log that takes no events', () => {
  const refused = 'the log refuses events: insufficient resources (10023)';

  test('for want of room, or since it carries less than before, is named on /readyz, and once in the process log', async () => {
    const {nats, service} = await startOn({jetstream: 'max_file_store: 20MB'});
    const writer = new Client(service.baseUrl, service.writeKey);
    const properties = {text: 'x'.repeat(60_000)};
    const refusesOne = async (): Promise<void> => {
      const single = await writer.post('/v1/events', signup);
      expect([single.status, single.text]).toEqual([503, expect.stringContaining('the log refused this write')]);
    };
    const events = Array.from({length: 100}, () => ({...signup, properties}));
    await until('the store is full', async () => (await writer.post('/v1/events/batch', {events})).status === 503);
    expect(await reasonsOf(service)).toContain(refused);
    await refusesOne();
    expect(linesWith(service, 'events are not stored')).toEqual([expect.stringContaining(refused)]);
    // Its ticks do not come in either, and it says so.
    await until('the partition says what it tries', () => linesWith(service, 'to append to the log').length > 0);
    // Nobody tries to write any more, and then nobody hears that refusal.
    const ofPartition = 'partition 0 cannot append to its log: insufficient resources';
    await until('the reason is that of the partition', async () => (await reasonsOf(service)).includes(ofPartition));

    await nats.startAnew({jetstream: 'max_file_store: 2GB'});
    await until('events are taken', async () => (await writer.post('/v1/events', signup)).status === 200);
    await until('the reason is gone', async () => !(await reasonsOf(service)).includes(refused));
    expect(linesWith(service, 'the log accepts events again')).toHaveLength(1);

    const batch = {events: Array.from({length: 33}, (_, i) => ({...signup, messageId: `batch ${i}`, properties}))};
    expect((await writer.post('/v1/events/batch', batch)).status).toBe(200);

    await nats.startAnew({lines: ['max_payload: 400000']});
    const fault = "the log refuses events: the NATS server's max_payload is 400000: at least 1000000 are needed";
    await until('it is named', async () => {
      const {status} = await writer.post('/v1/events/batch', batch);
      return status === 503 && (await reasonsOf(service)).some((reason) => reason.startsWith(fault));
    });
    await refusesOne();
    expect(linesWith(service, fault)).toHaveLength(1);

    // The least that a start takes, with messages as full as they may be.
    await nats.startAnew({lines: ['max_payload: 1000000']});
    await until('it is taken', async () => (await writer.post('/v1/events/batch', batch)).status === 200);
    expect(linesWith(service, 'the log accepts events again')).toHaveLength(2);
  });

  test('for want of its stream is named', async () => {
    const {nats, service} = await startOn({});
    const nc = await connectNats(nats.address, 'test');
    const jsm = await jetstreamManager(nc);
    await jsm.streams.delete('LOG-0');
    const writer = new Client(service.baseUrl, service.writeKey);
    expect((await writer.post('/v1/events', signup)).status).toBe(503);
    expect(await reasonsOf(service)).toContain('stream LOG-0 does not exist');
    expect(linesWith(service, 'stream LOG-0 does not exist')).toHaveLength(1);
    await until('the partition says so of its ticks', () => linesWith(service, 'to append to the log').length > 0);
    expect(linesWith(service, 'to append to the log')).toEqual([expect.stringContaining('no stream takes it')]);
    await nc.close();
  });
});

test('a log whose stream was deleted and made anew is folded from its first message on, though no connection was lost', async () => {
  const {nats, service} = await startOn({});
  const writer = new Client(service.baseUrl, service.writeKey);
  const reader = new Client(service.baseUrl, service.secretKey);
  const names = async (): Promise<string[]> => {
    const answer = await reader.get('/v1/events?userId=ada&limit=1000');
    return answer.status === 200 ? answer.json<{data: {event: string}[]}>().data.map(({event}) => event) : [];
  };
  const send = async (event: string): Promise<string | undefined> => {
    const answer = await until('it is taken', async () => {
      const tried = await writer.post('/v1/events', {...signup, event, messageId: event});
      return tried.status === 200 && tried;
    });
    return answer.headers['log-position'] as string | undefined;
  };
  const before = Array.from({length: 20}, (_, i) => `before ${i}`);
  const positions: (string | undefined)[] = [];
  for (const event of before) positions.push(await send(event));
  expect(positions).toEqual(positions.map(() => expect.stringMatching(/^0:1\.\d+$/)));
  expect(await names()).toHaveLength(before.length);

  const nc = await connectNats(nats.address, 'test');
  const jsm = await jetstreamManager(nc);
  await jsm.streams.delete('LOG-0');
  await until('it is missed', () => linesWith(service, 'stream not found').length > 0);
  await ensureTopology(nc, {partitions: 1, replicas: 1}); // As any start does.
  await nc.close();
  // Fewer than before: their sequences are those of what was folded.
  const after = Array.from({length: 5}, (_, i) => `after ${i}`);
  for (const event of after) expect((await send(event)) ?? '').not.toMatch(/^0:1\./);
  await until('all of them are there', async () => (await names()).length === before.length + after.length);
  expect(new Set(await names())).toEqual(new Set([...before, ...after]));
  expect(linesWith(service, 'the log lost messages that were folded')).toHaveLength(1);

  // A report includes what was written at a position once it stands there, in the generation that both name.
  const position = await until('the edge knows the generation', () => send('last'));
  expect(position).toMatch(/^0:2\.\d+$/);
  const covering = new Positions();
  covering.add(position);
  const report = await reportCovering(
    reader,
    '/v1/reports/events?event=last&from=2020-01-01&to=2099-01-01&interval=month',
    covering,
  );
  expect(report.json<{total: number}>().total).toBe(1);
});

describe('a log that lost its end while nobody folded', () => {
  test.each([
    ['all of it', (jsm: JetStreamManager) => jsm.streams.purge('LOG-0')],
    ['its newest message', deleteNewest],
  ])('%s: the start waits for nothing that will never come', async (_, lose) => {
    const {nats, service} = await startOn({});
    const writer = new Client(service.baseUrl, service.writeKey);
    expectJson(await writer.post('/v1/events', signup), 200);
    await service.stop();
    const nc = await connectNats(nats.address, 'test');
    await lose(await jetstreamManager(nc));
    await nc.close();

    const {dataDir} = service;
    const again = await startService({env: {NATS_URL: nats.url, PARTITIONS: '1'}, dataDir}); // Resolves when it is ready.
    cleanUps.push(() => again.stop());
    expect(linesWith(again, 'the log lost messages that were folded')).toHaveLength(1);
    const reader = new Client(again.baseUrl, again.secretKey);
    expect((await reader.get('/v1/events?userId=ada')).json<{data: unknown[]}>().data).toHaveLength(1);
  });

  async function deleteNewest(jsm: JetStreamManager): Promise<void> {
    const {state} = await jsm.streams.info('LOG-0');
    await jsm.streams.deleteMessage('LOG-0', state.last_seq, true);
  }
});

describe('what an acknowledgement survives', () => {
  const durabilityOf = async ({baseUrl}: Service): Promise<unknown> =>
    (await new Client(baseUrl).get('/healthz')).json<{durability: string}>().durability;

  test('is read again when the server comes back', async () => {
    const {nats, service} = await startOn({...monitored(), jetstream: 'sync_interval: always'});
    expect(await durabilityOf(service)).toBe('power-cut');
    expect(linesWith(service, 'power cut')).toEqual([]);

    await nats.startAnew(monitored());
    await until('it is no longer claimed', async () => (await durabilityOf(service)) === 'process-crash');
    expect(linesWith(service, 'power cut')).toEqual([
      expect.stringContaining(
        `maybe not a power cut: the sync_interval of NATS at ${monitored().host}:8222 is not always, as its monitoring port reports`,
      ),
    ]);
    const [sample] = (await scrape(service.baseUrl)).find('millrace_durability_info');
    expect(sample?.labels).toMatchObject({durability: 'process-crash'});

    await nats.startAnew({...monitored(), jetstream: 'sync_interval: always'});
    await until('it is claimed again', async () => (await durabilityOf(service)) === 'power-cut');
    expect(linesWith(service, 'survives a power cut again')).toHaveLength(1);
  });

  test('is less where nothing tells, and the log says why', async () => {
    const {host} = monitored();
    const {service} = await startOn({host, jetstream: 'sync_interval: always'});
    expect(await durabilityOf(service)).toBe('process-crash');
    expect(linesWith(service, 'power cut')).toEqual([
      expect.stringContaining(`no monitoring port reports the sync_interval of NATS at ${host}:8222`),
    ]);
  });
});

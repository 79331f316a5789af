// GET /metrics of a running service: what it shows after some traffic, what it never shows, and that it answers whatever
// is silent.
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, afterEach, beforeAll, describe, expect, test} from 'vitest';
import {ask} from '../tools/http-client.js';
import {halt} from './support/halt.js';
import {Client, expectError} from './support/http.js';
import {type Metrics, scrape} from './support/metrics.js';
import {
  hasOwnNats,
  natsServerPid,
  type Service,
  type ServiceOptions,
  startService,
  temporaryFolder,
} from './support/service.js';
import {until} from './support/until.js';

const started: Service[] = [];
afterEach(async () => {
  for (const service of started.splice(0)) await service.stop();
});

async function start(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService(options);
  started.push(service);
  return service;
}

/** Scrapes until `isThere`: a text is kept for a second, and folding comes after the answer. */
const scrapeUntil = (service: Service, what: string, isThere: (metrics: Metrics) => boolean): Promise<Metrics> =>
  until(what, async () => {
    const metrics = await scrape(service.baseUrl);
    return isThere(metrics) && metrics;
  });

describe('of one service, after some traffic', () => {
  const mark = 'zqmark';
  let metrics: Metrics;
  let service: Service;

  beforeAll(async () => {
    // Seldom enough that a busy machine makes no report late.
    service = await startService({env: {REPORT_REFRESH_SECONDS: '60', MEMORY_CACHE_MIB: '64'}});
    await traffic(service);
    metrics = await scrapeUntil(
      service,
      'every role tells its numbers, and all is folded',
      (read) =>
        read.sum('millrace_up') === 4 &&
        read.sum('millrace_events_folded_total') === 18 &&
        read.sum('millrace_erasures_completed_total') + read.sum('millrace_erasures_pending') === 1,
    );
  });
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  async function traffic({baseUrl, writeKey, secretKey, adminToken}: Service): Promise<void> {
    const writer = new Client(baseUrl, writeKey);
    const reader = new Client(baseUrl, secretKey);
    for (let i = 0; i < 10; i++) {
      await writer.post('/v1/events', {event: `${mark}-event`, userId: `${mark}-user`, messageId: `${mark}-${i % 8}`});
    }
    const good = {event: `${mark}-event`, anonymousId: `${mark}-anonymous`, properties: {[`${mark}-p`]: `${mark}-v`}};
    await writer.post('/v1/events/batch', {events: [good, good, {event: 1}, good, good]});
    await writer.post('/v1/events', {event: '', userId: `${mark}-user`});
    const tomorrow = new Date(Date.now() + 80_000_000).toISOString();
    const ahead = {...good, timestamp: tomorrow, [`${mark}-field`]: 1, time: tomorrow};
    await writer.post('/v1/events', {...good, timestamp: tomorrow});
    await writer.post('/v1/events', {...ahead, sentAt: tomorrow});
    await writer.post('/v1/events/batch', {events: [{...good, timestamp: tomorrow}, ahead]});
    await writer.post('/v1/users/identify', {userId: `${mark}-user`, traits: {[`${mark}-t`]: `${mark}-t`}});
    await writer.get(`/v1/users/${mark}-user`);
    await reader.get(`/v1/users/${mark}-user`);
    await reader.get(`/v1/users/${mark}-nobody`);
    await reader.get(`/${mark}/path?${mark}=1`);
    await reader.send('PATCH', '/v1/events');
    await new Client(baseUrl, `sk_write_${mark}0123456789`).post('/v1/events', good);
    await reader.get(`/v1/reports/events?event=${mark}-event&from=2026-01-01&to=2026-01-02`);
    await new Client(baseUrl, adminToken).post('/admin/v1/keys', {kind: 'write', name: `${mark}-key`});
    await writer.post('/v1/users/identify', {userId: `${mark}-gone`});
    await reader.delete(`/v1/users/${mark}-gone`);
  }

  test('requests are counted by route, method and status', () => {
    const count = (labels: Record<string, string>): number => metrics.sum('millrace_http_requests_total', labels);
    expect(count({route: '/v1/events', method: 'POST', status: '200'})).toBe(12);
    expect(count({route: '/v1/events', method: 'POST', status: '400'})).toBe(1);
    expect(count({route: '/v1/events', method: 'POST', status: '401'})).toBe(1);
    expect(count({route: '/v1/events', method: 'PATCH', status: '405'})).toBe(1);
    expect(count({route: '/v1/events/batch', method: 'POST', status: '207'})).toBe(1);
    expect(count({route: '/v1/users/:id', method: 'GET', status: '200'})).toBe(1);
    expect(count({route: '/v1/users/:id', method: 'GET', status: '403'})).toBe(1);
    expect(count({route: '/v1/users/:id', method: 'GET', status: '404'})).toBe(1);
    expect(count({route: '/v1/users/:id', method: 'DELETE'})).toBe(1);
    expect(count({route: 'unknown', method: 'GET', status: '404'})).toBe(1);
    expect(metrics.sum('millrace_http_request_duration_seconds_count', {route: '/v1/events'})).toBe(15);
  });

  test('events are told by what became of them', () => {
    const outcome = (name: string, value: string): number => metrics.sum(name, {outcome: value});
    expect(outcome('millrace_events_total', 'accepted')).toBe(18);
    expect(outcome('millrace_events_total', 'refused')).toBe(2);
    expect(outcome('millrace_events_total', 'unavailable')).toBe(0);
    expect(outcome('millrace_identifies_total', 'accepted')).toBe(2);
    expect(outcome('millrace_events_folded_total', 'counted')).toBe(16);
    expect(outcome('millrace_events_folded_total', 'duplicate')).toBe(2);
    expect(metrics.sum('millrace_dedupe_ids')).toBe(8);
    expect(metrics.sum('millrace_users')).toBe(2);
    expect(metrics.sum('millrace_log_message_entries_sum')).toBe(21);
    expect(metrics.sum('millrace_erasures_completed_total') + metrics.sum('millrace_erasures_pending')).toBe(1);
  });

  test('clocks that are ahead and fields that nobody reads are told', () => {
    expect(metrics.sum('millrace_events_ahead_total')).toBe(3);
    expect(metrics.sum('millrace_events_corrected_total')).toBe(1);
    const ignored = metrics
      .find('millrace_ignored_fields_total')
      .flatMap(({labels, value}) => (value > 0 ? [[labels.field, value]] : []));
    expect(ignored).toEqual([
      ['time', 2],
      ['other', 2],
    ]);
  });

  test('refusals are told by their code', () => {
    const refused = Object.fromEntries(
      metrics.find('millrace_refusals_total').flatMap(({labels, value}) => (value > 0 ? [[labels.code, value]] : [])),
    );
    expect(refused).toEqual({
      invalid_event: 2,
      invalid_key: 1,
      insufficient_permissions: 1,
      user_not_found: 1,
      not_found: 1,
      method_not_allowed: 1,
    });
  });

  test('all is well, and says so', () => {
    expect(metrics.find('millrace_up').map(({value}) => value)).toEqual([1, 1, 1, 1]);
    expect(metrics.sum('millrace_alarm')).toBe(0);
    expect(metrics.find('millrace_alarm', {kind: 'report_lag'})).toHaveLength(2);
    expect(metrics.find('millrace_nats_connected').every(({value}) => value === 1)).toBe(true);
    expect(metrics.find('millrace_dedupe_window_seconds').map(({value}) => value)).toEqual(Array(2).fill(8 * 86_400));
    expect(metrics.sum('millrace_keys', {kind: 'write', state: 'active'})).toBe(2);
    expect(metrics.sum('millrace_keys', {kind: 'secret', state: 'active'})).toBe(1);
    const threads = new Set(metrics.find('millrace_event_loop_delay_seconds').map(({labels}) => labels.thread));
    expect(threads.has('edge') && threads.has('report') && threads.size >= 3).toBe(true);
    for (const {labels, value} of metrics.find('millrace_thread_memory_bytes', {kind: 'heap_used'})) {
      expect(value, labels.thread).toBeGreaterThan(1_000_000);
    }
  });

  test('every family has a type and a help, and only millrace_, process_ and nodejs_ names', () => {
    for (const {name, labels} of metrics.samples) {
      const family = metrics.types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '');
      expect(metrics.types.get(family), name).toMatch(/^(counter|gauge|histogram|summary)$/);
      expect(metrics.helps.get(family), name).toMatch(/\S/);
      expect(name).toMatch(/^(millrace|process|nodejs)_/);
      expect(Object.keys(labels).length, name).toBeLessThanOrEqual(4);
    }
    for (const [name, type] of metrics.types) {
      if (name.startsWith('millrace_')) expect(name.endsWith('_total'), name).toBe(type === 'counter');
    }
  });

  test('histograms are cumulative, and end with all', () => {
    for (const [family, type] of metrics.types) {
      if (type !== 'histogram' || !family.startsWith('millrace_')) continue;
      for (const {labels, value: count} of metrics.find(`${family}_count`)) {
        const buckets = metrics.find(`${family}_bucket`, labels).map(({value}) => value);
        expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
        expect(buckets.at(-1), family).toBe(count);
      }
    }
  });

  test('no id, key or name of a user or an event is in it', () => {
    expect(metrics.text).not.toContain(mark);
    for (const secret of [service.writeKey, service.secretKey, service.adminToken, service.dataDir]) {
      expect(metrics.text).not.toContain(secret);
    }
  });

  test('live reads have three eighths of the memory for parts; reports use no more than theirs', async () => {
    const boundOf = (read: Metrics, use: string): number => read.sum('millrace_parts_cache_bytes_max', {use});
    const metrics = await scrapeUntil(service, 'reports have told', (read) => boundOf(read, 'report') > 0);
    expect(boundOf(metrics, 'live')).toBe((64 * 1_048_576 * 3) / 8);
    expect(boundOf(metrics, 'report')).toBeLessThanOrEqual((64 * 1_048_576 * 5) / 8);
    expect(metrics.sum('millrace_parts_cache_bytes', {use: 'report'})).toBeLessThanOrEqual(boundOf(metrics, 'report'));
    expect(metrics.sum('millrace_report_index_builds')).toBe(0);
  });

  test('it needs no key, takes HEAD, and nothing but reading', async () => {
    const anybody = new Client(service.baseUrl);
    const head = await anybody.send('HEAD', '/metrics');
    expect([head.status, head.text, head.headers['content-type']]).toEqual([
      200,
      '',
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect((await anybody.send('POST', '/metrics')).status).toBe(405);
    // Many at once share one text, which stays for a second: nobody can make the roles work by asking often.
    const startedMs = performance.now();
    const texts = await Promise.all(Array.from({length: 20}, async () => (await anybody.get('/metrics')).text));
    // The first of them may be that of the look before.
    expect(new Set(texts).size).toBeLessThanOrEqual(2 + (performance.now() - startedMs) / 1_000);
  });

  test.skipIf(!hasOwnNats)('a NATS that is silent costs its own numbers alone, and says so', async () => {
    const pid = natsServerPid(service)!;
    await halt(pid);
    try {
      const silent = await until('the roles are shown as silent', async () => {
        const startedMs = performance.now();
        const metrics = await scrape(service.baseUrl);
        // A role has a second; the client of NATS would wait for half a minute.
        expect(performance.now() - startedMs).toBeLessThan(15_000);
        // Reports are asked within the process: they answer until the silence is noticed.
        const up = metrics.sum('millrace_up', {role: 'partition'}) + metrics.sum('millrace_up', {role: 'report'});
        return up === 0 && metrics;
      });
      expect(silent.sum('millrace_up', {role: 'edge'})).toBe(1);
      expect(silent.sum('millrace_ready')).toBe(0);
      // What is not known is not shown as zero.
      expect(silent.find('millrace_partition_lag_messages')).toEqual([]);
      expect(silent.find('millrace_report_age_seconds')).toEqual([]);
      const readiness = (await ask(`${service.baseUrl}/readyz`)).json<{reasons: string[]}>();
      expect(readiness.reasons).toEqual(
        expect.arrayContaining([...[0, 1].map((p) => `partition ${p} does not answer`), 'reports do not answer']),
      );
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await scrapeUntil(service, 'all answer again', (metrics) => metrics.sum('millrace_up') === 4);
    await until('it is ready again', async () => (await ask(`${service.baseUrl}/readyz`)).status === 200);
  });

  test.skipIf(!hasOwnNats)('a nats-server that died is counted, and so is the way back to it', async () => {
    process.kill(natsServerPid(service)!, 'SIGKILL');
    const back = await scrapeUntil(
      service,
      'the server is back, and all connections to it',
      (metrics) =>
        metrics.sum('millrace_nats_server_restarts_total') === 1 &&
        metrics.sum('millrace_up') === 4 &&
        metrics.sum('millrace_nats_reconnects_total') >= 5 &&
        metrics.find('millrace_nats_connected').every(({value}) => value === 1),
    );
    expect(back.sum('millrace_nats_server_up')).toBe(1);
  });
});

const lines = (service: Service, words: string): number => service.logs().split(words).length - 1;

test('reports that lag behind the refresh are an alarm, a reason, and one line a partition', async () => {
  const clock = join(temporaryFolder(), 'clock-offset');
  writeFileSync(clock, '0');
  const service = await start({
    env: {
      REPORT_REFRESH_SECONDS: '300',
      NODE_OPTIONS: `--import=${new URL('../dist/tools/chaos/wrong-clock.js', import.meta.url).href}`,
      CHAOS_CLOCK_OFFSET_FILE: clock,
      LOG_LEVEL: 'info',
    },
  });
  // Snapshots come every 240 s: with the wall clock moved on, the newest ones are too old.
  writeFileSync(clock, '400000');
  const late = await scrapeUntil(
    service,
    'the alarm is raised, and is known to the readiness, which is kept for a moment',
    (metrics) => metrics.sum('millrace_alarm', {kind: 'report_lag'}) === 2 && metrics.sum('millrace_ready') === 0,
  );
  expect(Math.min(...late.find('millrace_snapshot_age_seconds').map(({value}) => value))).toBeGreaterThan(390);
  expect(late.sum('millrace_report_age_seconds')).toBeGreaterThan(390);
  // An answer of /readyz is kept for a moment: that of the start may be there still.
  const readiness = await until('/readyz says so, too', async () => {
    const answer = await ask(`${service.baseUrl}/readyz`);
    const {reasons} = answer.json<{reasons: string[]}>();
    return answer.status === 503 && reasons.length === 2 && {reasons};
  });
  expect(readiness.reasons[0]).toMatch(/^partition 0: its newest snapshot is 4\d\d s old$/);
  // It never refuses writes.
  const writer = new Client(service.baseUrl, service.writeKey);
  expect((await writer.post('/v1/events', {event: 'e', userId: 'u'})).status).toBe(200);
  writeFileSync(clock, '0');
  await scrapeUntil(service, 'it is over', (metrics) => metrics.sum('millrace_alarm', {kind: 'report_lag'}) === 0);
  // A line comes through a pipe, and may be here later than the metric.
  await until('all lines are here', () => lines(service, 'reports are fresh again') >= 2);
  expect(lines(service, 'reports lag behind')).toBe(2);
  expect(lines(service, 'reports are fresh again')).toBe(2);
});

test('users whose progress in saved funnels does not fit in memory are an alarm and a number, and no further funnel is saved', async () => {
  const service = await start({env: {PARTITIONS: '1', FUNNEL_MEMORY_MIB: '1', LOG_LEVEL: 'info'}});
  const writer = new Client(service.baseUrl, service.writeKey);
  const reader = new Client(service.baseUrl, service.secretKey);
  // Of each user 32 bytes with six steps, and one and a half bits: 32,577 of them fit.
  const funnel = {name: 'f', question: {report: 'funnel', steps: [...'abcdef'].map((event) => ({event}))}};
  expect((await reader.post('/v1/funnels', funnel)).status).toBe(201);
  for (let batch = 0; batch < 33; batch++) {
    const events = Array.from({length: 1_000}, (_, i) => ({event: 'a', userId: `${batch}-${i}`}));
    expect((await writer.post('/v1/events/batch', {events})).status).toBe(200);
  }
  const late = 33_000 - 32_577;
  const metrics = await scrapeUntil(service, 'the alarm is raised, and all is folded', (now) => {
    const isRaised = now.sum('millrace_alarm', {kind: 'funnel_memory'}) === 1;
    return isRaised && now.sum('millrace_funnel_late_users') === late;
  });
  expect(metrics.sum('millrace_funnel_bytes_max')).toBe(1_048_576);
  expect(metrics.sum('millrace_funnel_bytes')).toBeLessThanOrEqual(1_048_576);
  expect((await reader.get('/v1/funnels')).json()).toMatchObject({late_users: late});
  const refused = await reader.post('/v1/funnels', funnel);
  expectError(refused, 400, 'invalid_request');
  expect(refused.text).toContain('FUNNEL_MEMORY_MIB');
  await until('its line is here', () => lines(service, 'takes all of FUNNEL_MEMORY_MIB') === 1);
});

test('message ids that are remembered for less than 7 days are an alarm and one line, also after a restart', async () => {
  // 1 MiB a partition holds some 60,000 ids; all of these go to one partition.
  const env = {PARTITIONS: '8', DEDUPE_MEMORY_MIB: '8', LOG_LEVEL: 'info'};
  const service = await start({env});
  const writer = new Client(service.baseUrl, service.writeKey);
  const send = async (to: Client, batch: number): Promise<void> => {
    const events = Array.from({length: 1_000}, (_, i) => ({event: 'e', userId: 'u', messageId: `m${batch}-${i}`}));
    expect((await to.post('/v1/events/batch', {events})).status).toBe(200);
  };
  const folded = (outcome: string) => (metrics: Metrics) => metrics.sum('millrace_events_folded_total', {outcome});
  // Every fourth batch twice: whatever leaves for want of memory, it is not what came last.
  for (let batch = 0; batch < 64; batch++) {
    await send(writer, batch);
    if (batch % 4 === 0) await send(writer, batch);
  }
  await scrapeUntil(service, 'all is folded', (metrics) => folded('duplicate')(metrics) === 16_000);
  const isRaised = (metrics: Metrics): boolean => metrics.sum('millrace_alarm', {kind: 'dedupe_window'}) === 1;
  const metrics = await scrapeUntil(service, 'the alarm is raised', isRaised);
  const windows = metrics.find('millrace_dedupe_window_seconds').map(({value}) => value);
  expect(windows.filter((window) => window < 7 * 86_400)).toHaveLength(1);
  const snapshots = metrics.sum('millrace_snapshots_total');
  // Ticks and scrapes look again and again.
  await scrapeUntil(service, 'more snapshots', (now) => now.sum('millrace_snapshots_total') > snapshots + 16);
  expect(lines(service, 'remembered for less than 7 days')).toBe(1);
  expect(await service.stop()).toBe(0);
  started.length = 0;

  const again = await start({env, dataDir: service.dataDir});
  await scrapeUntil(again, 'the alarm is raised again', isRaised);
  await until('its line is here', () => lines(again, 'remembered for less than 7 days') >= 1);
  expect(lines(again, 'remembered for less than 7 days')).toBe(1);
  const rewriter = new Client(again.baseUrl, service.writeKey);
  for (let batch = 24; batch < 64; batch += 4) await send(rewriter, batch);
  const after = await scrapeUntil(again, 'all is folded', (now) => folded('duplicate')(now) === 10_000);
  expect(folded('counted')(after)).toBe(0);
});

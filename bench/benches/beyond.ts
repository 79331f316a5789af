// Reports over more events than memory holds: the first answer of a service that just started, and the same question again, at
// once and later, with the same bounds and with others, and after further events were published.
//   Bounds are no whole hours: rows answer for what is left of an hour.

import {mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs, wallMs} from '../../src/clock.js';
import {ask} from '../../tools/http-client.js';
import type {Bench, Say} from '../bench.js';
import {openCopies} from '../engine/copied-store.js';
import {HttpAsker} from '../engine/http-ask.js';
import {filteredCountPath, funnelPath, type TimeRange} from '../engine/questions.js';
import {cacheEnv, cacheOption} from '../engine/store.js';
import {cpuSecondsBehindMain} from '../machine/processes.js';
import {type BenchService, envOf, startService, writeKey} from '../machine/service.js';
import {indexesBuilt, quieted} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical, dayMs} from '../workload/events.js';

const asks = [
  'first',
  'the same again',
  'other bounds',
  'other bounds, later',
  'the same, after a publication',
] as const;
type Ask = (typeof asks)[number];

interface Cost {
  readonly elapsedMs: number;
  /** CPU of all threads of the service but the edge's. */
  readonly cpuSeconds: number;
}

export interface BeyondReport {
  readonly events: number;
  readonly users: number;
  /** MEMORY_CACHE_MIB of the service. */
  readonly cacheMib: number;
  readonly costs: Readonly<Record<string, Readonly<Record<Ask, Cost>>>>;
}

/** Paths of the questions, over the whole time of the events. */
const questions: Readonly<Record<string, (range: TimeRange) => string>> = {
  funnel: (range) => funnelPath({steps: ['item_viewed', 'item_added', 'purchase_completed'], ...range}),
  'filtered count': (range) => filteredCountPath({event: 'page_viewed', property: 'country', value: 'US', ...range}),
  breakdown: ({fromMs, toMs}) =>
    `/v1/reports/events?event=item_viewed&breakdown=device&interval=day&from=${iso(fromMs)}&to=${iso(toMs)}`,
};

const iso = (timeMs: number): string => encodeURIComponent(new Date(timeMs).toISOString());

const coveredMsMax = 120_000;
const pollMs = 200;

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<BeyondReport> {
  const {events, users, cache} = options.numbers as Record<'events' | 'users' | 'cache', number>;
  const workload = {...canonical, userCount: users, eventCount: events};
  const kept = options.storeFolder === null ? null : join(options.storeFolder, 'beyond');
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'millrace-bench-beyond-'));
  mkdirSync(folder, {recursive: true});
  try {
    const dataDir = await openCopies(folder, workload, options, owned, say);
    const costs: Record<string, Record<Ask, Cost>> = {};
    for (const [name, pathOf] of Object.entries(questions)) {
      const env = {...envOf(options), ...cacheEnv(options)};
      const service = owned.add(await startService({env, profileFolder: options.profileFolder, dataDir}));
      costs[name] = await askAll(service, pathOf, options);
      say(`${name}: ${asks.map((each) => `${each} ${fixed(costs[name]![each].elapsedMs, 0)} ms`).join(', ')}`);
      await service.stop();
    }
    return {events, users, cacheMib: cache, costs};
  } finally {
    await owned.stopAll();
    if (kept === null) rmSync(folder, {recursive: true, force: true});
  }
}

async function askAll(
  service: BenchService,
  pathOf: (range: TimeRange) => string,
  options: BenchOptions,
): Promise<Record<Ask, Cost>> {
  const http = new HttpAsker(service.baseUrl);
  const asked = async (number: number): Promise<Cost> => {
    const before = cpuSecondsBehindMain(service.pid);
    const {elapsedMs} = await http.ask(pathOf(rangeOf(number)));
    return {elapsedMs, cpuSeconds: cpuSecondsBehindMain(service.pid) - before};
  };
  try {
    const first = await asked(0);
    const again = await asked(0);
    const others = await asked(1);
    await indexesBuilt(service.baseUrl, options);
    await quieted(service, options);
    const later = await asked(2);
    await publishOneMore(service);
    await quieted(service, options);
    const published = await asked(2);
    return {
      first,
      'the same again': again,
      'other bounds': others,
      'other bounds, later': later,
      'the same, after a publication': published,
    };
  } finally {
    http.close();
  }
}

/** The whole time of the events, with bounds of its own for each number. */
function rangeOf(number: number): TimeRange {
  const offMs = 1_234 + number;
  const {startMs, dayCount} = canonical;
  return {fromMs: startMs - offMs, toMs: startMs + dayCount * dayMs - 1 + offMs};
}

/** Stores an event of today, and waits until reports include it. */
async function publishOneMore(service: BenchService): Promise<void> {
  const [sentMs, endMs] = [wallMs(), monotonicMs() + coveredMsMax];
  const event = {event: 'item_viewed', userId: 'bench-late', timestamp: new Date(canonical.startMs).toISOString()};
  const {status, text} = await ask(`${service.baseUrl}/v1/events`, {method: 'POST', key: writeKey, json: event});
  if (status !== 200) throw new Error(`an event was answered ${status}: ${text}`);
  while (!(await service.covers(sentMs))) {
    if (monotonicMs() > endMs) throw new Error('reports do not include an event that was stored two minutes ago');
    await pause(pollMs);
  }
}

function text({events, users, cacheMib, costs}: BeyondReport): string {
  const rows = Object.entries(costs).map(([name, byAsk]) => [
    name,
    ...asks.map((each) => `${fixed(byAsk[each].elapsedMs / 1_000, 2)} (${fixed(byAsk[each].cpuSeconds, 2)})`),
  ]);
  return [
    `Reports over ${whole(events)} events of ${whole(users)} users, MEMORY_CACHE_MIB=${cacheMib}:`,
    "seconds (CPU seconds of all threads but the edge's)",
    tableText(['', ...asks], rows),
  ].join('\n');
}

export const beyondBench: Bench<BeyondReport> = {
  name: 'beyond',
  summary: 'first and repeated reports over more events than memory holds',
  numbers: {
    events: {normal: 10_000_000, small: 20_000, help: 'events of the data set'},
    users: {normal: 100_000, small: 1_000, help: 'users of the data set'},
    cache: {...cacheOption, normal: 80},
  },
  run,
  text,
};

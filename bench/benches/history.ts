// Pages of 100 events among millions, through HTTP, one after the other: the p99 for each kind of filter. Pass 1 asks a service
// that was just started (and read ahead what fits its cache, docs/architecture.md, Reports). Pass 2 asks for the same pages
// again. Pass 3 asks a service that was started without reading ahead and without rehearsal. Pass 4 asks a service with a small
// cache, so that nearly every part comes from nats-server.

import {fileURLToPath} from 'node:url';
import type {Figure} from '../../src/bench-run.js';
import {Random} from '../../tools/random.js';
import type {Bench, Say} from '../bench.js';
import {HttpAsker} from '../engine/http-ask.js';
import {cacheEnv, cacheOption, openStore, startOver} from '../engine/store.js';
import type {Bounds} from '../figures.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical, dayMs, userId, type WorkloadOptions} from '../workload/events.js';

type Kind =
  | 'no filter, newest first'
  | 'further pages'
  | 'to a time'
  | 'event, frequent'
  | 'event, rare'
  | 'event, rare, to a time'
  | 'user, active'
  | 'user, ordinary'
  | 'user and event'
  | 'user, to a time';

type Pass = 'first' | 'again' | 'unprepared' | 'uncached';
const passes: readonly Pass[] = ['first', 'again', 'unprepared', 'uncached'];
const said: Readonly<Record<Pass, string>> = {
  first: 'for the first time',
  again: 'again',
  unprepared: 'of a service that prepared nothing',
  uncached: 'of a service with a small cache',
};
/** MiB of the small cache: some ten chunks for live reads. */
const smallCacheMib = '16';

interface HistoryReport {
  readonly workload: WorkloadOptions;
  /** MEMORY_CACHE_MIB of the service in all passes but the last. */
  readonly cacheMib: number;
  readonly pagesOfKind: number;
  /** Ms of every page, in the order of the requests. */
  readonly times: Readonly<Record<Pass, Readonly<Record<Kind, readonly number[]>>>>;
}

const pageEvents = 100;
const seed = 11;
const frequentEvents = ['page_viewed', 'button_clicked', 'search_performed', 'item_viewed'];
const rareEvents = ['invite_sent', 'plan_upgraded', 'refund_requested', 'purchase_completed'];
/** Users by rank: the first ones have hundreds of times as many events as the last ones. */
const activeUsers = 1_000;
/** Ms, for all pages that are requested for the first time. */
const bounds: Bounds = {reach: 20, limit: 5};

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<HistoryReport> {
  const workload = {...canonical, userCount: 100_000, eventCount: options.numbers.events!};
  const pagesOfKind = options.numbers.pages!;
  const store = await openStore(options, workload, owned, say);
  const env = cacheEnv(options);
  const service = await startOver(store, owned, env);
  const http = new HttpAsker(service.baseUrl);
  owned.add({stop: () => http.close()});
  const pages = await pagesOf(workload, pagesOfKind, http);
  const times = {} as Record<Pass, Record<Kind, number[]>>;
  const play = async (pass: Pass, asker: HttpAsker) => {
    times[pass] = await ask(asker, pages);
    say(`pages asked ${said[pass]}: p99 ${fixed(percentile(all(times[pass]), 0.99), 1)} ms`);
  };
  let again = service;
  if (!options.isSmall) {
    await service.stop();
    again = await startOver(store, owned, env); // A fresh process: the search for cursors filled the caches.
  }
  const asker = new HttpAsker(again.baseUrl);
  owned.add({stop: () => asker.close()});
  await play('first', asker);
  await play('again', asker);
  await again.stop();
  const probe = fileURLToPath(new URL('../probe/unprepared.js', import.meta.url));
  const unprepared = await startOver(store, owned, env, ['--import', probe]);
  const unpreparedAsker = new HttpAsker(unprepared.baseUrl);
  owned.add({stop: () => unpreparedAsker.close()});
  await play('unprepared', unpreparedAsker);
  await unprepared.stop();
  const small = await startOver(store, owned, {MEMORY_CACHE_MIB: smallCacheMib});
  const smallAsker = new HttpAsker(small.baseUrl);
  owned.add({stop: () => smallAsker.close()});
  await play('uncached', smallAsker);
  return {workload, cacheMib: options.numbers.cache!, pagesOfKind, times};
}

type Pages = Readonly<Record<Kind, readonly string[]>>;

/** Paths by kind. Pages are not cached, so a repeated one costs as much as another one of the same chunks. */
async function pagesOf(workload: WorkloadOptions, count: number, http: HttpAsker): Promise<Pages> {
  const random = new Random(seed);
  const page = (filters: Readonly<Record<string, string>>): string =>
    `/v1/events?${new URLSearchParams({limit: String(pageEvents), ...filters})}`;
  const time = (): string =>
    new Date(workload.startMs + Math.floor(random.next() * workload.dayCount * dayMs)).toISOString();
  const pick = (of: readonly string[]): string => of[Math.floor(random.next() * of.length)]!;
  const user = (first: number, end: number): string => userId(first + Math.floor(random.next() * (end - first)));
  const many = (filters: () => Readonly<Record<string, string>>): string[] =>
    Array.from({length: count}, () => page(filters()));
  const active = (): string => user(0, Math.min(activeUsers, workload.userCount));
  return {
    'no filter, newest first': many(() => ({})),
    'further pages': await furtherPages(http, count),
    'to a time': many(() => ({to: time()})),
    'event, frequent': many(() => ({event: pick(frequentEvents)})),
    'event, rare': many(() => ({event: pick(rareEvents)})),
    'event, rare, to a time': many(() => ({event: pick(rareEvents), to: time()})),
    'user, active': many(() => ({userId: active()})),
    'user, ordinary': many(() => ({userId: user(0, workload.userCount)})),
    'user and event': many(() => ({userId: active(), event: pick(frequentEvents)})),
    'user, to a time': many(() => ({userId: active(), to: time()})),
  };
}

/** Paths of successive pages. */
async function furtherPages(http: HttpAsker, count: number): Promise<string[]> {
  const paths: string[] = [];
  let path = `/v1/events?limit=${pageEvents}`;
  while (paths.length < count) {
    const {next_cursor: cursor} = (await http.ask(path)).body as {next_cursor: string | null};
    if (cursor === null) break;
    path = `/v1/events?limit=${pageEvents}&cursor=${encodeURIComponent(cursor)}`;
    paths.push(path);
  }
  return paths;
}

/** Asks for pages of all kinds in turn, so that none has the caches for itself. */
async function ask(http: HttpAsker, pages: Pages): Promise<Record<Kind, number[]>> {
  const kinds = Object.keys(pages) as Kind[];
  const times = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>;
  const rounds = Math.max(...kinds.map((kind) => pages[kind].length));
  for (let round = 0; round < rounds; round++) {
    for (const kind of kinds) {
      const path = pages[kind][round];
      if (path !== undefined) times[kind].push((await http.ask(path)).elapsedMs);
    }
  }
  return times;
}

const all = (times: Readonly<Record<Kind, readonly number[]>>): number[] => Object.values(times).flat();

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

const curveShares = [0.5, 0.9, 0.99, 0.999] as const;

/** Measured once, so each figure has one sample. */
function figures({times}: HistoryReport): Figure[] {
  return passes.map((pass) => {
    const pages = all(times[pass]);
    return {
      id: `pages-${pass}`,
      name: `p99 of all pages, asked ${said[pass]}`,
      unit: 'ms',
      better: 'less',
      samples: [percentile(pages, 0.99)],
      ...(pass === 'first' ? bounds : {}),
      curve: {name: pass, points: curveShares.map((share) => [share, percentile(pages, share)])},
    };
  });
}

function text({workload, cacheMib, times}: HistoryReport): string {
  const row = (name: string, of: (pass: Pass) => readonly number[]): string[] => [
    name,
    ...passes.flatMap((pass) => [0.5, 0.99].map((share) => fixed(percentile(of(pass), share), 1))),
  ];
  const rows = (Object.keys(times.first) as Kind[]).map((kind) => row(kind, (pass) => times[pass][kind]));
  return [
    `History of ${whole(workload.eventCount)} events, pages of ${pageEvents}, ms (p99 to reach: ${bounds.reach}),`,
    `MEMORY_CACHE_MIB=${cacheMib}, small cache ${smallCacheMib}`,
    tableText(
      ['', 'first: p50', 'p99', 'again: p50', 'p99', 'unprepared: p50', 'p99', 'small cache: p50', 'p99'],
      [...rows, row(`all ${all(times.first).length} pages`, (pass) => all(times[pass]))],
    ),
  ].join('\n');
}

export const historyBench: Bench<HistoryReport> = {
  name: 'history',
  summary: 'pages of 100 events with each kind of filter out of 10 million events',
  numbers: {
    events: {normal: 10_000_000, small: 20_000, help: 'events of the data set'},
    pages: {normal: 100, small: 5, help: 'pages of each kind'},
    cache: cacheOption,
  },
  run,
  figures,
  text,
};

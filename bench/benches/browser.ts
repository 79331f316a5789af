// What a person waits for: each page of the dashboard with reports, in a browser, the first that is asked of a service which has
// started and read ahead. The browser uses the same cores.

import type {Figure} from '../../src/bench-run.js';
import type {Bench, Say} from '../bench.js';
import {cacheEnv, cacheOption, openStore, startOver} from '../engine/store.js';
import type {Bounds} from '../figures.js';
import {openBrowser, visit} from '../machine/dashboard-visit.js';
import {quieted} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {type Measure, playRounds, type Rounds, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical, dayMs, type WorkloadOptions} from '../workload/events.js';

interface BrowserReport {
  readonly workload: WorkloadOptions;
  /** MEMORY_CACHE_MIB of the service. */
  readonly cacheMib: number;
  /** Ms until each page is complete. */
  readonly rounds: Rounds<number, string>;
}

const pageBounds: Bounds = {reach: 1_000, limit: 300};

/** Address of each page, over all days of the workload. */
function addressesOf({startMs, dayCount}: WorkloadOptions): Readonly<Record<string, string>> {
  const day = (number: number): string => new Date(startMs + number * dayMs).toISOString().slice(0, 10);
  const range = `range=${day(0)}..${day(dayCount - 1)}`;
  const steps = ['item_viewed', 'item_added', 'checkout_started', 'purchase_completed'];
  const funnel = `/funnels?${steps.map((step) => `step=${step}`).join('&')}&window=14d&${range}`;
  const pages = {
    Overview: `/?${range}`,
    'Trends, three events': `/trends?event=page_viewed&event=signed_up&event=purchase_completed&${range}`,
    'Trends, users by a property': `/trends?event=purchase_completed&measure=1:users&by=country&${range}`,
    'Trends, a condition': `/trends?event=page_viewed&where=1:country+eq+DE&${range}`,
    'Funnels, four steps': funnel,
    'Funnels, by a property': `${funnel}&by=country`,
    Retention: `/retention?${range}`,
    Lifecycle: `/lifecycle?${range}`,
    Paths: `/paths?${range}`,
    'Active users': `/active?${range}`,
    People: '/people',
    Events: '/events',
  };
  return Object.fromEntries(Object.entries(pages).map(([name, path]) => [name, `/dashboard${path}`]));
}

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<BrowserReport> {
  const workload = {...canonical, userCount: 100_000, eventCount: options.numbers.events!};
  const store = await openStore(options, workload, owned, say);
  const browser = await openBrowser();
  owned.add({stop: () => browser.close()});
  const measureOf = (path: string): Measure<number> => {
    return async () => {
      const service = await startOver(store, owned, cacheEnv(options));
      await quieted(service, options);
      return visit(browser, service.baseUrl, path).finally(() => service.stop());
    };
  };
  const addresses = Object.entries(addressesOf(workload));
  const rounds = await playRounds(
    Object.fromEntries(addresses.map(([name, path]) => [name, measureOf(path)])),
    options,
    say,
  );
  return {workload, cacheMib: options.numbers.cache!, rounds};
}

const pagesOf = ({rounds: {rounds}}: BrowserReport): [name: string, ms: number[]][] =>
  Object.keys(rounds[0]!.samples).map((name) => [name, rounds.map(({samples}) => samples[name]!)]);

const figures = (report: BrowserReport): Figure[] => [
  {
    id: 'slowest',
    name: 'the slowest page of the dashboard, asked first',
    unit: 'ms',
    better: 'less',
    samples: report.rounds.rounds.map(({samples}) => Math.max(...Object.values(samples))),
    ...pageBounds,
  },
];

function text(report: BrowserReport): string {
  const {workload, cacheMib, rounds} = report;
  return [
    `First pages over ${whole(workload.eventCount)} events, MEMORY_CACHE_MIB=${cacheMib}, ms (to reach: ${whole(pageBounds.reach)}):`,
    tableText(
      ['', 'median', 'smallest', 'largest'],
      pagesOf(report).map(([name, ms]) => {
        const {median, min, max} = spreadOf(ms);
        return [name, fixed(median, 0), fixed(min, 0), fixed(max, 0)];
      }),
    ),
    roundsText(rounds),
  ].join('\n');
}

export const browserBench: Bench<BrowserReport> = {
  name: 'browser',
  summary: 'pages of the dashboard in a browser, each the first of a service with 10 million events (needs Chromium)',
  numbers: {
    events: {normal: 10_000_000, small: 20_000, help: 'events of the data set'},
    cache: cacheOption,
  },
  run,
  figures,
  rounds: ({rounds}) => ({pages: rounds}),
  text,
};

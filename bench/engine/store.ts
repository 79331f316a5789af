// The data set of the report benches: the canonical workload, sent through the service once, kept in a folder, and used by
// every bench of a run (and of later runs, if the folder is given and holds the same workload).
//   S1. A folder counts as filled once its note exists, which is written last.

import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../src/clock.js';
import type {Say} from '../bench.js';
import {type BenchService, startService} from '../machine/service.js';
import {settled} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {dayMs, eventMix, type WorkloadOptions} from '../workload/events.js';
import {Feed} from './feed.js';
import {HttpAsker} from './http-ask.js';

export interface DataStore {
  readonly folder: string;
  /** DATA_DIR of the service. */
  readonly dataDir: string;
  /** Every event, one JSON a line. */
  readonly linesPath: string;
  readonly workload: WorkloadOptions;
  readonly partitions: number;
  readonly jsonBytes: number;
}

type StoreNote = Pick<DataStore, 'workload' | 'partitions' | 'jsonBytes'>;

/** Plenty, for benches that do not measure the cache of parts. */
export const cacheMib = 8_192;
/** The service's own default. */
const cacheMibDefault = 512;
/** For benches with a configurable cache. */
export const cacheOption = {
  normal: cacheMibDefault,
  small: cacheMibDefault,
  help: 'MEMORY_CACHE_MIB of the service',
} as const;
export const cacheEnv = ({numbers}: BenchOptions) => ({MEMORY_CACHE_MIB: String(numbers.cache!)});
/** Refresh during filling: snapshots as often as a service under load takes them for its tail. */
const fillRefreshSeconds = 5;
/** A smaller store belongs to the benches' small forms. */
const settledEventsMin = 100_000;
const countedMsMax = 120_000;
const pollMs = 200;

/** `partitions`: that of the store. */
export const storeEnv = (partitions: number) => ({PARTITIONS: String(partitions), MEMORY_CACHE_MIB: String(cacheMib)});

let temporary: string | undefined;

/** The given folder, or one that all benches of this run share and that is removed after it. */
function storeFolder({storeFolder}: BenchOptions): string {
  if (storeFolder !== null) return storeFolder;
  if (temporary === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-store-'));
    temporary = folder;
    process.once('exit', () => rmSync(folder, {recursive: true, force: true}));
  }
  return temporary;
}

/** Opens the given folder, and fills it unless it holds this workload with this number of partitions already. */
export async function openStore(
  options: BenchOptions,
  workload: WorkloadOptions,
  owned: Owned,
  say: Say,
): Promise<DataStore> {
  const {partitions} = options;
  const folder = storeFolder(options);
  const notePath = join(folder, 'store.json');
  const known = readNote(notePath);
  if (
    known !== null &&
    known.partitions === partitions &&
    JSON.stringify(known.workload) === JSON.stringify(workload)
  ) {
    say(`using the events of ${folder}`);
    return storeOf(folder, known);
  }
  if (known !== null) {
    throw new Error(`${folder} holds another workload, or other partitions: remove it, or name another folder`);
  }
  mkdirSync(folder, {recursive: true});
  const note = {workload, partitions, jsonBytes: await fill(folder, workload, partitions, owned, say)};
  writeFileSync(notePath, JSON.stringify(note)); // S1
  return storeOf(folder, note);
}

const storeOf = (folder: string, note: StoreNote): DataStore => ({
  folder,
  dataDir: join(folder, 'data'),
  linesPath: join(folder, 'events.ndjson'),
  ...note,
});

function readNote(path: string): StoreNote | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as StoreNote) : null;
}

async function fill(folder: string, workload: WorkloadOptions, partitions: number, owned: Owned, say: Say) {
  const dataDir = join(folder, 'data');
  rmSync(dataDir, {recursive: true, force: true}); // A run that was interrupted may have left it.
  const isSmall = workload.eventCount < settledEventsMin;
  const env = {...storeEnv(partitions), REPORT_REFRESH_SECONDS: String(isSmall ? 1 : fillRefreshSeconds)};
  const service = owned.add(await startService({env, profileFolder: null, dataDir}));
  const feed = owned.add(new Feed());
  await feed.begin(workload, join(folder, 'events.ndjson'));
  const {events, jsonBytes} = await feed.send(service, workload.eventCount, (sent) => say(`${sent} events sent`));
  if (events !== workload.eventCount) throw new Error(`${events} of ${workload.eventCount} events were sent`);
  await untilCounted(service, workload);
  await settled(service, {isSmall});
  feed.stop();
  await service.stop();
  return jsonBytes;
}

/** Resolves once reports count every event. */
export async function untilCounted(service: BenchService, workload: WorkloadOptions): Promise<void> {
  const asker = new HttpAsker(service.baseUrl);
  const endMs = monotonicMs() + countedMsMax;
  try {
    for (;;) {
      let counted = 0;
      for (const [event] of eventMix) counted += await total(asker, event, workload);
      if (counted === workload.eventCount) return;
      if (monotonicMs() > endMs) throw new Error(`reports count ${counted} of ${workload.eventCount} events`);
      await pause(pollMs);
    }
  } finally {
    asker.close();
  }
}

async function total(asker: HttpAsker, event: string, {startMs, dayCount}: WorkloadOptions): Promise<number> {
  const iso = (timeMs: number): string => new Date(timeMs).toISOString();
  const range = `from=${iso(startMs)}&to=${iso(startMs + dayCount * dayMs - 1)}`;
  const {body} = await asker.ask(`/v1/reports/events?event=${event}&interval=month&${range}`);
  return (body as {total: number}).total;
}

/**
 * A service over the filled store, with the default refresh: only questions happen while it is measured. `env` and
 * `nodeArguments` are added to those of all services.
 */
export async function startOver(
  store: DataStore,
  owned: Owned,
  env: Readonly<Record<string, string>> = {},
  nodeArguments: readonly string[] = [],
) {
  const {partitions, dataDir} = store;
  const settings = {env: {...storeEnv(partitions), ...env}, profileFolder: null, dataDir, nodeArguments};
  return owned.add(await startService(settings));
}

// The load of the last 15 minutes, as the service keeps it: read once, then every second by the stream, or every few seconds
// where there is none.
//   LO1. What a page shows is what came; how long ago that was is known (`heardMs`), so that nothing old looks alive.
import {computed, signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import {now} from '../shell/now';
import {type Fault, read} from './client';
import {serviceState} from './service-state';
import {listen, streamState} from './stream';

export type AlarmKind =
  | 'report_lag'
  | 'standing_still'
  | 'dedupe_window'
  | 'gap'
  | 'log_lost'
  | 'damaged_part'
  | 'disk_nearly_full'
  | 'store_fault';

export interface PartitionLoad {
  readonly partition: number;
  readonly behind_ms: number | null;
  readonly behind_messages: number | null;
  readonly folded: number | null;
  readonly users: number | null;
  readonly snapshot_sequence: number | null;
  readonly snapshot_age_ms: number | null;
  readonly dedupe_window_ms: number | null;
  readonly deletions_pending: number | null;
}

export interface Published {
  readonly as_of: string | null;
  readonly next_by: string | null;
  readonly refresh_seconds: number;
}

export interface LoadState {
  /** Epoch ms, by the service's clock. */
  readonly at: number;
  readonly status: 'ready' | 'degraded' | 'catching_up' | 'not_ready';
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  readonly alarms: readonly {readonly kind: AlarmKind; readonly partitions: readonly number[]}[];
  readonly durability: 'power-cut' | 'process-crash';
  readonly version: string;
  readonly up_seconds: number;
  readonly report: Published;
  readonly nats: {readonly is_own: boolean; readonly version: string | null; readonly restarts: number | null};
  readonly disk: {readonly free_bytes: number; readonly reserve_bytes: number} | null;
  readonly is_whole: boolean;
  readonly partitions: readonly PartitionLoad[];
  readonly memory: readonly {readonly use: string; readonly bytes: number; readonly bytes_max: number | null}[];
  readonly threads: readonly {readonly thread: string; readonly late_p99_ms: number; readonly late_max_ms: number}[];
}

type Value = number | null;

export interface Rows {
  /** Epoch ms, ascending, a second apart but for what is not known. */
  readonly at: readonly number[];
  readonly columns: Readonly<Record<string, readonly Value[]>>;
}

export interface Load {
  readonly rows: Rows;
  readonly state: LoadState;
  /** Of the second before, for what each partition counted since. */
  readonly before: LoadState | undefined;
}

interface LoadAnswer extends Rows {
  readonly state: LoadState;
}

interface Vitals {
  readonly at: number;
  readonly row: readonly Value[];
  readonly state: LoadState;
}

const minutesMax = 15;
const keptMs = minutesMax * 60_000;
/** Three seconds without a number are none that a busy machine explains. */
const staleMs = 3_500;
const pollMs = {none: 5_000, refused: 10_000, lost: 10_000} as const;

export const load = signal<Load | undefined>(undefined);
export const loadFault = signal<Fault | undefined>(undefined);
/** By this browser's clock; 0 before anything. */
export const heardMs = signal(0);
/** Seconds between two looks, as things are. */
export const lookEverySeconds = computed(() =>
  streamState.value === 'none' ? 5 : streamState.value === 'refused' ? 10 : 1,
);
export const isStale = computed(
  () => heardMs.value > 0 && now.value - heardMs.value > staleMs + (lookEverySeconds.value - 1) * 1_500,
);

let schema: readonly string[] = [];

/** Rows that are newer than what is known, after it; those older than a quarter of an hour go. */
export function joined(known: Rows | undefined, more: Rows): Rows {
  const after = known?.at.at(-1) ?? Number.NEGATIVE_INFINITY;
  const from = more.at.findIndex((at) => at > after);
  if (known !== undefined && from < 0) return known;
  const fresh = more.at.slice(from);
  const cut = (known?.at ?? []).findIndex((at) => at > (fresh.at(-1) ?? 0) - keptMs);
  const kept = cut < 0 ? 0 : (known?.at.length ?? 0) - cut;
  const names = new Set([...Object.keys(known?.columns ?? {}), ...Object.keys(more.columns)]);
  const columns = [...names].map((name) => {
    // A column of refusals that had nothing but zeros is left out.
    const before = known?.columns[name]?.slice(cut) ?? new Array<Value>(kept).fill(0);
    const newer = more.columns[name]?.slice(from) ?? new Array<Value>(fresh.length).fill(0);
    return [name, [...(kept === 0 ? [] : before), ...newer]] as const;
  });
  return {at: [...(kept === 0 ? [] : known!.at.slice(cut)), ...fresh], columns: Object.fromEntries(columns)};
}

function take(rows: Rows, state: LoadState): void {
  load.value = {rows, state, before: load.peek()?.state};
  heardMs.value = Date.now();
  loadFault.value = undefined;
  const {status, reasons, warnings, notes, durability, version} = state;
  const isReady = status === 'ready' || status === 'degraded';
  serviceState.value = {status: isReady ? 'ready' : 'not_ready', reasons, warnings, notes, durability, version};
}

function takeVitals({at, row, state}: Vitals): void {
  if (row.length !== schema.length) return; // The schema comes first; of a newer service it comes again.
  const newest = {at: [at], columns: Object.fromEntries(schema.map((name, column) => [name, [row[column]!]]))};
  take(joined(load.peek()?.rows, newest), state);
}

async function readLoad(minutes: number): Promise<void> {
  const answer = await read<LoadAnswer>(`load?minutes=${minutes}`);
  if (answer.kind === 'value') {
    const {state, at, columns} = answer.value;
    const known = load.peek()?.rows;
    const answered = {at, columns};
    // All of it takes the place of what is known, but for what the stream brought meanwhile.
    const isAll = minutes === minutesMax;
    take(isAll ? (known === undefined ? answered : joined(answered, known)) : joined(known, answered), state);
  } else loadFault.value = answer.fault;
}

let watchers = 0;
let stop: (() => void) | undefined;

function start(): () => void {
  load.value = undefined;
  void readLoad(minutesMax);
  const ends = [
    listen<readonly string[]>('schema', (names) => {
      schema = names;
    }),
    listen<Vitals>('vitals', (vitals) => {
      if (isStale.peek()) void readLoad(minutesMax);
      takeVitals(vitals);
    }),
  ];
  let askedMs = Date.now();
  const polling = setInterval(() => {
    const every = pollMs[streamState.value as keyof typeof pollMs];
    if (every === undefined || document.visibilityState !== 'visible' || Date.now() - askedMs < every) return;
    askedMs = Date.now();
    void readLoad(1);
  }, 1_000);
  return () => {
    clearInterval(polling);
    for (const end of ends) end();
  };
}

/** Keeps `load` alive as long as a component that shows it lives. */
export function useLoad(): void {
  useEffect(() => {
    watchers += 1;
    stop ??= start();
    return () => {
      watchers -= 1;
      if (watchers > 0) return;
      stop?.();
      stop = undefined;
      heardMs.value = 0;
    };
  }, []);
}

// The load of the last 15 minutes, as the service keeps it: read once, then every second by the stream, or every few seconds
// where there is none.
//   LO1. What a page shows is what came; how long ago that was is known (`heardMs`), so that nothing old looks alive.

import {computed, signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import type {LoadAnswer, LoadRows, LoadState} from '../../../src/edge/dashboard/answers/load.js';
import type {Vitals} from '../../../src/edge/dashboard/answers/stream.js';
import {type Fault, read} from './client';
import {joined, ringMinutes} from './load-rows';
import {now} from './now';
import {serviceState} from './service-state';
import {listen, streamState} from './stream';

export interface Load {
  readonly rows: LoadRows;
  readonly state: LoadState;
  /** State of the second before: partitions count from it. */
  readonly before: LoadState | undefined;
}

/** Three seconds without a number are none that a busy machine explains. */
const staleMs = 3_500;
const pollMs = {none: 5_000, refused: 10_000, lost: 10_000} as const;

export const load = signal<Load | undefined>(undefined);
export const loadFault = signal<Fault | undefined>(undefined);
/** Time of the newest numbers, by this browser's clock; 0 before the first. */
export const heardMs = signal(0);
/** Seconds between two looks, by the state of the stream. */
export const lookEverySeconds = computed(() =>
  streamState.value === 'none' ? 5 : streamState.value === 'refused' ? 10 : 1,
);
export const isStale = computed(
  () => heardMs.value > 0 && now.value - heardMs.value > staleMs + (lookEverySeconds.value - 1) * 1_500,
);

let schema: readonly string[] = [];

function take(rows: LoadRows, state: LoadState): void {
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
    // The whole ring replaces the known rows, except those that the stream brought since the question.
    const isAll = minutes === ringMinutes;
    take(isAll ? (known === undefined ? answered : joined(answered, known)) : joined(known, answered), state);
  } else loadFault.value = answer.fault;
}

let watchers = 0;
let stop: (() => void) | undefined;

function start(): () => void {
  load.value = undefined;
  void readLoad(ringMinutes);
  const ends = [
    listen<readonly string[]>('schema', (names) => {
      schema = names;
    }),
    listen<Vitals>('vitals', (vitals) => {
      if (isStale.peek()) void readLoad(ringMinutes);
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

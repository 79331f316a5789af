// Loaded into the service by `--import`: takes away what it does for speed alone, so that the bench of that name can tell
// what that brings. All it answers stays the same.
//   W1. Worker threads load this, too: each shortcut is taken away in those threads that have it.

import {isMainThread} from 'node:worker_threads';
import type {NatsConnection} from 'nats';
import {pack, unpack} from '../../src/nats/packed.js';
import type {LogReader} from '../../src/partition/log/log-reader.js';

/** What is taken away, by its name in the bench. */
const shortcuts = {
  /** What the log acked is read back from it. */
  handOver: async () => {
    const {HandOver} = await import('../../src/ingest/hand-over.js');
    replace(HandOver.prototype, {add: () => undefined});
  },
  /** A message leaves as soon as the one before has its ack. */
  commitPace: async () => {
    const {CommitPace} = await import('../../src/ingest/commit-pace.js');
    replace(CommitPace.prototype, {waitMs: () => 0});
  },
  /** Questions go through NATS. */
  askedThread: async () => {
    const {AskLink} = await import('../../src/nats/ask-link.js');
    replace(AskLink.prototype, {
      async carry(this: {nc: NatsConnection}, subject: string, question: unknown, options: {timeout: number}) {
        return unpack((await this.nc.request(subject, pack(question), options)).data);
      },
    });
  },
  /** The log is asked what a live read has to wait for. */
  readBarrier: async () => {
    const {ReadBarrier} = await import('../../src/partition/log/read-barrier.js');
    replace(ReadBarrier.prototype, {
      sequence(this: {reader: LogReader}) {
        return this.reader.lastSequence();
      },
    });
  },
  /** What was put is read from the store when it is asked for. */
  keptParts: async () => {
    const {PartsCache} = await import('../../src/parts/parts-cache.js');
    replace(PartsCache.prototype, {addWritten: () => undefined});
  },
} as const;
export type Shortcut = keyof typeof shortcuts;

export const allShortcuts = Object.keys(shortcuts) as Shortcut[];

/** Names what is taken away, with commas between. */
export const withoutVariable = 'BENCH_WITHOUT';

function replace(prototype: object, methods: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(methods)) if (!(name in prototype)) throw new Error(`there is no method ${name}`);
  Object.assign(prototype, methods);
}

/** W1. All others are of the main thread, the edge. */
const ofWorkers: readonly Shortcut[] = ['readBarrier', 'keptParts'];

const without = (process.env[withoutVariable]?.split(',') ?? []) as Shortcut[];
for (const each of without) if (isMainThread !== ofWorkers.includes(each)) await shortcuts[each]();

// Rows, and properties of rows, that another thread of the process has cached: a start reads the newest ones for pages, and
// reports copy them instead of loading them from NATS again.
//   HR1. For background work only: the thread that is asked folds, and answers its questions in order of arrival.
//   HR2. The thread that has the rows makes the copy and transfers it.
//   HR3. Parts never change, so the reader's check is enough for both threads.

import type {MessagePort} from 'node:worker_threads';
import type {PartRef} from '../../actors/manifest.js';

/** Copies of parts of chunks that another thread has cached. */
export interface CachedRows {
  /** A copy that the caller owns; undefined when the part must be read. */
  copy(partition: number, ref: PartRef): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** The port of a thread that has rows of these partitions. */
export interface RowsPort {
  readonly partitions: readonly number[];
  readonly port: MessagePort;
}

interface RowsReply {
  readonly key: string;
  readonly rows: Uint8Array<ArrayBuffer> | undefined;
}

/** Answers requests over `port`. `copy` returns undefined for rows that are not cached. HR2 */
export function serveRows(port: MessagePort, copy: (key: string) => Uint8Array<ArrayBuffer> | undefined): void {
  port.on('message', (key: string) => {
    const rows = copy(key);
    port.postMessage({key, rows} satisfies RowsReply, rows === undefined ? [] : [rows.buffer]);
  });
  port.unref();
}

/** HR1 */
export class PeerRows implements CachedRows {
  private readonly ways = new Map<number, PeerThread>();

  constructor(ports: readonly RowsPort[]) {
    for (const {partitions, port} of ports) {
      const way = new PeerThread(port);
      for (const partition of partitions) this.ways.set(partition, way);
    }
  }

  async copy(partition: number, {key}: PartRef): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.ways.get(partition)?.ask(key);
  }
}

/** Requests to one thread. Once that has ended, they are answered with undefined. */
class PeerThread {
  private readonly port: MessagePort;
  private readonly asked = new Map<string, (rows: Uint8Array<ArrayBuffer> | undefined) => void>();
  private hasEnded = false;

  constructor(port: MessagePort) {
    this.port = port;
    port.on('message', ({key, rows}: RowsReply) => this.answer(key, rows));
    port.on('close', () => {
      this.hasEnded = true;
      for (const key of [...this.asked.keys()]) this.answer(key, undefined);
    });
    port.unref();
  }

  /** Callers never ask for the same key twice at a time. */
  ask(key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (this.hasEnded) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.asked.set(key, resolve);
      this.port.postMessage(key);
    });
  }

  private answer(key: string, rows: Uint8Array<ArrayBuffer> | undefined): void {
    this.asked.get(key)?.(rows);
    this.asked.delete(key);
  }
}

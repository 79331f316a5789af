// Rows that another thread of the process has at hand: a start reads the newest ones for pages, and reports take a copy of
// them from there instead of having nats-server read and send everything once more.
//   HR1. For work that nobody waits for: the thread that is asked folds, and answers questions of its own first come, first
//       served.
//   HR2. The thread that has the rows makes the copy, which changes hands.
//   HR3. Parts never change: what is handed over needs no check but that of whoever read it.

import type {MessagePort} from 'node:worker_threads';
import type {PartRef} from '../../actors/manifest.js';

/** Rows parts of some partitions, where somebody has them at hand. */
export interface RowsAtHand {
  /** A copy that is the asker's; undefined when it must be read. */
  copy(partition: number, ref: PartRef): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** The way to a thread that has rows of these partitions. */
export interface RowsPort {
  readonly partitions: readonly number[];
  readonly port: MessagePort;
}

interface HandedCopy {
  readonly key: string;
  readonly rows: Uint8Array<ArrayBuffer> | undefined;
}

/** Answers what is asked over `port`. `copy`: of the rows with this key, or undefined where they are not at hand. HR2 */
export function handOutRows(port: MessagePort, copy: (key: string) => Uint8Array<ArrayBuffer> | undefined): void {
  port.on('message', (key: string) => {
    const rows = copy(key);
    port.postMessage({key, rows} satisfies HandedCopy, rows === undefined ? [] : [rows.buffer]);
  });
  port.unref();
}

/** HR1 */
export class HandedRows implements RowsAtHand {
  private readonly ways = new Map<number, RowsWay>();

  constructor(ports: readonly RowsPort[]) {
    for (const {partitions, port} of ports) {
      const way = new RowsWay(port);
      for (const partition of partitions) this.ways.set(partition, way);
    }
  }

  async copy(partition: number, {key}: PartRef): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.ways.get(partition)?.ask(key);
  }
}

/** To one thread. Once that has ended, nothing is at hand there. */
class RowsWay {
  private readonly port: MessagePort;
  private readonly asked = new Map<string, (rows: Uint8Array<ArrayBuffer> | undefined) => void>();
  private hasEnded = false;

  constructor(port: MessagePort) {
    this.port = port;
    port.on('message', ({key, rows}: HandedCopy) => this.answer(key, rows));
    port.on('close', () => {
      this.hasEnded = true;
      for (const key of [...this.asked.keys()]) this.answer(key, undefined);
    });
    port.unref();
  }

  /** Of one key nobody asks twice at a time. */
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

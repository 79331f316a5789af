// The newest manifests, handed over by the threads of this process with their indexes: a new snapshot then need not be read from
// NATS, where it would wait for the erasing of replaced parts.
//   HM1. A handed manifest has the number of its publication: it is valid for a reader that counts that one as the newest.

import {type MessagePort, receiveMessageOnPort} from 'node:worker_threads';
import type {HandedManifest} from '../../worker-messages.js';

export class HandedManifests {
  private readonly ports: readonly MessagePort[];
  /** The newest of each partition. */
  private readonly last = new Map<number, HandedManifest>();

  /** `ports`: of the threads that publish. */
  constructor(ports: readonly MessagePort[]) {
    this.ports = ports;
  }

  /** Calls `hear` when a manifest arrives. Without it they stay in the ports until the next `take`. */
  listen(hear: () => void): void {
    for (const port of this.ports) {
      port.on('message', (handed: HandedManifest) => {
        this.last.set(handed.partition, handed);
        hear();
      });
    }
  }

  /** Undefined when it has not arrived yet, or was taken before. HM1 */
  take(partition: number, publication: number): HandedManifest | undefined {
    this.takeIn();
    const handed = this.last.get(partition);
    if (handed?.publication !== publication) return undefined;
    this.last.delete(partition);
    return handed;
  }

  /** Takes the messages that arrived and wait for a turn of the event loop. */
  private takeIn(): void {
    for (const port of this.ports) {
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        const handed = next.message as HandedManifest;
        this.last.set(handed.partition, handed);
      }
    }
  }
}

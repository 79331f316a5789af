// The newest manifests as the threads of this process hand them over, with their indexes: a new snapshot then takes no way
// through NATS, where it would wait for what is erased behind it.
//   HM1. What was handed over stands for a publication, by its number: it is good for whoever counts that one as the newest.

import {type MessagePort, receiveMessageOnPort} from 'node:worker_threads';
import type {HandedManifest} from '../../worker-messages.js';

export class HandedManifests {
  private readonly ports: readonly MessagePort[];
  /** The last of each partition: what is older is of no use to anybody. */
  private readonly last = new Map<number, HandedManifest>();

  /** `ports`: of the threads that publish. */
  constructor(ports: readonly MessagePort[]) {
    this.ports = ports;
  }

  /** Calls `hear` when something came. Without it nothing is taken from the ports until somebody asks. */
  listen(hear: () => void): void {
    for (const port of this.ports) {
      port.on('message', (handed: HandedManifest) => {
        this.last.set(handed.partition, handed);
        hear();
      });
    }
  }

  /** HM1; undefined when it did not come, or not yet, or was taken before. */
  take(partition: number, publication: number): HandedManifest | undefined {
    this.takeIn();
    const handed = this.last.get(partition);
    if (handed?.publication !== publication) return undefined;
    this.last.delete(partition);
    return handed;
  }

  /** What has arrived and waits for a turn of the loop. */
  private takeIn(): void {
    for (const port of this.ports) {
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        const handed = next.message as HandedManifest;
        this.last.set(handed.partition, handed);
      }
    }
  }
}

// Sends events over several connections without losing their order.
//   N1. All events of one user use one lane, and a lane has one batch in flight: the log gets a user's events in the order of
//       the file, which decides between events of the same millisecond (funnels) or the same messageId.
//   N2. A lane holds one batch in flight and one being filled; a caller that adds to a full lane waits. This bounds the memory.

import {assert} from '../../../actors/invariant.js';
import {batchBytesMax as bodyBytesMax} from '../../../actors/limits.js';
import {lineBytesMax} from './line.js';
import type {SourceEvent} from './source-event.js';

/** Far below the service's limit, so that a batch of large events is no burden to it. */
const laneBatchBytesMax = 4 * 1024 * 1024;
// One line always fits, even with `messageId` and the envelope of a full batch.
assert(laneBatchBytesMax + lineBytesMax < bodyBytesMax, 'a batch stays below the body bound');

type DeliverBatch<E extends SourceEvent> = (events: readonly E[]) => Promise<void>;

export class Lanes<E extends SourceEvent> {
  readonly #lanes: Lane<E>[];

  constructor(laneCount: number, batchEventsMax: number, deliver: DeliverBatch<E>) {
    this.#lanes = Array.from({length: laneCount}, () => new Lane(batchEventsMax, deliver));
  }

  /** Returns a promise only if the caller must wait (N2): most events cost no turn of the event loop. */
  add(event: E): Promise<void> | undefined {
    return this.#lanes[laneIndex(event.userKey, this.#lanes.length)]!.add(event);
  }

  /** Sends batches that are still being filled; resolves when all are in flight. */
  async flush(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.flush()));
  }

  /** Resolves when nothing is in flight, even if batches failed. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#lanes.map((lane) => lane.settled()));
  }

  /** Resolves when everything that was added is delivered; rejects with the first failure. */
  async drain(): Promise<void> {
    await this.flush();
    await Promise.all(this.#lanes.map((lane) => lane.settled()));
  }
}

class Lane<E extends SourceEvent> {
  #filling: E[] = [];
  #fillingBytes = 0;
  #inFlight: Promise<void> = Promise.resolve();

  constructor(
    private readonly batchEventsMax: number,
    private readonly deliver: DeliverBatch<E>,
  ) {}

  add(event: E): Promise<void> | undefined {
    const isFull =
      this.#filling.length >= this.batchEventsMax || this.#fillingBytes + event.json.length > laneBatchBytesMax;
    if (isFull && this.#filling.length > 0) return this.flush().then(() => this.#take(event));
    this.#take(event);
    return undefined;
  }

  async flush(): Promise<void> {
    if (this.#filling.length === 0) return;
    await this.#inFlight; // N1
    const batch = this.#filling;
    this.#filling = [];
    this.#fillingBytes = 0;
    this.#inFlight = this.deliver(batch);
    // The next caller that waits for this lane gets the failure; until then it must not count as unhandled.
    this.#inFlight.catch(() => {});
  }

  settled(): Promise<void> {
    return this.#inFlight;
  }

  #take(event: E): void {
    this.#filling.push(event);
    this.#fillingBytes += event.json.length;
  }
}

/** FNV-1a over UTF-16 units: even enough for a few lanes, and stateless. */
function laneIndex(userKey: string, laneCount: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < userKey.length; i++) hash = Math.imul(hash ^ userKey.charCodeAt(i), 0x01000193);
  return ((hash ^ (hash >>> 16)) >>> 0) % laneCount;
}

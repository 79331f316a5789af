// Messages between a bench and its receiver of webhooks.

import type {LatencyMs} from '../load/latency.js';

export type ToReceiver =
  /** Forgets what came so far. `secrets`: of the webhooks, by their number. */
  {readonly kind: 'begin'; readonly secrets: readonly string[]; readonly isTimed: boolean} | {readonly kind: 'tell'};

export type FromReceiver =
  | {readonly kind: 'listening'; readonly port: number; readonly silentPort: number}
  | {readonly kind: 'begun'}
  | {readonly kind: 'told'; readonly received: Received};

/** What came since `begin`. Copies of a message, which have its id, count as one. */
export interface Received {
  /** POST requests, copies included. */
  readonly posts: number;
  readonly messages: number;
  readonly events: number;
  /** From the first request to the last one. */
  readonly elapsedMs: number;
  /** Signatures that were checked, all of them right. */
  readonly checked: number;
  /** From the time of each event to its arrival here; of timed ones, without those that were late before they were sent. */
  readonly latencyMs: LatencyMs;
  readonly timed: number;
  readonly cpuSeconds: number;
  /** What no receiver should get, in words; empty if all is well. */
  readonly fault: string;
}

// Answers of the service while its log is away, and how soon it takes events again.
//   A1. While the log cannot be reached, a write is answered 503 at once as soon as the service can know. A write that was sent
//       before may be under way, and waits for its outcome as long as a publish is tried.
//   A2. The first 2xx comes within 5 s after the log can be reached again.

import type {Broken} from './broken.js';
import type {Outage, Request, Truth} from './truth.js';

const firstSuccessMsMax = 5_000;
// The rest is patience with a loaded machine; an option gives a run on a busy machine more.
const atOnceMs = 2_000;
// With any patience: a write that waits until a publish is given up (5 s) was not refused at once.
const atOnceMsMax = 4_000;
// A publish is given up after 5 s (docs/architecture.md, NATS).
const publishMsMax = 7_500;

export interface Availability {
  readonly broken: readonly Broken[];
  /** The longest wait for the first 2xx after an outage. */
  readonly firstSuccessMs: number;
  /** The longest answer to a write that was sent during an outage. */
  readonly slowestMs: number;
}

/**
 * Measures the outages that ended since `sinceAt`. Deletions wait by design: only writes count.
 * `patience`: factor of the promised times for answers and the first 2xx, except for those at once.
 */
export function availabilityOf(truth: Truth, sinceAt: number, patience: number): Availability {
  const outages = truth.outages.filter((outage) => outage.upAt >= sinceAt && Number.isFinite(outage.upAt));
  const writes = [...truth.requests.values()].filter((request) => request.sentAt >= sinceAt && isWrite(truth, request));
  const broken: Broken[] = [];
  let [firstSuccessMs, slowestMs] = [0, 0];
  for (const outage of outages) {
    const noticedAt = outage.downAt + outage.noticedWithinMs;
    for (const [from, to, msMax, countedTo] of [
      [outage.downAt, noticedAt, patience * publishMsMax, Number.POSITIVE_INFINITY],
      [noticedAt, outage.upAt, Math.min(patience * atOnceMs, atOnceMsMax), downAfter(outage, outages)],
    ] as const) {
      const slowest = slowestBetween(from, Math.min(to, outage.upAt), countedTo, writes);
      slowestMs = Math.max(slowestMs, slowest);
      if (slowest <= msMax) continue;
      broken.push({invariant: 'answer', detail: `A1 ${outage.name}: a write waited ${Math.round(slowest)} ms`});
    }
    const first = firstSuccessAfter(outage, outages, writes);
    if (first === undefined) continue;
    firstSuccessMs = Math.max(firstSuccessMs, first);
    if (first > patience * firstSuccessMsMax) {
      broken.push({invariant: 'recovery', detail: `A2 ${outage.name}: first 2xx after ${Math.round(first)} ms`});
    }
  }
  return {broken, firstSuccessMs, slowestMs};
}

const isWrite = (truth: Truth, {things}: Request): boolean => truth.fates.get(things[0]!)!.thing.kind !== 'deletion';

/**
 * The longest wait, up to `countedTo`: the service sees a log that is back a moment before the tool does, and messages that it
 * publishes in that moment are under way when the next outage begins.
 */
function slowestBetween(from: number, to: number, countedTo: number, writes: readonly Request[]): number {
  const during = writes.filter(({sentAt, answeredAt}) => sentAt >= from && sentAt < to && answeredAt !== undefined);
  return Math.max(0, ...during.map(({sentAt, answeredAt}) => Math.min(answeredAt!, countedTo) - sentAt));
}

const downAfter = ({upAt}: Outage, outages: readonly Outage[]): number =>
  Math.min(Number.POSITIVE_INFINITY, ...outages.map(({downAt}) => downAt).filter((at) => at >= upAt));

/** Undefined when the next outage came first, within this one's time. */
function firstSuccessAfter(outage: Outage, outages: readonly Outage[], writes: readonly Request[]): number | undefined {
  const {upAt} = outage;
  const next = downAfter(outage, outages);
  const isSuccess = ({status, answeredAt}: Request): boolean =>
    (status === 200 || status === 207) && answeredAt !== undefined && answeredAt >= upAt;
  const first = Math.min(Number.POSITIVE_INFINITY, ...writes.filter(isSuccess).map(({answeredAt}) => answeredAt!));
  if (first > next && next - upAt < firstSuccessMsMax) return undefined;
  return first - upAt;
}

// When a commit cycle begins. The messages of all partitions leave together, in one write, once the previous cycle has all of
// its answers. Their acks, the answers to their requests and the next requests of those clients then come together, too.
//   Owns: how long waiting requests wait for others. Does not own: the messages (publisher.ts).
//   C1. A few requests leave at once. A message costs nearly the same with any number of entries (some 450 us of CPU in
//       nats-server, mostly the fsync), so the time between two cycles grows with the rate of requests: a hundred a second do
//       not wait, and thousands need a third of the messages that cycles without a pause would.
//   C2. After a cycle with many entries the next waits for their clients to ask again, for a time that grows with that number:
//       a few clients with batches fill messages together, too.
//   C3. No cycle waits for requests that cannot come: once nearly as many wait or fly as did at once in the previous cycle,
//       nearly all clients that had to wait for answers have asked again.
//   C4. A partition that does not answer delays the others by `togetherMs` at most, and its waiting requests count for no cycle.
//       While none has answered, only requests for other partitions leave: a disk that pauses stops all partitions, and they
//       continue together.
//   C5. Beside an external NATS a message has a price, in ms: the time that an edge has for each message of the budget that all
//       edges share. A cycle begins no sooner after the one before than its messages cost together. A lane with `laneBytesAtOnce` does
//       not wait for that: its message costs its bytes anyway, and no cycle waits longer for it.

/**
 * C1, for one partition. A cycle costs its messages, so with more of them fewer cycles pay off. The cost of a period is its
 * messages / its length, plus the wait, which is as long: it is least where the period grows with the square root of the number.
 * With 4 partitions this is 4 ms at half of the machine's capacity: a request waits half of it on average.
 */
export const periodMsMax = 2;
/** C1, for one partition. With 4 it is 1 ms at one request a ms; an ack takes as long. */
const periodMsPerRate = 1 / 2;
/** C1. A deployment with more partitions has more cores for their messages. */
export const periodFactorMax = 2;
/** C1. The rate is an average over about this time. */
export const rateMs = 25;

/** C2 */
export const entriesPerLingerMs = 32;
export const lingerMsMax = 8;

/** C3. Among a few dozen connections some client is always late. */
export const crowdShare = 7 / 8;
/**
 * Bytes of a cycle that gains nothing by waiting: they cost more than its messages. These are three or four batches of 1,000: at
 * 450 batches a second a million events cost 2.8 CPU seconds, and 3.3 when each batch began a cycle.
 */
export const enoughBytes = 512 * 1024;

/** C4. An ack takes 1 ms under load. */
export const togetherMs = 5;

/** C5 */
export const laneBytesAtOnce = 32 * 1024;

/** Ms for a message of one edge, out of `perSecond` of all `edges`. C5 */
export const messageMsOf = (perSecond: number, edges: number): number => (1_000 * edges) / perSecond;

/** Timers have whole milliseconds: a shorter wait is skipped. */
const waitMsMin = 0.5;

export class CommitPace {
  /** Factor of the period for the number of partitions. C1 */
  private readonly periodFactor: number;
  /** C5 */
  private readonly messageMs: () => number;
  private requests = 0;
  private bytes = 0;
  /** Requests since the newest cycle began. */
  private arrived = 0;
  /** Requests a ms at the begin of the newest cycle. */
  private rate = 0;
  /** Entries of the newest cycle. */
  private carried = 0;
  /** Requests of the newest cycle that have no answer yet. */
  private unanswered = 0;
  /** Largest number of requests at once before answers of the newest cycle. C3 */
  private crowd = 0;
  /** Messages of the newest cycle that have no answer yet. */
  private flying = 0;
  /** Time of the newest cycle's first answer; its begin until then. */
  private answeredMs = Number.NEGATIVE_INFINITY;
  private begunMs = Number.NEGATIVE_INFINITY;
  /** Messages with which the newest cycle began. */
  private messages = 0;
  private endedMs = Number.NEGATIVE_INFINITY;

  /** A cycle under load has a message for each of `partitionCount` partitions. `messageMs`: 0 for a nats-server of our own. C5 */
  constructor(partitionCount: number, messageMs: () => number = () => 0) {
    this.messageMs = messageMs;
    this.periodFactor = Math.min(Math.sqrt(partitionCount), periodFactorMax);
  }

  /** Whether requests wait for the next cycle. */
  get isWaiting(): boolean {
    return this.bytes > 0;
  }

  /** More bytes wait for the next cycle, of `requests` that did not wait before. */
  wait(requests: number, bytes: number): void {
    this.requests += requests;
    this.arrived += requests;
    this.bytes += bytes;
  }

  /** Counts requests again whose partition has answered. C4 */
  waitAgain(requests: number, bytes: number): void {
    this.requests += requests;
    this.bytes += bytes;
  }

  /** Stops counting requests that wait no longer, or that no cycle can take. C4 */
  leave(requests: number, bytes: number): void {
    this.requests -= requests;
    this.bytes -= bytes;
  }

  /** Notes that a cycle begins. `messages`: how many it publishes. */
  begin(nowMs: number, messages: number): void {
    this.messages = messages;
    this.measureRate(nowMs - this.begunMs);
    this.begunMs = nowMs;
    this.answeredMs = nowMs;
    this.arrived = 0;
    this.carried = 0;
    this.unanswered = 0;
    this.crowd = 0;
    this.flying = 0;
  }

  private measureRate(elapsedMs: number): void {
    if (elapsedMs <= 0) return;
    this.rate += (1 - Math.exp(-elapsedMs / rateMs)) * (this.arrived / elapsedMs - this.rate);
  }

  /** A message of this cycle leaves. */
  sent(requests: number, entries: number, bytes: number): void {
    this.leave(requests, bytes);
    this.carried += entries;
    this.unanswered += requests;
    this.flying += 1;
  }

  /** A message of this cycle, with `requests`, has its answer or is given up. */
  settled(requests: number, nowMs: number): void {
    this.crowd = Math.max(this.crowd, this.requests + this.unanswered);
    this.unanswered -= requests;
    this.flying -= 1;
    if (this.answeredMs === this.begunMs) this.answeredMs = nowMs;
    if (this.flying === 0) this.endedMs = nowMs;
  }

  /** Ms until the next cycle may begin; 0: now. */
  waitMs(nowMs: number): number {
    return waitOf(Math.max(this.gatheredMs(), this.affordedMs()) - nowMs);
  }

  /** Whether the price of messages is what the next cycle waits for last. C5 */
  get isSaving(): boolean {
    return this.affordedMs() > this.gatheredMs();
  }

  /** Ms until the next cycle might begin if messages cost nothing; 0: now. C5 */
  gatherMs(nowMs: number): number {
    return waitOf(this.gatheredMs() - nowMs);
  }

  /** C5 */
  private affordedMs(): number {
    return this.begunMs + this.messages * this.messageMs();
  }

  private gatheredMs(): number {
    if (this.flying > 0) return this.answeredMs + togetherMs; // C4
    if (this.requests >= crowdShare * this.crowd || this.bytes >= enoughBytes) return this.endedMs; // C3
    const periodMs = Math.min(this.rate * periodMsPerRate, periodMsMax) * this.periodFactor; // C1
    const lingerMs = Math.min(Math.floor(this.carried / entriesPerLingerMs), lingerMsMax); // C2
    return Math.max(this.begunMs + periodMs, this.endedMs + lingerMs);
  }
}

const waitOf = (waitMs: number): number => (waitMs < waitMsMin ? 0 : waitMs);

// When a commit cycle begins: the messages of all partitions leave together, in one write, once all answers of the cycle
// before are there. Their acks, the answers to their requests and the next requests of those clients then come together,
// too.
//   Owns: how long waiting requests wait for company. Does not own: the messages (publisher.ts).
//   C1. Few leave at once. A message costs nearly the same whatever it carries (some 450 us of CPU in nats-server, most of
//       it the fsync), so the more requests come, the longer it is from the begin of a cycle to that of the next, whatever
//       the cycles before did: a hundred requests a second wait for nothing, thousands leave in a third of the messages
//       that they would need if each cycle began with the answers of the last.
//   C2. After many entries a cycle waits for their clients to ask again, for a time that grows with their number: a few
//       clients with batches, too, fill messages together.
//   C3. Nobody waits for company that cannot come: once nearly as many requests are here as were at once in the cycle
//       before, waiting or on their way, nearly all clients that had to wait for answers have asked again.
//   C4. A partition that does not answer holds up those that did for `togetherMs` and no longer, and what waits for it then
//       is no company to anybody. While none has answered nothing leaves but what came for other partitions: a disk that
//       stands still for a moment holds up all of them, and they go on together.

/**
 * C1, for one partition. A cycle costs what its messages cost, so with more of them it pays to have fewer cycles. The cost of
 * a period is its messages / its length, plus the waiting, which is as long as it: least where it grows with the root.
 * Of 4 partitions (4 ms) what half the machine bears waits for so long, and half of it on average.
 */
export const periodMsMax = 2;
/** C1, for one partition. Of 4 it is 1 ms at one request a ms, which an ack takes anyway. */
const periodMsPerRate = 1 / 2;
/** C1. Who has more partitions has more cores for their messages. */
export const periodFactorMax = 2;
/** C1. The rate is that of about so many ms. */
export const rateMs = 25;

/** C2 */
export const entriesPerLingerMs = 32;
export const lingerMsMax = 8;

/** C3. Of a few dozen connections some client is always late. */
export const crowdShare = 7 / 8;
/**
 * What has so many bytes gains nothing by company: they cost more than the messages. Of batches of 1,000 it is three or four:
 * with 450 a second a million events cost 2.8 CPU seconds, and 3.3 where the first of them began the cycle (measured).
 */
export const enoughBytes = 512 * 1024;

/** C4. An ack takes 1 ms under load. */
export const togetherMs = 5;

/** Timers know whole milliseconds: a shorter time is not waited. */
const waitMsMin = 0.5;

export class CommitPace {
  /** C1 */
  private readonly periodFactor: number;
  private requests = 0;
  private bytes = 0;
  /** Since the newest cycle began. */
  private arrived = 0;
  /** Requests a ms, as of the begin of the newest cycle. */
  private rate = 0;
  /** Entries of the newest cycle. */
  private carried = 0;
  /** Its requests that have no answer yet. */
  private unanswered = 0;
  /** The most requests that were here at once before answers of the newest cycle (C3). */
  private crowd = 0;
  /** Its messages that have no answer yet. */
  private flying = 0;
  /** When the first of its messages had its answer; its begin until then. */
  private answeredMs = Number.NEGATIVE_INFINITY;
  private begunMs = Number.NEGATIVE_INFINITY;
  private endedMs = Number.NEGATIVE_INFINITY;

  /** A cycle has a message for each of so many partitions, once there is any need to wait. */
  constructor(partitionCount: number) {
    this.periodFactor = Math.min(Math.sqrt(partitionCount), periodFactorMax);
  }

  /** Whether there is anything for a next cycle. */
  get isWaiting(): boolean {
    return this.bytes > 0;
  }

  /** More bytes wait for the next cycle, of so many requests of which none was here before. */
  wait(requests: number, bytes: number): void {
    this.requests += requests;
    this.arrived += requests;
    this.bytes += bytes;
  }

  /** These waited for a partition that has answered now (C4). */
  waitAgain(requests: number, bytes: number): void {
    this.requests += requests;
    this.bytes += bytes;
  }

  /** These wait no longer, or no cycle can have them (C4). */
  leave(requests: number, bytes: number): void {
    this.requests -= requests;
    this.bytes -= bytes;
  }

  begin(nowMs: number): void {
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

  /** A message of this cycle, with so many requests, has its answer, or is given up. */
  settled(requests: number, nowMs: number): void {
    this.crowd = Math.max(this.crowd, this.requests + this.unanswered);
    this.unanswered -= requests;
    this.flying -= 1;
    if (this.answeredMs === this.begunMs) this.answeredMs = nowMs;
    if (this.flying === 0) this.endedMs = nowMs;
  }

  /** Ms until the next cycle may begin; 0: now. */
  waitMs(nowMs: number): number {
    const waitMs = this.dueMs() - nowMs;
    return waitMs < waitMsMin ? 0 : waitMs;
  }

  private dueMs(): number {
    if (this.flying > 0) return this.answeredMs + togetherMs; // C4
    if (this.requests >= crowdShare * this.crowd || this.bytes >= enoughBytes) return this.endedMs; // C3
    const periodMs = Math.min(this.rate * periodMsPerRate, periodMsMax) * this.periodFactor; // C1
    const lingerMs = Math.min(Math.floor(this.carried / entriesPerLingerMs), lingerMsMax); // C2
    return Math.max(this.begunMs + periodMs, this.endedMs + lingerMs);
  }
}

// When a commit cycle begins: the messages of all partitions leave together, in one write, once all answers of the cycle
// before are there. Their acks, the answers to their requests and the next requests of those clients then come together,
// too.
//   Owns: how long waiting entries wait for company. Does not own: the messages (publisher.ts).
//   C1. Few leave at once. A message costs nearly the same whatever it carries (some 250 us of CPU in nats-server, most
//       of it the fsync), so under load a cycle waits for as many entries as the one before carried; at most for a time
//       that grows with that number, so that a load which half the machine bears waits for nothing.
//   C2. A partition that does not answer holds up the others for `togetherMs` and no longer.

/** C1 */
export const entriesPerLingerMs = 32;
export const lingerMsMax = 8;
/** What has so many bytes gains nothing by company: they cost more than the messages. */
export const enoughBytes = 64 * 1024;

/** C2. An ack takes 1 ms under load. */
export const togetherMs = 5;

/** Timers know whole milliseconds: a shorter time is not waited. */
const waitMsMin = 0.5;

export class CommitPace {
  private entries = 0;
  private bytes = 0;
  /** Entries of the newest cycle. */
  private carried = 0;
  /** Its messages that have no answer yet. */
  private flying = 0;
  private begunMs = Number.NEGATIVE_INFINITY;
  private endedMs = Number.NEGATIVE_INFINITY;

  /** Whether there is anything for a next cycle. */
  get isWaiting(): boolean {
    return this.entries > 0;
  }

  /** So many more entries wait for the next cycle; fewer, where they are negative. */
  wait(entries: number, bytes: number): void {
    this.entries += entries;
    this.bytes += bytes;
  }

  begin(nowMs: number): void {
    this.begunMs = nowMs;
    this.carried = 0;
    this.flying = 0;
  }

  /** A message of this cycle leaves. */
  sent(entries: number, bytes: number): void {
    this.wait(-entries, -bytes);
    this.carried += entries;
    this.flying += 1;
  }

  /** A message of this cycle has its answer, or is given up. */
  settled(nowMs: number): void {
    this.flying -= 1;
    if (this.flying === 0) this.endedMs = nowMs;
  }

  /** Ms until the next cycle may begin; 0: now. */
  waitMs(nowMs: number): number {
    const waitMs = this.dueMs() - nowMs;
    return waitMs < waitMsMin ? 0 : waitMs;
  }

  private dueMs(): number {
    if (this.flying > 0) return this.begunMs + togetherMs; // C2
    if (this.entries >= this.carried || this.bytes >= enoughBytes) return this.endedMs;
    return this.endedMs + Math.min(Math.floor(this.carried / entriesPerLingerMs), lingerMsMax); // C1
  }
}

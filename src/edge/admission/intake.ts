// The intake decides which bodies begin now and which wait: no more begin than the log can soon take, so that no body is read and
// parsed only to be refused.
//   Owns: the queue of waiting bodies, and those that have begun and are not whole. Does not own: memory (body-budget.ts).
//   N1. Small bodies never wait: they arrive with their head, and holding them would cost more than taking them.
//   N2. First come, first begun. A body that has begun is never refused here: if more became whole than the log can take, it
//       waits before it is parsed, ahead of all that have not begun.
//   N3. A body that has begun counts by the bytes that arrived, and for `promptMs` at most: a slow client keeps out no other.
//   N4. No body begins whose events would wait for the folding threads: the log takes more than they can (ingest/fold-lag.ts).
//   N5. Waiting is bounded in bytes and in time; beyond that a body is refused, at its head if possible.
//   N6. Bodies take a share of a turn of the event loop (turn-share.ts): whole bodies beyond it wait as in N2.

import type {Failure} from '../failure.js';
import type {TurnShare} from './turn-share.js';

/** Smaller bodies do not wait. N1 */
export const waitingBodyBytesMin = 16 * 1024;
/**
 * Bound of bodies that have begun and of those that wait for the log: two log messages for each of four partitions. Bodies that
 * the worker thread parses do not count (large-bodies.ts): a large body must not delay the others.
 */
export const intakeBytesMax = 8 * 1024 * 1024;
/** Above this backlog whole bodies wait, too. It is less than may wait for one partition (publisher.ts). N2 */
const backlogBytesMax = 1.5 * intakeBytesMax;
/** Bound of all waiting bodies, by announced bytes: half a second of what two cores take. */
export const waitingBytesMax = 64 * 1024 * 1024;
/** Longest wait of a body: that of a message for the log (publisher.ts). */
export const waitingMsMax = 5_000;

/** A body that a client sends at once arrives within a few turns of the loop. N3 */
const promptMs = 50;
/** Multiple of its first piece that a body counts as until more arrives, at most its announced length. N3 */
const bytesPerFirstByte = 4;
/** Interval of the checks whether waiting bodies may begin. */
export const lookMs = 5;

/** A body whose first piece came. */
export interface BodyArrival {
  /** The length that the client announced. */
  readonly declaredBytes: number;
  begin(): void;
  /** `obstacle`: why no write can be taken; absent when the body waited too long. */
  refuse(obstacle?: Failure): void;
  /** Called when a whole body that waited may be used. */
  use(): void;
}

interface IntakeOptions {
  /** Bytes that wait for the log. */
  readonly backlogBytes: () => number;
  /** Asks the folding threads to take a body of so many bytes; false: not yet. N4 */
  readonly takeOn: (bytes: number) => boolean;
  /** Why no write can be taken now. */
  readonly obstacle: () => Failure | undefined;
  readonly monotonicMs: () => number;
  /** Calls `look` once, after `lookMs`. */
  readonly soon: (look: () => void) => void;
  /** The share of a turn. N6 */
  readonly turn: Pick<TurnShare, 'hasTime' | 'next'>;
}

interface Begun {
  readonly bytes: number;
  readonly sinceMs: number;
}

interface Waiting {
  readonly bytes: number;
  readonly firstBytes: number;
  readonly sinceMs: number;
}

export class Intake {
  /** Bodies that have begun and are not whole, and waiting ones, both in the order of their times. */
  private readonly begun = new Map<BodyArrival, Begun>();
  private readonly waiting = new Map<BodyArrival, Waiting>();
  /** Whole bodies that wait. N2 */
  private readonly ready = new Map<BodyArrival, Begun>();
  private readyBytes = 0;
  private begunBytes = 0;
  private bytesThatWait = 0;
  private isLookDue = false;
  private isTurnDue = false;

  constructor(private readonly options: IntakeOptions) {}

  /** Announced bytes of the waiting bodies. */
  get waitingBytes(): number {
    return this.bytesThatWait;
  }

  /** Whether a body of so many bytes could not even wait now. N5 */
  isFullFor(bytes: number): boolean {
    return bytes >= waitingBodyBytesMin && this.waiting.size > 0 && this.bytesThatWait + bytes > waitingBytesMax;
  }

  /** The first piece of a body arrived. A waiting body is called later; a refused one is forgotten here. */
  arrive(arrival: BodyArrival, firstBytes: number, isWhole: boolean): 'begins' | 'waits' | 'refused' {
    const bytes = Math.max(arrival.declaredBytes, firstBytes);
    if (bytes < waitingBodyBytesMin) return 'begins'; // N1
    const nowMs = this.options.monotonicMs();
    if (this.waiting.size > 0 || !this.hasRoom(bytes, nowMs)) {
      if (this.isFullFor(bytes)) return 'refused';
      this.wait(arrival, bytes, firstBytes, nowMs);
      return 'waits';
    }
    if (!isWhole) this.countBegun(arrival, firstBytes, nowMs);
    return 'begins';
  }

  /** Whether a body of `bytes` that has begun and is whole may be used in place; otherwise its bytes must be stored. */
  isUsedAtOnce(bytes: number): boolean {
    return bytes < waitingBodyBytesMin || (this.ready.size === 0 && this.options.turn.hasTime()); // N1, N6
  }

  /** A body of `bytes` is whole. @returns whether it may be used now; `use` is called later for one that must wait. */
  complete(arrival: BodyArrival, bytes: number): boolean {
    this.leave(arrival);
    if (bytes < waitingBodyBytesMin) return true; // N1
    const {backlogBytes, turn, monotonicMs} = this.options;
    const hasRoom = this.ready.size === 0 && backlogBytes() < backlogBytesMax;
    if (hasRoom && turn.hasTime()) return true;
    this.ready.set(arrival, {bytes, sinceMs: monotonicMs()});
    this.readyBytes += bytes;
    if (hasRoom) this.lookNextTurn();
    else this.lookSoon();
    return false;
  }

  /** The exchange of the body is over. */
  leave(arrival: BodyArrival): void {
    this.forget(arrival);
    const ready = this.ready.get(arrival);
    if (ready !== undefined) this.readyBytes -= ready.bytes;
    this.ready.delete(arrival);
    const waiting = this.waiting.get(arrival);
    if (waiting === undefined) return;
    this.waiting.delete(arrival);
    this.bytesThatWait -= waiting.bytes;
  }

  /** Whether a body of `bytes` may begin. */
  private hasRoom(bytes: number, nowMs: number): boolean {
    for (const [arrival, {sinceMs}] of this.begun) {
      if (nowMs - sinceMs < promptMs) break;
      this.forget(arrival); // N3
    }
    const {backlogBytes, takeOn} = this.options;
    return this.begunBytes + this.readyBytes + backlogBytes() < intakeBytesMax && takeOn(bytes);
  }

  private countBegun(arrival: BodyArrival, firstBytes: number, nowMs: number): void {
    const bytes = Math.min(Math.max(arrival.declaredBytes, firstBytes), bytesPerFirstByte * firstBytes);
    this.begun.set(arrival, {bytes, sinceMs: nowMs});
    this.begunBytes += bytes;
  }

  private forget(arrival: BodyArrival): void {
    const begun = this.begun.get(arrival);
    if (begun === undefined) return;
    this.begun.delete(arrival);
    this.begunBytes -= begun.bytes;
  }

  private wait(arrival: BodyArrival, bytes: number, firstBytes: number, nowMs: number): void {
    this.waiting.set(arrival, {bytes, firstBytes, sinceMs: nowMs});
    this.bytesThatWait += bytes;
    this.lookSoon();
  }

  private lookSoon(): void {
    if (this.isLookDue) return;
    this.isLookDue = true;
    this.options.soon(() => {
      this.isLookDue = false;
      this.look();
    });
  }

  /** Continues in the next turn. N6 */
  private lookNextTurn(): void {
    if (this.isTurnDue) return;
    this.isTurnDue = true;
    this.options.turn.next(() => {
      this.isTurnDue = false;
      this.look();
    });
  }

  private look(): void {
    if (!this.useReady() || !this.beginWaiting()) this.lookNextTurn();
    else if (this.waiting.size + this.ready.size > 0) this.lookSoon();
  }

  /**
   * Uses waiting whole bodies, including those that waited too long: the log decides their answer.
   * @returns false when the turn's share is used up. N6
   */
  private useReady(): boolean {
    const {monotonicMs, obstacle, backlogBytes, turn} = this.options;
    for (const [arrival, {sinceMs}] of this.ready) {
      const mayWait = backlogBytes() >= backlogBytesMax && monotonicMs() - sinceMs < waitingMsMax;
      if (mayWait && obstacle() === undefined) return true;
      if (!turn.hasTime()) return false;
      this.leave(arrival);
      arrival.use();
    }
    return true;
  }

  /** @returns false when the turn's share is used up. N6 */
  private beginWaiting(): boolean {
    const {monotonicMs, turn} = this.options;
    const obstacle = this.options.obstacle();
    for (const [arrival, {bytes, sinceMs, firstBytes}] of this.waiting) {
      const nowMs = monotonicMs();
      if (obstacle !== undefined || nowMs - sinceMs >= waitingMsMax) {
        this.leave(arrival);
        arrival.refuse(obstacle);
        continue;
      }
      if (!turn.hasTime()) return false;
      if (!this.hasRoom(bytes, nowMs)) return true;
      this.leave(arrival);
      this.countBegun(arrival, firstBytes, nowMs);
      arrival.begin();
    }
    return true;
  }
}

// Which bodies are taken on now, and which wait: no more are begun than the log can soon have, so that nothing is read and
// parsed only to be refused.
//   Owns: the queue of those that wait, and what was begun and is not whole. Does not own: their memory (body-budget.ts).
//   N1. Small bodies never wait: they are there with their head, and holding them would cost more than taking them.
//   N2. First come, first begun. What was begun is never sent away from here: where more became whole than the log can have,
//       it waits before it is parsed, and goes before all that have not begun.
//   N3. What was begun counts by what came of it, and for `promptMs` at most: who sends slowly keeps nobody out.
//   N4. Nobody is begun whose events would wait for those who fold: the log takes more than they can (ingest/fold-lag.ts).
//   N5. What waits is bounded in bytes and in time; past that it is refused, and at its head if it can be.
//   N6. Bodies take a share of a turn of the event loop (turn-share.ts): what is whole past that waits as in N2.

import type {Failure} from '../failure.js';
import type {TurnShare} from './turn-share.js';

/** N1 */
export const waitingBodyBytesMin = 16 * 1024;
/**
 * Of what was begun and of what waits for the log: two log messages for each of four partitions. Not of what the worker
 * thread parses (large-bodies.ts): a large body must not hold up the others.
 */
export const intakeBytesMax = 8 * 1024 * 1024;
/** N2: past these bytes even what is whole waits; less than may wait for one partition (publisher.ts). */
const backlogBytesMax = 1.5 * intakeBytesMax;
/** Of all bodies that wait, as their clients announced them: half a second of what two cores take. */
export const waitingBytesMax = 64 * 1024 * 1024;
/** Nobody waits longer for the log either (publisher.ts). */
export const waitingMsMax = 5_000;

/** N3. What a client sends at once is here within a few turns of the loop. */
const promptMs = 50;
/** N3. A first piece stands for so many times its bytes, up to what the client announced. */
const bytesPerFirstByte = 4;
/** How soon it is looked again whether those that wait may begin. */
export const lookMs = 5;

/** A body whose first piece came. */
export interface Arrival {
  /** As the client announced it. */
  readonly declaredBytes: number;
  begin(): void;
  /** `obstacle`: why nothing at all can be taken; absent when it waited too long. */
  refuse(obstacle?: Failure): void;
  /** It is whole, and was waiting to be used. */
  use(): void;
}

export interface IntakeOptions {
  /** Bytes that wait for the log. */
  readonly backlogBytes: () => number;
  /** Those who fold take on a body of so many bytes; false: not yet. N4 */
  readonly takeOn: (bytes: number) => boolean;
  /** Why nothing at all can be taken now. */
  readonly obstacle: () => Failure | undefined;
  readonly monotonicMs: () => number;
  /** Calls back once, after `lookMs`. */
  readonly soon: (look: () => void) => void;
  /** N6 */
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
  /** Both in the order of their times. */
  private readonly begun = new Map<Arrival, Begun>();
  private readonly waiting = new Map<Arrival, Waiting>();
  /** N2: whole ones. */
  private readonly ready = new Map<Arrival, Begun>();
  private readyBytes = 0;
  private begunBytes = 0;
  private bytesThatWait = 0;
  private isLookDue = false;
  private isTurnDue = false;

  constructor(private readonly options: IntakeOptions) {}

  /** Announced bytes of those that wait. */
  get waitingBytes(): number {
    return this.bytesThatWait;
  }

  /** N5: whether a body of so many bytes could not even wait now. */
  isFullFor(bytes: number): boolean {
    return bytes >= waitingBodyBytesMin && this.waiting.size > 0 && this.bytesThatWait + bytes > waitingBytesMax;
  }

  /** The first piece of a body is here. One that waits is told later; of one that is refused nothing is kept here. */
  arrive(arrival: Arrival, firstBytes: number, isWhole: boolean): 'begins' | 'waits' | 'refused' {
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

  /** Whether one of `bytes` that begins and is here at once may be used where it is; otherwise it is to be kept. */
  isUsedAtOnce(bytes: number): boolean {
    return bytes < waitingBodyBytesMin || (this.ready.size === 0 && this.options.turn.hasTime()); // N1, N6
  }

  /** One of `bytes` is whole. @returns whether it may be used now; one that must wait is told later. */
  complete(arrival: Arrival, bytes: number): boolean {
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

  /** It is over. */
  leave(arrival: Arrival): void {
    this.forget(arrival);
    const ready = this.ready.get(arrival);
    if (ready !== undefined) this.readyBytes -= ready.bytes;
    this.ready.delete(arrival);
    const waiting = this.waiting.get(arrival);
    if (waiting === undefined) return;
    this.waiting.delete(arrival);
    this.bytesThatWait -= waiting.bytes;
  }

  /** Then it begins. */
  private hasRoom(bytes: number, nowMs: number): boolean {
    for (const [arrival, {sinceMs}] of this.begun) {
      if (nowMs - sinceMs < promptMs) break;
      this.forget(arrival); // N3
    }
    const {backlogBytes, takeOn} = this.options;
    return this.begunBytes + this.readyBytes + backlogBytes() < intakeBytesMax && takeOn(bytes);
  }

  private countBegun(arrival: Arrival, firstBytes: number, nowMs: number): void {
    const bytes = Math.min(Math.max(arrival.declaredBytes, firstBytes), bytesPerFirstByte * firstBytes);
    this.begun.set(arrival, {bytes, sinceMs: nowMs});
    this.begunBytes += bytes;
  }

  private forget(arrival: Arrival): void {
    const begun = this.begun.get(arrival);
    if (begun === undefined) return;
    this.begun.delete(arrival);
    this.begunBytes -= begun.bytes;
  }

  private wait(arrival: Arrival, bytes: number, firstBytes: number, nowMs: number): void {
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

  /** N6 */
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
   * What cannot be taken in time is used all the same: what the log says of it then is its answer.
   * @returns false when the turn's share is over. N6
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

  /** @returns false when the turn's share is over. N6 */
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

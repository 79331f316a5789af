// Retention: the day from which on events are kept. Earlier ones have expired: no answer knows them, and their bytes follow
// (src/partition/expiry.ts).
//   RT1. What has expired follows from the log, never from a clock, so that every fold agrees. A tick raises the day towards its
//        own day less the setting: by one in a day of logical time, or by a month until it reaches what a new setting wants. So a
//        wrong clock expires a day or a month, not everything.
//   RT2. An event of an earlier day makes no row when it comes.
//   RT3. A setting begins with the day of the oldest event that is stored, or with a later one that has none, so it expires nothing by
//        itself. It brings nothing back: a chunk and a block of windows have a beginning of their own (expired-parts.ts).

import {type Actor, type FrozenPart, jsonOf, jsonPart, type Payload} from './actor.js';
import {dayMs} from './limits.js';

/** What a retain entry sets. */
export interface RetentionSetting {
  /** Days for which events are kept, the day of the tick not counted; 0: for ever. */
  readonly days: number;
  /** Epoch day from which on events are kept. RT3 */
  readonly fromDay: number;
}

export interface RetentionState extends RetentionSetting {
  /** Day of logical time in which the day was raised last. */
  readonly raisedOnDay: number;
  /** Whether the day has not reached yet what a new setting wants. */
  readonly isCatchingUp: boolean;
}

/** Days that expire in one day of logical time while a new setting is reached. RT1 */
export const catchUpDays = 30;

const dayOf = (ms: number): number => Math.floor(ms / dayMs);

export class EventRetention implements Actor<RetentionSetting> {
  readonly name = 'retention';
  days = 0;
  /** 0: nothing has expired. */
  fromDay = 0;
  private raisedOnDay = 0;
  private isCatchingUp = false;

  /** Time from which on events are kept, epoch ms. */
  get fromMs(): number {
    return this.fromDay * dayMs;
  }

  apply({days, fromDay}: RetentionSetting, logicalMs: number): void {
    this.days = days;
    this.fromDay = days === 0 ? 0 : fromDay;
    this.raisedOnDay = dayOf(logicalMs) - 1;
    this.isCatchingUp = days > 0;
  }

  /** Applies a tick with this time. Returns whether it raised the day. RT1 */
  applyTick(timeMs: number, logicalMs: number): boolean {
    if (this.days === 0) return false;
    const dueDay = dayOf(timeMs) - this.days;
    const today = dayOf(logicalMs);
    const isRaised = dueDay > this.fromDay && today > this.raisedOnDay;
    if (isRaised) {
      this.fromDay = Math.min(dueDay, this.fromDay + (this.isCatchingUp ? catchUpDays : 1));
      // What reaches the setting leaves the next midnight its day: the day of logical time may end long after it.
      this.raisedOnDay = this.isCatchingUp && this.fromDay === dueDay ? today - 1 : today;
    }
    if (dueDay <= this.fromDay) this.isCatchingUp = false;
    return isRaised;
  }

  freeze(): FrozenPart[] {
    const {days, fromDay, raisedOnDay, isCatchingUp} = this;
    return [jsonPart(this.name, {days, fromDay, raisedOnDay, isCatchingUp} satisfies RetentionState)];
  }

  restore(_name: string, _block: number, payload: Payload): void {
    const {days, fromDay, raisedOnDay, isCatchingUp} = jsonOf<RetentionState>(payload);
    this.days = days;
    this.fromDay = fromDay;
    this.raisedOnDay = raisedOnDay;
    this.isCatchingUp = isCatchingUp;
  }
}

// Logical time: the clock of a fold. Ticks of the log move it, so everything that expires does so again in every fold.
//   LT1. It advances at most one period a tick, and never goes back: a wrong clock expires nothing.
//   O4. A tick of a lower epoch than one before is filler: its owner has a successor, whose ticks close the snapshots. An owner that
//       meets a tick of a higher epoch than its own is replaced (src/partition/snapshot/ownership.ts).
import {type Actor, type FrozenPart, jsonOf, jsonPart, type Payload} from '../actor.js';
import type {EntryView} from './entry-view.js';

export interface LogicalTimeState {
  readonly logicalMs: number;
  readonly lastTickMs: number;
  readonly epoch: number;
}

type Tick = Pick<EntryView, 'timeMs' | 'periodMs' | 'epoch'>;

export class LogicalTime implements Actor<Tick> {
  readonly name = 'time';
  logicalMs = 0;
  /** Time that the newest tick carries, epoch ms. */
  lastTickMs = 0;
  /** Highest epoch of a tick. O4 */
  epoch = 0;

  /** Applies a tick. LT1 @returns false for one that is filler. O4 */
  apply({timeMs, periodMs, epoch}: Tick): boolean {
    if (epoch < this.epoch) return false;
    this.epoch = epoch;
    this.logicalMs += Math.min(Math.max(timeMs - this.lastTickMs, 0), periodMs);
    this.lastTickMs = timeMs;
    return true;
  }

  freeze(): FrozenPart[] {
    const {logicalMs, lastTickMs, epoch} = this;
    return [jsonPart(this.name, {logicalMs, lastTickMs, epoch} satisfies LogicalTimeState)];
  }

  restore(_name: string, _block: number, payload: Payload): void {
    const {logicalMs, lastTickMs, epoch} = jsonOf<LogicalTimeState>(payload);
    this.logicalMs = logicalMs;
    this.lastTickMs = lastTickMs;
    this.epoch = epoch;
  }
}

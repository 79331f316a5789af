// Logical time: the clock of a fold. Ticks of the log move it, so everything that expires does so again in every fold.
//   LT1. It advances at most one period a tick, and never goes back: a wrong clock expires nothing.
import {type Actor, type FrozenPart, jsonOf, jsonPart, type Payload} from '../actor.js';
import type {EntryView} from './entry-view.js';

export interface LogicalTimeState {
  readonly logicalMs: number;
  readonly lastTickMs: number;
}

export class LogicalTime implements Actor<Pick<EntryView, 'timeMs' | 'periodMs'>> {
  readonly name = 'time';
  logicalMs = 0;
  /** Time that the newest tick carries, epoch ms. */
  lastTickMs = 0;

  /** Applies a tick. LT1 */
  apply({timeMs, periodMs}: Pick<EntryView, 'timeMs' | 'periodMs'>): void {
    this.logicalMs += Math.min(Math.max(timeMs - this.lastTickMs, 0), periodMs);
    this.lastTickMs = timeMs;
  }

  freeze(): FrozenPart[] {
    const {logicalMs, lastTickMs} = this;
    return [jsonPart(this.name, {logicalMs, lastTickMs} satisfies LogicalTimeState)];
  }

  restore(_name: string, _block: number, payload: Payload): void {
    const {logicalMs, lastTickMs} = jsonOf<LogicalTimeState>(payload);
    this.logicalMs = logicalMs;
    this.lastTickMs = lastTickMs;
  }
}

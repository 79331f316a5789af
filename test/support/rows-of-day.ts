// Counts the rows of each UTC day: the example of an actor in CONTRIBUTING.md.
import {type Actor, type FrozenPart, jsonOf, jsonPart, type Payload} from '../../actors/actor.js';
import type {RowRun} from '../../actors/aggregator/aggregator.js';
import {dayMs} from '../../actors/limits.js';

export class RowsOfDay implements Actor<RowRun> {
  readonly name = 'rowsOfDay';
  private readonly byDay = new Map<number, number>();
  private isChanged = false;

  apply({times, start, end}: RowRun): void {
    for (const timeMs of times.subarray(start, end)) {
      const day = Math.floor(timeMs / dayMs);
      this.byDay.set(day, (this.byDay.get(day) ?? 0) + 1);
    }
    this.isChanged = true;
  }

  countOf(day: number): number {
    return this.byDay.get(day) ?? 0;
  }

  freeze(): FrozenPart[] {
    const frozen = this.isChanged ? [jsonPart(this.name, [...this.byDay])] : [];
    this.isChanged = false;
    return frozen;
  }

  restore(_name: string, _block: number, payload: Payload): void {
    for (const [day, count] of jsonOf<[number, number][]>(payload)) this.byDay.set(day, count);
  }
}

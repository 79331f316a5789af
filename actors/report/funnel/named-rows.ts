// How many events some names have in a stretch, by whole days: for what is planned, not for what is counted.

import {hoursPerDay, type WindowsView} from '../../aggregator/windows.js';
import {dayMs} from '../../limits.js';
import type {Stretch} from '../selection.js';

/** By ascending day within a block of windows; blocks come as they come. */
interface DailyRows {
  readonly days: number[];
  readonly rows: number[];
}

export class NamedRows {
  private readonly byName: ReadonlyMap<number, DailyRows>;

  /** `names`: name indexes of a partition; others are not counted. */
  constructor(names: ReadonlySet<number>) {
    this.byName = new Map([...names].map((name) => [name, {days: [], rows: []}]));
  }

  add({counts, hours, names}: Pick<WindowsView, 'counts' | 'hours' | 'names'>): void {
    for (let cell = 0; cell < counts.length; cell++) {
      const daily = this.byName.get(names[cell]);
      if (daily === undefined) continue;
      const {days, rows} = daily;
      const day = Math.floor(hours[cell] / hoursPerDay);
      if (days[days.length - 1] === day) rows[rows.length - 1] += counts[cell];
      else {
        days.push(day);
        rows.push(counts[cell]);
      }
    }
  }

  /** Of the days that the stretch touches. */
  of(name: number, {startMs, lastMs}: Stretch): number {
    const daily = this.byName.get(name);
    if (daily === undefined) return 0;
    const [firstDay, lastDay] = [Math.floor(startMs / dayMs), Math.floor(lastMs / dayMs)];
    return daily.days.reduce((sum, day, at) => (day >= firstDay && day <= lastDay ? sum + daily.rows[at] : sum), 0);
  }
}

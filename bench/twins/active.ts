// Active users: tables held, and hours as bits.

import {hourMs} from '../../actors/limits.js';
import {ActiveDaysPartial, type ActiveResult, mergeActive} from '../../actors/report/active/active-days.js';
import {type ActivePlan, planActive} from '../../actors/report/active/active-plan.js';
import {ActiveRowsPartial} from '../../actors/report/active/active-rows.js';
import {HourSetsPartial, hourSetWords} from '../../actors/report/active/hour-sets.js';
import {activeAnswer} from '../../actors/report/answers.js';
import {Buckets} from '../../actors/report/counts/buckets.js';
import {gatheredRowBytes} from '../../actors/report/rows/gathered-rows.js';
import {activeBucketsOf} from '../../src/edge/query/asked-times.js';
import {HeldDayRanges} from '../../src/report/active/held-day-ranges.js';
import {HeldLocalRanges} from '../../src/report/active/held-local-ranges.js';
import type {PartitionSnapshot} from '../../src/report/published/newest-snapshots.js';
import type {FastPaths} from '../../src/report/reading.js';
import {zoneOf} from '../../src/zone.js';
import {RemadeDayRanges, ResumedDayRanges} from '../engine/plain-parts.js';
import {wholeRange} from '../engine/questions.js';
import {dayMs} from '../workload/events.js';
import {type Ground, gatheredBytesMax} from './ground.js';
import type {Twins, Way} from './twin.js';

export class ActiveTwins {
  constructor(private readonly ground: Ground) {}

  twins(): Twins[] {
    const [held, resumed, remade] = [
      new HeldDayRanges(this.ground.derived()),
      new ResumedDayRanges(this.ground.derived()),
      new RemadeDayRanges(this.ground.derived()),
    ];
    const byDay = (number: number) =>
      ({report: 'active', metric: 'mau', interval: 'day', ...wholeRange(this.ground.workload, number & 7)}) as const;
    const inRanges = (dayRanges: HeldDayRanges): Way => {
      return (number) => this.ground.evaluate(byDay(number), this.ground.cache, {dayRanges});
    };
    const localRanges = new HeldLocalRanges(this.ground.derived());
    const byLocalDay =
      (paths: FastPaths): Way =>
      (number) =>
        this.ground.evaluate(this.byLocalDay(number), this.ground.cache, paths);
    return [
      {
        quick: 'monthly users by day: table held',
        plain: 'monthly users by day: sets of days',
        ways: [inRanges(held), this.bySets],
        asks: 5,
      },
      {
        quick: 'table of users by days: the last one extended',
        plain: 'table of users by days: computed again',
        // One question: another range would have no table to go on from.
        ways: [() => inRanges(resumed)(0), () => inRanges(remade)(0)],
        asks: 5,
      },
      {
        quick: 'monthly users by day of a zone: table held',
        plain: 'monthly users by day of a zone: rows gathered',
        ways: [byLocalDay({localRanges}), byLocalDay({})],
        asks: 5,
      },
      {
        quick: 'weekly users by hour: a bit each',
        plain: 'weekly users by hour: pairs gathered',
        ways: [this.byHours('bits'), this.byHours('pairs')],
        asks: 1,
      },
    ];
  }

  private byLocalDay(number: number) {
    const {fromMs, toMs} = wholeRange(this.ground.workload, number & 7);
    const asked = {
      from: {timeMs: fromMs, is: 'a date'},
      to: {timeMs: Math.floor(toMs / dayMs) * dayMs, is: 'a date'},
      interval: 'day',
      week_start: 'monday',
      timezone: zoneOf('America/New_York'),
    } as const;
    return {report: 'active', metric: 'mau', ...activeBucketsOf(asked, 30, {reportZone: undefined})} as const;
  }

  private readonly bySets: Way = async (number) => {
    const range = wholeRange(this.ground.workload, number & 7);
    const buckets = new Buckets(range.fromMs, range.toMs, 'day');
    const plan = planActive(buckets, 'mau');
    const results: ActiveResult[] = [];
    for (const {index} of this.ground.snapshots) {
      const partial = new ActiveDaysPartial(index, plan);
      for (const {firstDay, lastDay, blocks} of partial.segments(index)) {
        const views = await Promise.all(blocks.map(({part}) => this.ground.cache.loadWindows(part)));
        for (let day = firstDay; day <= lastDay; day++) partial.addDay(day, views);
      }
      results.push(partial.finish());
    }
    return activeAnswer('mau', buckets, mergeActive(buckets.count, results));
  };

  /** Of two weeks in the middle. */
  private byHours(form: 'bits' | 'pairs'): Way {
    const {startMs, dayCount} = this.ground.workload;
    return async (number) => {
      const fromMs = startMs + (dayCount >> 1) * dayMs + (number & 7) * hourMs;
      const toMs = fromMs + 14 * dayMs - 1;
      const buckets = new Buckets(fromMs, toMs, 'hour');
      const plan = planActive(buckets, 'wau');
      const results: ActiveResult[] = [];
      for (const snapshot of this.ground.snapshots) results.push(await this.activeHours(form, plan, toMs, snapshot));
      return activeAnswer('wau', buckets, mergeActive(buckets.count, results));
    };
  }

  private async activeHours(form: 'bits' | 'pairs', plan: ActivePlan, toMs: number, {index}: PartitionSnapshot) {
    const words = hourSetWords(index, plan, toMs, gatheredBytesMax) ?? Math.ceil(index.users.count / 32);
    const partial =
      form === 'bits'
        ? new HourSetsPartial(index, plan, toMs, words)
        : new ActiveRowsPartial(index, plan, toMs, Math.floor(gatheredBytesMax / gatheredRowBytes));
    do {
      for (const {rows} of partial.chunks(index)) partial.addRows(await this.ground.cache.rows.load({rows}));
    } while (ended(partial.endPass()));
    return partial.result();
  }
}

/** In one go: nobody else wants the thread. */
function ended(pass: Generator<void, boolean, void>): boolean {
  for (;;) {
    const step = pass.next();
    if (step.done) return step.value;
  }
}

// What users do over time: from day sets, and from sets of users that earlier answers left behind.

import {bucketNext, bucketStart} from '../../actors/calendar.js';
import type {Selector} from '../../actors/report/rows/row-choice.js';
import {HeldBuckets} from '../../src/report/derived/held-buckets.js';
import type {FastPaths} from '../../src/report/reading.js';
import {wholeRange} from '../engine/questions.js';
import {dayMs} from '../workload/events.js';
import type {Ground} from './ground.js';
import type {Twins, Way} from './twin.js';

const weeks = 12;

export class EngagementTwins {
  constructor(private readonly ground: Ground) {}

  async twins(): Promise<Twins[]> {
    const paths = {sets: new HeldBuckets(this.ground.derived(), this.ground.snapshots.length)};
    const anything = {};
    const views = {event: 'page_viewed'};
    for (let number = 0; number < 2; number++) {
      await this.lifecycle(anything, {daySets: true})(number); // T1
      await this.lifecycle(views, paths)(number);
      await this.retention(paths)(number);
    }
    return [
      {
        quick: 'lifecycle by day: day sets',
        plain: 'lifecycle by day: rows scanned',
        ways: [this.lifecycle(anything, {daySets: true}), this.lifecycle(anything, {})],
        asks: 3,
      },
      {
        quick: 'lifecycle of an event by day: sets held',
        plain: 'lifecycle of an event by day: rows scanned',
        ways: [this.lifecycle(views, paths), this.lifecycle(views, {})],
        asks: 3,
      },
      {
        quick: 'retention by week: sets held',
        plain: 'retention by week: rows scanned',
        ways: [this.retention(paths), this.retention({})],
        asks: 3,
      },
    ];
  }

  private lifecycle(did: Selector, paths: FastPaths): Way {
    return (number) => {
      const range = wholeRange(this.ground.workload, number);
      const asked = {interval: 'day', did, ...range, beforeMs: range.fromMs - dayMs} as const;
      return this.ground.evaluate({report: 'lifecycle', ...asked}, this.ground.cache, paths);
    };
  }

  private retention(paths: FastPaths): Way {
    return (number) => {
      const range = wholeRange(this.ground.workload, number);
      let endMs = bucketNext(bucketStart(range.toMs, 'week'), 'week');
      const laterEnds = Array.from({length: weeks - 1}, () => (endMs = bucketNext(endMs, 'week')));
      const rules = {cohort: 'first', criteria: 'on', frame: 'calendar', periods: weeks} as const;
      const events = {start: {event: 'signed_up'}, return: {}};
      const query = {report: 'retention', interval: 'week', ...range, ...rules, ...events, laterEnds} as const;
      return this.ground.evaluate(query, this.ground.cache, paths);
    };
  }
}

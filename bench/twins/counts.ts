// Counts of events: what is derived of parts, and parts that are at hand.

import type {PartsCache} from '../../src/parts/parts-cache.js';
import {ChosenNumbers} from '../../src/report/derived/chosen-numbers.js';
import {ValueIndex} from '../../src/report/derived/value-index.js';
import type {FastPaths} from '../../src/report/reading.js';
import {PlainRowFinder} from '../../test/twins/row-finder.js';
import {AwaitedParts} from '../engine/plain-parts.js';
import {wholeRange} from '../engine/questions.js';
import {cacheBytesMax, type Ground} from './ground.js';
import type {Twins, Way} from './twin.js';

export class CountTwins {
  constructor(private readonly ground: Ground) {}

  async twins(): Promise<Twins[]> {
    const awaited = new AwaitedParts(this.ground.link.values, cacheBytesMax);
    const values = new ValueIndex(this.ground.cache, this.ground.derived(), this.ground.snapshots.length);
    const filters = [
      ['page_viewed', 'path', '/docs/api'],
      ['button_clicked', 'device', 'tablet'],
    ] as const;
    const filtered = (paths: FastPaths): Way => {
      return (number) => {
        const [event, property, value] = filters[number % filters.length]!;
        const range = wholeRange(this.ground.workload, number);
        const where = [{property, op: 'eq', values: [value]}] as const;
        const query = {report: 'counts', events: [event], interval: 'day', where, ...range} as const;
        return this.ground.evaluate(query, this.ground.cache, paths);
      };
    };
    const named = (parts: PartsCache): Way => {
      return (number) => {
        const range = wholeRange(this.ground.workload, number);
        const query = {report: 'counts', events: ['purchase_completed'], interval: 'day', ...range} as const;
        return this.ground.evaluate(query, parts);
      };
    };
    const brokenDown = (paths: FastPaths): Way => {
      return (number) => {
        const [event, name] = filters[number % filters.length]!;
        const range = wholeRange(this.ground.workload, number);
        const query = {
          report: 'counts',
          events: [event],
          interval: 'day',
          ...range,
          breakdown: [{by: 'property', name, limit: 25}],
        } as const;
        return this.ground.evaluate(query, this.ground.cache, paths);
      };
    };
    const conditioned = (paths: FastPaths): Way => {
      return (number) => {
        const [event, property, value] = filters[1];
        const range = wholeRange(this.ground.workload, number);
        const where = [
          {property, op: 'eq', values: [value]},
          {property: 'plan', op: 'ne', values: ['free']},
        ] as const;
        const query = {report: 'counts', events: [event], interval: 'day', ...range, where} as const;
        return this.ground.evaluate(query, this.ground.cache, paths);
      };
    };
    const numbers = new ChosenNumbers(this.ground.derived(), this.ground.snapshots.length);
    const summed = (paths: FastPaths): Way => {
      return (number) => {
        const range = wholeRange(this.ground.workload, number);
        const query = {
          report: 'counts',
          events: ['button_clicked'],
          interval: 'day',
          ...range,
        } as const;
        const ofDurations = {measure: 'sum', property: 'duration_ms'} as const;
        return this.ground.evaluate({...query, ...ofDurations}, this.ground.cache, paths);
      };
    };
    for (let number = 0; number < 2; number++) {
      await conditioned({numbers})(number);
      await summed({numbers})(number);
    }
    for (let number = 0; number < 2 * filters.length; number++) {
      await filtered({values})(number);
      await values.settled();
    }
    const {cache} = this.ground;
    for (let number = 0; number < 4; number++) {
      await named(cache)(number);
      await named(awaited)(number);
    }
    return [
      {
        quick: 'filtered count: cells of values',
        plain: 'filtered count: chunks scanned',
        ways: [filtered({values}), filtered({})],
        asks: 4,
      },
      {
        quick: 'breakdown: cells of values',
        plain: 'breakdown: chunks scanned',
        ways: [brokenDown({values}), brokenDown({})],
        asks: 4,
      },
      {
        quick: 'chunks scanned: rows found by the kernel',
        plain: 'chunks scanned: rows found by the plain twin',
        ways: [filtered({}), filtered({finder: new PlainRowFinder()})],
        asks: 4,
      },
      {
        quick: 'count with two conditions: times of chosen events',
        plain: 'count with two conditions: chunks scanned',
        ways: [conditioned({numbers}), conditioned({})],
        asks: 4,
      },
      {
        quick: 'sum of a number by day: numbers of chosen events',
        plain: 'sum of a number by day: columns read',
        ways: [summed({numbers}), summed({})],
        asks: 4,
      },
      {
        quick: 'cached parts: folded without a promise',
        plain: 'cached parts: awaited one by one',
        ways: [named(cache), named(awaited)],
        asks: 9,
      },
    ];
  }
}

// Counts of events: what is derived of parts, and parts that are at hand.

import type {PartsCache} from '../../src/parts/parts-cache.js';
import {newRowFinder} from '../../src/report/counts/filter-kernel.js';
import {ValueIndex} from '../../src/report/counts/value-index.js';
import {AwaitedParts, UnderivedParts} from '../engine/plain-parts.js';
import {wholeRange} from '../engine/questions.js';
import {cacheBytesMax, type FastPaths, type Ground} from './ground.js';
import type {Twins, Way} from './twin.js';

export class CountTwins {
  constructor(private readonly ground: Ground) {}

  async twins(): Promise<Twins[]> {
    const underived = new UnderivedParts(this.ground.link.values, cacheBytesMax);
    const awaited = new AwaitedParts(this.ground.link.values, cacheBytesMax);
    const values = new ValueIndex(this.ground.cache, this.ground.logger, this.ground.snapshots.length);
    const filters = [
      ['page_viewed', 'path', '/docs/api'],
      ['button_clicked', 'device', 'tablet'],
    ] as const;
    const filtered = (paths: FastPaths): Way => {
      return (number) => {
        const [event, property, value] = filters[number % filters.length]!;
        const range = wholeRange(this.ground.workload, number);
        const filter = {property, value};
        const query = {report: 'events', event, interval: 'day', filter, ...range} as const;
        return this.ground.evaluate(query, this.ground.cache, paths);
      };
    };
    const named = (parts: PartsCache): Way => {
      return (number) => {
        const range = wholeRange(this.ground.workload, number);
        return this.ground.evaluate({report: 'events', event: 'purchase_completed', interval: 'day', ...range}, parts);
      };
    };
    for (let number = 0; number < 2 * filters.length; number++) {
      await filtered({values})(number);
      await values.settled();
    }
    for (const parts of [this.ground.cache, underived, awaited])
      for (let number = 0; number < 4; number++) await named(parts)(number);
    const finder = newRowFinder();
    return [
      {
        quick: 'filtered count: cells of values',
        plain: 'filtered count: chunks scanned',
        ways: [filtered({values}), filtered({finder})],
        asks: 4,
      },
      {
        quick: 'chunks scanned: rows found by the kernel',
        plain: 'chunks scanned: rows found by the plain twin',
        ways: [filtered({finder}), filtered({})],
        asks: 4,
      },
      {
        quick: 'count of a name: its cells alone',
        plain: 'count of a name: all cells',
        ways: [named(this.ground.cache), named(underived)],
        asks: 9,
      },
      {
        quick: 'parts at hand: folded at once',
        plain: 'parts at hand: each waited for',
        ways: [named(this.ground.cache), named(awaited)],
        asks: 9,
      },
    ];
  }
}

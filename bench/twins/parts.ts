// Parts of a store that is a way off, and rows in a memory that does not hold all of them whole.

import {setTimeout as pause} from 'node:timers/promises';
import {AskedColumns} from '../../src/parts/asked-columns.js';
import {loadAhead} from '../../src/parts/load-ahead.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import type {PartValues} from '../../src/parts/stored-parts.js';
import {loadsAheadMax} from '../../src/report/evaluate.js';
import {wholeRange} from '../engine/questions.js';
import {cacheMibDefault} from '../engine/store.js';
import {cacheBytesMax, type Ground} from './ground.js';
import type {Twins, Way} from './twin.js';

/** There and back. */
const wayMs = 1;

export class PartTwins {
  constructor(private readonly ground: Ground) {}

  async twins(): Promise<Twins[]> {
    return [this.away(), await this.withoutValues()];
  }

  /** Every chunk out of a nats-server on another machine: beside this one the way is shorter than what it does for a value. */
  private away(): Twins {
    const chunks = this.ground.snapshots.flatMap(({index}) => index.chunks);
    const away: PartValues = {
      read: async (revision) => {
        await pause(wayMs);
        return this.ground.link.values.read(revision);
      },
    };
    const loading = (aheadMax: number): Way => {
      return async () => {
        const cold = new PartsCache(away, cacheBytesMax);
        let rows = 0;
        for await (const [, view] of loadAhead(chunks, (chunk) => cold.loadRows(chunk.rows), aheadMax))
          rows += view.count;
        return String(rows);
      };
    };
    return {
      quick: 'chunks of a store 1 ms away: some ahead',
      plain: 'chunks of a store 1 ms away: one by one',
      ways: [loading(loadsAheadMax), loading(1)],
      asks: 1,
    };
  }

  /** What a service keeps with its default memory, asked for what no index answers yet. */
  private async withoutValues(): Promise<Twins> {
    const bytesMax = Math.floor((cacheMibDefault * 2 ** 19 * 54) / 64);
    const {values} = this.ground.link;
    const counting = (parts: PartsCache): Way => {
      return (number) => {
        const filter = {property: 'device', value: 'tablet'};
        const range = wholeRange(this.ground.workload, number);
        return this.ground.evaluate(
          {report: 'events', event: 'button_clicked', interval: 'day', filter, ...range},
          parts,
        );
      };
    };
    const caches = [new PartsCache(values, bytesMax, new AskedColumns()), new PartsCache(values, bytesMax)] as const;
    const ways = [counting(caches[0]), counting(caches[1])] as const;
    for (let number = 0; number < 3; number++) for (const way of ways) await way(number);
    return {
      quick: 'rows in the default memory: without unasked values',
      plain: 'rows in the default memory: whole',
      ways,
      asks: 4,
    };
  }
}

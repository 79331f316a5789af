// Parts of a store that is a way off, and rows in a memory that does not hold all of them whole.

import {setTimeout as pause} from 'node:timers/promises';
import {AskedColumns} from '../../src/parts/asked-columns.js';
import {loadAhead} from '../../src/parts/load-ahead.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import type {PartValues} from '../../src/parts/stored-parts.js';
import {loadsAheadMax} from '../../src/report/evaluate.js';
import {wholeRange} from '../engine/questions.js';
import {cacheBytesMax, type Ground} from './ground.js';
import type {Twins, Way} from './twin.js';

/** There and back. */
const wayMs = 1;
/** Values that nobody asks for are a third of the rows. */
const memoryShare = 7 / 8;

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

  /** Asked for what no index answers yet, in somewhat less memory than all rows take. */
  private async withoutValues(): Promise<Twins> {
    const {values} = this.ground.link;
    const chunks = this.ground.snapshots.flatMap(({index}) => index.chunks);
    const bytesMax = Math.floor(chunks.reduce((sum, {rows}) => sum + rows.bytes, 0) * memoryShare);
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
      quick: 'rows in 7/8 of their memory: without unasked values',
      plain: 'rows in 7/8 of their memory: whole',
      ways,
      asks: 4,
    };
  }
}

// Parts of a store that is a way off.

import {setTimeout as pause} from 'node:timers/promises';
import {loadAhead} from '../../src/parts/load-ahead.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import type {PartValues} from '../../src/parts/stored-parts.js';
import {loadsAheadMax} from '../../src/report/part-scan.js';
import {cacheBytesMax, type Ground} from './ground.js';
import type {Twins, Way} from './twin.js';

/** There and back. */
const wayMs = 1;

export class PartTwins {
  constructor(private readonly ground: Ground) {}

  twins(): Twins[] {
    return [this.away()];
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
        for await (const [, view] of loadAhead(chunks, (chunk) => cold.rows.load(chunk), aheadMax)) rows += view.count;
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
}

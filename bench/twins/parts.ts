// Parts of a store that is a way off, and of one that is larger than the cache.

import {setTimeout as pause} from 'node:timers/promises';
import {loadAhead} from '../../src/parts/load-ahead.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import type {PartValues} from '../../src/parts/stored-parts.js';
import {Evaluation} from '../../src/report/evaluate.js';
import {loadsAheadMax} from '../../src/report/part-scan.js';
import {wholeRange} from '../engine/questions.js';
import {funnelSteps} from '../workload/expected.js';
import {cacheBytesMax, type Ground} from './ground.js';
import type {Twins, Way} from './twin.js';

/** There and back. */
const wayMs = 1;

export class PartTwins {
  constructor(private readonly ground: Ground) {}

  twins(): Twins[] {
    return [this.away(), this.beyond()];
  }

  /** A funnel without postings, whose rows do not fit the cache, from cached rows of its names and from all rows. */
  private beyond(): Twins {
    const {link, workload, snapshots, lists} = this.ground;
    const rowsBytes = snapshots.flatMap(({index}) => index.chunks).reduce((sum, {rows}) => sum + rows.bytes, 0);
    const bytesMax = Math.ceil(rowsBytes / 2);
    const newCache = (): PartsCache => new PartsCache(link.values, bytesMax);
    const over = (number: number, cache: PartsCache): Promise<string> =>
      new Evaluation(cache, Math.floor(bytesMax / 8), {lists}).answer(
        {report: 'funnel', steps: funnelSteps.map((event) => ({event})), ...wholeRange(workload, number)},
        snapshots,
      );
    const used = newCache();
    return {
      quick: 'funnel of 3 over more than the cache holds: rows of its names cached',
      plain: 'funnel of 3 over more than the cache holds: rows read',
      ways: [(number) => over(number, used), (number) => over(number, newCache())],
      asks: 1,
    };
  }

  /** Every chunk out of a nats-server on another machine: beside this one the way is shorter than what it does for a value. */
  private away(): Twins {
    const chunks = this.ground.snapshots.flatMap(({index}) => index.chunks);
    const away: PartValues = {
      read: async (revision, key) => {
        await pause(wayMs);
        return this.ground.link.values.read(revision, key);
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

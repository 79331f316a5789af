// Parts as reports would have them without what is there for speed alone: the twins of the bench of that name.

import type {DayRanges} from '../../actors/report/active/day-ranges.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {HeldDayRanges} from '../../src/report/active/held-day-ranges.js';

/** What is cached is waited for like what is not. */
export class AwaitedParts extends PartsCache {
  override heldView(): undefined {}
}

/** Tables of the newest snapshot are made with every question: out of the last one, as after a snapshot of new days. */
export class ResumedDayRanges extends HeldDayRanges {
  override find(): undefined {}
}

/** Likewise, out of nothing. */
export class RemadeDayRanges extends ResumedDayRanges {
  override resumable(): DayRanges | undefined {
    return undefined;
  }
}

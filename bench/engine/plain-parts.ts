// Parts without the fast paths of reports: for the bench `twins`.

import type {DayRanges} from '../../actors/report/active/day-ranges.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {HeldDayRanges} from '../../src/report/active/held-day-ranges.js';

/** Waits for cached parts, too. */
export class AwaitedParts extends PartsCache {
  override heldView(): undefined {}
}

/** Makes the table of the newest snapshot for every question: resumed from the last one, as after a snapshot of new days. */
export class ResumedDayRanges extends HeldDayRanges {
  override find(): undefined {}
}

/** Makes the table for every question from nothing. */
export class RemadeDayRanges extends ResumedDayRanges {
  override resumable(): DayRanges | undefined {
    return undefined;
  }
}

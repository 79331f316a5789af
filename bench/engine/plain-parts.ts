// Parts as reports would have them without what is there for speed alone: the twins of the bench of that name.

import type {PartRef} from '../../actors/manifest.js';
import type {DayRanges} from '../../actors/report/active/day-ranges.js';
import {PartsCache, type ScannedWindows} from '../../src/parts/parts-cache.js';
import {HeldDayRanges} from '../../src/report/active/held-day-ranges.js';

/** Nothing is derived of windows. */
export class UnderivedParts extends PartsCache {
  override async scanWindows(ref: PartRef): Promise<ScannedWindows> {
    return {windows: await this.loadWindows(ref), cells: undefined};
  }

  override scanHeldWindows(ref: PartRef): ScannedWindows | undefined {
    const held = super.scanHeldWindows(ref);
    return held && {windows: held.windows, cells: undefined};
  }
}

/** What is at hand is waited for like what is not. */
export class AwaitedParts extends PartsCache {
  override heldRows(): undefined {}

  override scanHeldWindows(): undefined {}
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

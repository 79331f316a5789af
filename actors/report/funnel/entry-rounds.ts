// How deep each user of a block went into a funnel with a conversion window: the rules of funnel-walk.ts (FW1 to FW3), for all
// users of the block at once.
//   In a round each user walks from one entry, as without a window. A user whose next step came too late tries a later entry in
//   the next round. At the end each user that got beyond the entry walks from its best one again, to be counted.
//   ER1. An entry reaches no step earlier than the entries before it do (funnel-walk.ts FW3). So where the next step came too
//       late, at t, only an entry from t minus the window on gets further: the search skips those in between.
//   ER2. Where there is no next step at all, no later entry gets further.
//   ER3. Of equally deep walks the first one counts: entries are tried in their order.
//   ER4. Rounds end: times are whole ms, so the next entry comes after the one before.
import type {EntryProgress, FunnelProgress} from './funnel-progress.js';
import type {NumberList} from './median.js';

interface RoundsOptions {
  readonly stepCount: number;
  /** Whole ms (ER4), inclusive. */
  readonly windowMs: number;
  /** Keys from here on are outside the funnel. */
  readonly endKey: number;
  /** Writes to `found` the event of the step that each of the first `count` users has next. */
  readonly seek: (step: number, count: number) => void;
}

export class EntryRounds {
  private readonly progress: FunnelProgress;
  private readonly entries: EntryProgress;
  private readonly options: RoundsOptions;

  constructor(progress: FunnelProgress, options: RoundsOptions) {
    this.progress = progress;
    this.entries = progress.entryProgress();
    this.options = options;
  }

  /** Counts the first `entered` users of the block, whose keys are their first entries: the steps they reached, and after what time. */
  count(entered: number, reached: Float64Array, durations: readonly NumberList[]): void {
    this.entries.begin(entered);
    for (let walking = entered; walking > 0; walking = this.takeLaterEntries(walking)) this.walk(walking);
    reached[0] += entered;
    const {stepCount, seek} = this.options;
    let left = this.entries.beginDeepest(entered);
    for (let step = 1; step < stepCount && left > 0; step++) {
      seek(step, left);
      reached[step] += left;
      const deeper = this.entries.takeDeepest(left, step);
      durations[step].pushAll(this.progress.gaps, left);
      left = deeper;
    }
  }

  private walk(walking: number): void {
    const {stepCount, windowMs, endKey, seek} = this.options;
    for (let step = 1, left = walking; step < stepCount && left > 0; step++) {
      seek(step, left);
      left = this.entries.keepWithin(left, step, windowMs, endKey);
    }
  }

  /** Returns how many users have another entry. */
  private takeLaterEntries(walked: number): number {
    const {stepCount, windowMs, endKey, seek} = this.options;
    const left = this.entries.seekLater(walked, stepCount, windowMs);
    if (left === 0) return 0;
    seek(0, left);
    return this.entries.takeLater(left, endKey);
  }
}

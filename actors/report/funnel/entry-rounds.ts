// Depth of each user of a block in a funnel with a conversion window: the rules of path-search.ts (PS1, PS3) and
// sequential-search.ts (SQ1) for all users of the block at once.
//   In a round each user walks from one entry, as without a window. A user whose next step came too late tries a later entry in
//   the next round. Finally each user who passed the entry walks again from its best one, to be counted.
//   ER1. A later entry reaches no step earlier (SQ2). So if the next step came too late, at t, only an entry at or
//        after t minus the window gets further: the search skips the others.
//   ER2. Without any next step no later entry gets further.
//   ER3. Entries are tried in order; among equally deep walks the first one counts.
//   ER4. Rounds end: times are whole ms, so the next entry comes after the one before.
import type {EntryProgress, FunnelProgress} from './funnel-progress.js';
import type {NumberList} from './median.js';

interface RoundsOptions {
  readonly stepCount: number;
  /** Whole ms (ER4), inclusive. */
  readonly windowMs: number;
  /** Keys from this one on are outside the funnel. */
  readonly endKey: number;
  /** Writes to `found` the next event of the step for each of the first `count` users. */
  readonly seek: (step: number, count: number) => void;
  /** Called with each step from the second, when the first `count` users are those who reached it. */
  readonly noteStep: (step: number, count: number) => void;
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

  /**
   * Counts the first `entered` users of the block, who are at their first entries: steps reached, and the time that each took.
   */
  count(entered: number, reached: Float64Array, durations: readonly NumberList[]): void {
    this.entries.begin(entered);
    for (let walking = entered; walking > 0; walking = this.takeLaterEntries(walking)) this.walk(walking);
    reached[0] += entered;
    const {stepCount, seek, noteStep} = this.options;
    let left = this.entries.beginDeepest(entered);
    for (let step = 1; step < stepCount && left > 0; step++) {
      seek(step, left);
      reached[step] += left;
      noteStep(step, left);
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

  /** Moves users to a later entry; returns the number of users with one. */
  private takeLaterEntries(walked: number): number {
    const {stepCount, windowMs, endKey, seek} = this.options;
    const left = this.entries.seekLater(walked, stepCount, windowMs);
    if (left === 0) return 0;
    seek(0, left);
    return this.entries.takeLater(left, endKey);
  }
}

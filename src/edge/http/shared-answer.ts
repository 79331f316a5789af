// One answer for all requests within a moment: frequent requests cannot make an expensive open route cost much.
import {SharedRun} from '../../pacing/shared-run.js';
import {neverStops} from '../../pacing/stop.js';

export class SharedAnswer<Value> {
  private newest: {readonly run: SharedRun<Value>; readonly endMs: () => number} | undefined;

  /**
   * `keptMs` counts from the time the answer is made. After a rejection the next request calls `make` again. `stop` is aborted once
   * all who wait for the answer have gone.
   */
  constructor(
    private readonly keptMs: number,
    private readonly monotonicMs: () => number,
    private readonly make: (stop: AbortSignal) => Promise<Value>,
  ) {}

  get(gone: AbortSignal = neverStops): Promise<Value> {
    const {newest} = this;
    const isGood = newest !== undefined && !newest.run.isStopped && this.monotonicMs() <= newest.endMs();
    this.newest = isGood ? newest : this.start();
    return this.newest.run.join(gone);
  }

  private start(): NonNullable<SharedAnswer<Value>['newest']> {
    let endMs = Number.POSITIVE_INFINITY;
    const run = new SharedRun(async (stop) => {
      try {
        const made = await this.make(stop);
        endMs = this.monotonicMs() + this.keptMs;
        return made;
      } catch (error) {
        endMs = Number.NEGATIVE_INFINITY;
        throw error;
      }
    });
    return {run, endMs: () => endMs};
  }
}

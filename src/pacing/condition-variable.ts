// A condition variable with deadlines: callers wait until something is so, each for a time of its own.
//   CO1. `notify` tries callers in the order in which they came. One whose condition takes what it waited for leaves less for
//        those after it.

export class ConditionVariable {
  /** Each tries its condition again. */
  private readonly callers = new Set<() => void>();

  get waiting(): number {
    return this.callers.size;
  }

  /** Whether `isMet`, which is tried at once and at every `notify`, became true within `waitMs`; Infinity: no deadline. */
  until(isMet: () => boolean, waitMs: number): Promise<boolean> {
    if (isMet()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (met: boolean): void => {
        clearTimeout(timer);
        this.callers.delete(tryAgain);
        resolve(met);
      };
      const tryAgain = (): void => {
        if (isMet()) end(true);
      };
      const timer = waitMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(end, waitMs, false);
      this.callers.add(tryAgain);
    });
  }

  /** To be called when a condition may have become true. CO1 */
  notify(): void {
    if (this.callers.size === 0) return;
    for (const tryAgain of this.callers) tryAgain();
  }
}

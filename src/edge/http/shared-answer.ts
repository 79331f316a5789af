// One answer for all requests within a moment: frequent requests cannot make an expensive open route cost much.

export class SharedAnswer<Value> {
  private newest: {readonly value: Promise<Value>; readonly endMs: () => number} | undefined;

  /** `keptMs` counts from the time the answer is made. After a rejection the next request calls `make` again. */
  constructor(
    private readonly keptMs: number,
    private readonly monotonicMs: () => number,
    private readonly make: () => Promise<Value>,
  ) {}

  get(): Promise<Value> {
    if (this.newest === undefined || this.monotonicMs() > this.newest.endMs()) this.newest = this.start();
    return this.newest.value;
  }

  private start(): NonNullable<SharedAnswer<Value>['newest']> {
    let endMs = Number.POSITIVE_INFINITY;
    const value = this.make().then(
      (made) => {
        endMs = this.monotonicMs() + this.keptMs;
        return made;
      },
      (error: unknown) => {
        endMs = Number.NEGATIVE_INFINITY;
        throw error;
      },
    );
    return {value, endMs: () => endMs};
  }
}

// What is dear to make and open to everybody: who asks together, or within a moment, gets one. So nobody can make an open
// route expensive.

export class SharedAnswer<Value> {
  private newest: {readonly value: Promise<Value>; readonly endMs: () => number} | undefined;

  /** `keptMs` counts from when it is made. `make` that rejects is asked again at once. */
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

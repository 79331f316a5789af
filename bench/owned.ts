// Everything that this benchmark started: it ends with the benchmark, however that ends.

export class Owned {
  readonly #stops: (() => void | Promise<void>)[] = [];

  add<T extends {stop(): void | Promise<void>}>(thing: T): T {
    this.#stops.push(() => thing.stop());
    return thing;
  }

  /** Stops everything, the last started first. */
  async stopAll(): Promise<void> {
    for (let stop = this.#stops.pop(); stop !== undefined; stop = this.#stops.pop()) await stop();
  }
}

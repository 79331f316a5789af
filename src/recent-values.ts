// Values by keys of which the recent ones are known: when there are too many, the older half makes room.

export class RecentValues<Key, Value> {
  private readonly max: number;
  private newer = new Map<Key, Value>();
  private older: ReadonlyMap<Key, Value> = new Map();

  constructor(max: number) {
    this.max = max;
  }

  get(key: Key): Value | undefined {
    return this.newer.get(key) ?? this.older.get(key);
  }

  set(key: Key, value: Value): void {
    this.newer.set(key, value);
    if (this.newer.size < this.max / 2) return;
    this.older = this.newer;
    this.newer = new Map();
  }
}

// Lifecycle: each bucket's users by whether they are new, returning or resurrecting, and the users of the bucket before who are
// absent.
//   LC1. new: the user's first event ever is in the bucket. returning: the user was in the bucket before, too. resurrecting:
//        neither of these. dormant: the user was in the bucket before, and is not in this one.
//   LC2. So new + returning + resurrecting are a bucket's users, and dormant is the bucket before minus returning.

/** Number of users of each bucket, by kind. */
export class LifecycleCells {
  readonly new: Float64Array;
  readonly returning: Float64Array;
  readonly resurrecting: Float64Array;
  readonly dormant: Float64Array;
  private readonly count: number;

  constructor(count: number) {
    this.count = count;
    this.new = new Float64Array(count);
    this.returning = new Float64Array(count);
    this.resurrecting = new Float64Array(count);
    this.dormant = new Float64Array(count);
  }

  /**
   * The places of one user's events, ascending: the first `count` elements. Place p is bucket p - 1, place 0 the bucket before
   * the first. `isKnown`: the user had events before that.
   */
  addUser(places: Uint32Array, count: number, isKnown: boolean): void {
    let before = -1;
    for (let at = 0; at < count; at++) {
      const place = places[at];
      if (place > 0) this.cellsOf(place, before, isKnown)[place - 1] += 1;
      if (before >= 0 && before + 1 < place) this.dormant[before] += 1;
      before = place;
    }
    if (before < this.count) this.dormant[before] += 1;
  }

  /** The kind that a place belongs to. LC1 */
  private cellsOf(place: number, before: number, isKnown: boolean): Float64Array {
    if (before < 0 && !isKnown) return this.new;
    return before >= 0 && before === place - 1 ? this.returning : this.resurrecting;
  }
}

/** `"data":[…]` of all buckets. */
export function lifecycleFields(cells: LifecycleCells, labels: readonly string[]): string {
  const data = labels.map((label, bucket) => {
    const [fresh, returning] = [cells.new[bucket], cells.returning[bucket]];
    const [resurrecting, dormant] = [cells.resurrecting[bucket], cells.dormant[bucket]];
    return `{"date":"${label}","new":${fresh},"returning":${returning},"resurrecting":${resurrecting},"dormant":${dormant}}`;
  });
  return `"data":[${data.join()}]`;
}

// Depth of one user in a funnel, and the time of each step (docs/api/reports/funnel.md).
//   FW1. From one entry the walk is greedy: each step takes the earliest event after the step before. No other choice gets
//        deeper or ends earlier.
//   FW2. With a conversion window any entry may convert: the deepest walk counts, among equally deep ones the earliest.
//   FW3. A later entry reaches no step earlier. So the position of each step only moves forward, and all entries together cost
//        (entries + events) * steps, not entries * events.

export class FunnelWalk {
  /** Times of the reached steps; valid up to the depth that `walk` returned. */
  readonly times: Float64Array;
  private readonly stepKinds: Uint8Array;
  private readonly windowMs: number;
  /** Position of each step in the current entry's walk, or a lower bound of it. FW3 */
  private readonly places: Int32Array;

  /** `stepKinds`: the kind of event of each step. `windowMs` is inclusive; infinite without a window. */
  constructor(stepKinds: Uint8Array, windowMs: number) {
    this.stepKinds = stepKinds;
    this.windowMs = windowMs;
    this.times = new Float64Array(stepKinds.length);
    this.places = new Int32Array(stepKinds.length);
  }

  /** Number of steps that the events [start, end) reach; they must be in order. */
  walk(times: Float64Array, kinds: Uint8Array, start: number, end: number): number {
    const {places, stepKinds, windowMs} = this;
    places.fill(start);
    let depthMax = stepKinds.length;
    let deepest = 0;
    for (let entry = nextOf(kinds, stepKinds[0], start, end); entry < end; ) {
      const lastMs = times[entry] + windowMs;
      places[0] = entry;
      let depth = 1;
      while (depth < depthMax) {
        const place = nextOf(kinds, stepKinds[depth], Math.max(places[depth], places[depth - 1] + 1), end);
        places[depth] = place;
        if (place === end)
          depthMax = depth; // FW3: no later entry gets past this step either.
        else if (times[place] > lastMs) break;
        else depth += 1;
      }
      if (depth > deepest) {
        deepest = depth;
        for (let step = 0; step < depth; step++) this.times[step] = times[places[step]];
      }
      if (deepest >= depthMax) break;
      entry = nextOf(kinds, stepKinds[0], entry + 1, end);
    }
    return deepest;
  }
}

function nextOf(kinds: Uint8Array, kind: number, from: number, end: number): number {
  let at = from;
  while (at < end && kinds[at] !== kind) at += 1;
  return Math.min(at, end);
}

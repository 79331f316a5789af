// Sorts one user's gathered rows by time; rows of equal time stay in the order of the log.
//   Chunks are gathered in log order, each in time order, so the rows are a few ascending runs, which are merged two by two.
//   Ordered rows cost one comparison each; history imported backwards costs n log(chunks).

type SortKinds = Uint8Array | Uint16Array | Uint32Array;

export class TimeSort<K extends SortKinds> {
  private times = new Float64Array(0);
  private readonly newKinds: (count: number) => K;
  private kinds: K;

  /** `newKinds` allocates a column of kinds. */
  constructor(newKinds: (count: number) => K) {
    this.newKinds = newKinds;
    this.kinds = newKinds(0);
  }

  /** Sorts [start, end) of both columns by time. */
  sort(times: Float64Array, kinds: K, start: number, end: number): void {
    const descent = firstDescent(times, start, end);
    if (descent === end) return;
    this.reserve(end - start);
    let runs = ascendingRuns(times, start, descent, end);
    while (runs.length > 2) runs = this.mergePairs(times, kinds, runs);
  }

  private reserve(count: number): void {
    if (count <= this.times.length) return;
    this.times = new Float64Array(count);
    this.kinds = this.newKinds(count);
  }

  private mergePairs(times: Float64Array, kinds: K, runs: readonly number[]): number[] {
    const merged = [runs[0]];
    for (let i = 0; i + 1 < runs.length; i += 2) {
      const end = runs[Math.min(i + 2, runs.length - 1)];
      this.merge(times, kinds, runs[i], runs[i + 1], end);
      merged.push(end);
    }
    return merged;
  }

  /** Merges [start, middle) and [middle, end); only the first half is copied. */
  private merge(times: Float64Array, kinds: K, start: number, middle: number, end: number): void {
    const count = middle - start;
    this.times.set(times.subarray(start, middle));
    this.kinds.set(kinds.subarray(start, middle));
    let first = 0;
    let second = middle;
    for (let at = start; first < count; at++) {
      if (second < end && times[second] < this.times[first]) {
        times[at] = times[second];
        kinds[at] = kinds[second++];
      } else {
        times[at] = this.times[first];
        kinds[at] = this.kinds[first++];
      }
    }
  }
}

/** The first place whose time is before its predecessor's; `end` if there is none. */
function firstDescent(times: Float64Array, start: number, end: number): number {
  let at = start + 1;
  while (at < end && times[at] >= times[at - 1]) at += 1;
  return Math.min(at, end);
}

/** Starts of the ascending runs, and the end. */
function ascendingRuns(times: Float64Array, start: number, descent: number, end: number): number[] {
  const runs = [start];
  for (let at = descent; at < end; at = firstDescent(times, at, end)) runs.push(at);
  runs.push(end);
  return runs;
}

// How deep one user went into a funnel with a conversion window, over its postings: the rules of funnel-walk.ts (W1 to W3),
// where the next event of a step is found by a search instead of going through all events up to it.
//   A user's events of one name may lie in several segments: they are merged into one list first. Keys are comparable over
//   all segments (user-postings.ts U2).
import {must} from '../invariant.js';
import {ranksPerMs, timeOfKey} from './event-key.js';
import {placeAfter, placeOfUser} from './key-search.js';
import type {NamePostings} from './user-postings.js';

/** Keys [start, end) of `keys`, ascending. */
interface Run {
  readonly keys: Float64Array;
  readonly start: number;
  readonly end: number;
}

const noRun: Run = {keys: new Float64Array(0), start: 0, end: 0};

/** One name's postings in each segment, and how far users were looked for in them. */
class NameRuns {
  private readonly postings: readonly NamePostings[];
  private readonly at: Uint32Array;
  run: Run = noRun;

  constructor(postings: readonly NamePostings[]) {
    this.postings = postings;
    this.at = new Uint32Array(postings.length);
  }

  /** Users are sought in ascending order. */
  seek(user: number): void {
    this.run = noRun;
    for (let i = 0; i < this.postings.length; i++) {
      const {starts, keys} = this.postings[i];
      const at = this.placeOf(user, i);
      if (at >= 0 && starts[at] < starts[at + 1]) this.add({keys, start: starts[at], end: starts[at + 1]});
    }
  }

  /** Where the user's starts are in the postings of a segment; -1 when it has none there. */
  private placeOf(user: number, segment: number): number {
    const postings = this.postings[segment];
    if (postings.kind === 'dense') return user < postings.heads.length ? user : -1;
    const {users} = postings;
    const at = placeOfUser(users, this.at[segment], users.length, user);
    this.at[segment] = at;
    return at < users.length && users[at] === user ? at : -1;
  }

  private add(run: Run): void {
    this.run = this.run === noRun ? run : merged(this.run, run);
  }
}

function merged(a: Run, b: Run): Run {
  const keys = new Float64Array(a.end - a.start + b.end - b.start);
  let first = a.start;
  let second = b.start;
  for (let at = 0; at < keys.length; at++) {
    const takesFirst = second === b.end || (first < a.end && a.keys[first] < b.keys[second]);
    keys[at] = takesFirst ? a.keys[first++] : b.keys[second++];
  }
  return {keys, start: 0, end: keys.length};
}

export class EntryWalk {
  /** Times at which the steps were reached; valid up to the depth that `walk` returned. */
  readonly times: Float64Array;
  private readonly names: readonly NameRuns[];
  /** Steps that take the same event share its runs. */
  private readonly steps: readonly NameRuns[];
  private readonly windowMs: number;
  private readonly endKey: number;
  /** Where the current entry's walk reaches each step, or a place before it. W3 */
  private readonly places: Float64Array;
  private readonly keys: Float64Array;

  /** `stepPostings`: those of each step's name, segment by segment. Keys from `endKey` on are outside the funnel. */
  constructor(
    stepNames: readonly number[],
    stepPostings: readonly (readonly NamePostings[])[],
    windowMs: number,
    endKey: number,
  ) {
    const byName = new Map<number, NameRuns>();
    for (const [step, name] of stepNames.entries()) {
      if (!byName.has(name)) byName.set(name, new NameRuns(stepPostings[step]));
    }
    this.steps = stepNames.map((name) => must(byName.get(name), 'every step has its name'));
    this.names = [...byName.values()];
    this.windowMs = windowMs;
    this.endKey = endKey;
    this.times = new Float64Array(stepNames.length);
    this.places = new Float64Array(stepNames.length);
    this.keys = new Float64Array(stepNames.length);
  }

  /** Number of steps that the user reached whose first entry is `firstKey`. Users come in ascending order. */
  walk(user: number, firstKey: number): number {
    const {names, steps, places, keys, endKey} = this;
    for (let i = 0; i < names.length; i++) names[i].seek(user);
    for (let step = 0; step < steps.length; step++) places[step] = steps[step].run.start;
    const {keys: entryKeys, start, end} = steps[0].run;
    let depthMax = steps.length;
    let deepest = 0;
    for (let entry = placeAfter(entryKeys, start, end, firstKey - 1); entry < end; entry++) {
      keys[0] = entryKeys[entry];
      if (keys[0] >= endKey) break;
      const windowEnd = (timeOfKey(keys[0]) + this.windowMs + 1) * ranksPerMs;
      let depth = 1;
      while (depth < depthMax) {
        const {run} = steps[depth];
        const place = placeAfter(run.keys, places[depth], run.end, keys[depth - 1]);
        places[depth] = place;
        if (place === run.end || run.keys[place] >= endKey)
          depthMax = depth; // W3: nor does any later entry get past this step.
        else if (run.keys[place] >= windowEnd) break;
        else keys[depth++] = run.keys[place];
      }
      if (depth > deepest) {
        deepest = depth;
        for (let step = 0; step < depth; step++) this.times[step] = timeOfKey(keys[step]);
      }
      if (deepest >= depthMax) break;
    }
    return deepest;
  }
}

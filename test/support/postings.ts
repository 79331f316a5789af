// Postings of funnels out of rows, for tests.

import {noUser, type RowsView, timeOf, timeOrder} from '../../actors/chunk/rows.js';
import type {FunnelResult} from '../../actors/report/funnel/funnel.js';
import {NumberList} from '../../actors/report/funnel/median.js';
import {pathSearch} from '../../actors/report/funnel/path-search.js';
import {PostingsBuilder, plainMemory, type UserPostings} from '../../actors/report/funnel/user-postings.js';
import {SelectorSets} from '../../actors/report/rows/selector-sets.js';
import type {Stretch} from '../../actors/report/selection.js';

export interface Row {
  readonly user: number;
  readonly name: number;
  readonly timeMs: number;
}

export function chunkOf(rows: readonly Row[]): RowsView {
  const times = Float64Array.from(rows, ({timeMs}) => timeMs);
  const users = Uint32Array.from(rows, ({user}) => user);
  return {
    chunk: 0,
    baseOrdinal: 0,
    count: rows.length,
    timeBase: 0,
    times,
    users,
    noUser,
    names: Uint32Array.from(rows, ({name}) => name),
    order: timeOrder(times, users, rows.length),
  };
}

export interface Shape {
  readonly userCount: number;
  readonly nameCount: number;
}

export function postingsOf(
  chunks: readonly RowsView[],
  {userCount, nameCount}: Shape,
  rankStart = 0,
  allocate = plainMemory,
  only: ReadonlySet<number> = new Set(Array.from({length: nameCount}, (_, name) => name)),
): UserPostings | undefined {
  const names = Array.from({length: nameCount}, (_, name) => name);
  const chosen = chunks.map(({order, names: named}) => {
    const rows = names.map((): number[] => []);
    for (const row of order) if (only.has(named[row]!)) rows[named[row]!]!.push(row);
    return rows.map((of) => Uint16Array.from(of));
  });
  const selectors = names.map((name) => ({event: `${name}`}));
  const builder = new PostingsBuilder(userCount, selectors, rankStart);
  for (const [i, chunk] of chunks.entries()) builder.count(chunk, chosen[i]!);
  builder.startPlacing();
  for (const [i, chunk] of chunks.entries()) builder.place(chunk, chosen[i]!);
  return finish(builder.build(allocate));
}

/** The search of a path through steps, each of which takes the events of a name, and the set of steps of each name. */
export function searchOf(steps: readonly number[], nameCount: number, windowMs: number) {
  const sets = new SelectorSets(steps.length);
  const setOf = new Uint32Array(nameCount);
  const names = Uint16Array.from(setOf.keys());
  const chosen = steps.map((name) => (name < 0 ? new Uint16Array(0) : Uint16Array.of(name)));
  sets.forEachRow(names, chosen, (name, set) => {
    setOf[name] = set;
  });
  const always = Number.POSITIVE_INFINITY;
  const rules = {sets, stepCount: steps.length, windowMs, entryLastMs: always, exclusions: []};
  return {search: pathSearch({...rules, order: 'sequential'}), setOf};
}

/** The funnel by a walk of each user's events. */
export function walkedFunnel(
  chunks: readonly RowsView[],
  {nameCount}: Shape,
  steps: readonly number[],
  {startMs, lastMs}: Stretch,
  windowMs: number,
): FunnelResult {
  const {search, setOf} = searchOf(steps, nameCount, windowMs);
  const byUser = new Map<number, (readonly [timeMs: number, set: number])[]>();
  for (const chunk of chunks)
    for (const row of chunk.order) {
      const [timeMs, set] = [timeOf(chunk, row), setOf[chunk.names[row]!]!];
      if (set === 0 || timeMs < startMs || timeMs > lastMs) continue;
      const user = chunk.users[row]!;
      byUser.set(user, byUser.get(user) ?? []);
      byUser.get(user)!.push([timeMs, set]);
    }
  const reached = new Float64Array(steps.length);
  const durations = steps.map(() => new NumberList());
  for (const events of byUser.values()) {
    events.sort(([a], [b]) => a - b);
    const times = Float64Array.from(events, ([timeMs]) => timeMs);
    const depth = search.find(
      times,
      Uint32Array.from(events, ([, set]) => set),
      events.length,
    );
    for (let step = 0; step < depth; step++) {
      reached[step]! += 1;
      if (step > 0) durations[step]!.push(times[search.places[step]!]! - times[search.places[step - 1]!]!);
    }
  }
  return {reached, durations};
}

export function finish<T>(work: Generator<void, T, void>): T {
  for (;;) {
    const {done, value} = work.next();
    if (done) return value;
  }
}

/** Segments of the chunks, cut before each of `cuts`. */
export function segmentsOf(
  chunks: readonly RowsView[],
  cuts: readonly number[],
  shape: Shape,
  allocate = plainMemory,
): UserPostings[] {
  const segments: UserPostings[] = [];
  const bounds = [0, ...cuts.filter((cut) => cut > 0 && cut < chunks.length), chunks.length];
  for (let i = 0; i + 1 < bounds.length; i++) {
    const postings = postingsOf(chunks.slice(bounds[i], bounds[i + 1]), shape, segments.at(-1)?.rankEnd, allocate);
    if (postings === undefined) throw new Error('the postings of a test fit');
    segments.push(postings);
  }
  return segments;
}

/** Durations without the order of users. */
export const resultOf = ({reached, durations}: FunnelResult) => ({
  reached: [...reached],
  durations: durations.map((list) =>
    list
      .columns()
      .flatMap((numbers) => [...numbers])
      .sort((a, b) => a - b),
  ),
});

// Postings of funnels out of rows, for tests.

import {noUser, type RowsView, timeOrder} from '../../actors/chunk/rows.js';
import type {FunnelResult} from '../../actors/report/funnel/funnel.js';
import {PostingsBuilder, plainMemory, type UserPostings} from '../../actors/report/funnel/user-postings.js';

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
  const builder = new PostingsBuilder(userCount, nameCount, rankStart, only);
  for (const chunk of chunks) builder.count(chunk);
  builder.startPlacing();
  for (const chunk of chunks) builder.place(chunk);
  return finish(builder.build(allocate));
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

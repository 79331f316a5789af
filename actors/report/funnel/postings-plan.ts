// Which segments of postings a snapshot needs, and which of those at hand still hold.
//   G1. A segment holds the live rows of the chunks that it was built from, known by the keys of their parts: a chunk whose
//       rows changed (rows appended or erased) has another part, and is built anew.
//   G2. Segments follow each other in the order of ordinals. One is merged with its predecessor once it is a quarter of its
//       size, so there are few, and each row is built again once a level.
//   G3. The open chunk is a segment of its own: every snapshot replaces it.
import type {ChunkEntry, SnapshotIndex} from '../../manifest.js';
import {liesWithin, liveRows, type Stretch} from '../selection.js';
import type {UserPostings} from './user-postings.js';

const mergeShare = 4;

export interface Segment {
  readonly chunks: readonly ChunkEntry[];
  /** Whose events are in the postings; undefined: those of all names. */
  readonly names: ReadonlySet<number> | undefined;
  readonly postings: UserPostings;
}

/** Undefined `held`: to be built. */
export interface PlannedSegment {
  readonly chunks: readonly ChunkEntry[];
  readonly held: Segment | undefined;
}

/** Segments over all chunks with live rows: those at hand that still hold, and what has to be built between them. */
export function planSegments({chunks, nextChunk}: SnapshotIndex, held: readonly Segment[]): PlannedSegment[] {
  const byFirst = new Map(held.map((segment) => [segment.chunks[0].rows.key, segment]));
  const live = chunks.filter((chunk) => chunk.live > 0);
  const plan: PlannedSegment[] = [];
  let fresh: ChunkEntry[] = [];
  const endFresh = (): void => {
    if (fresh.length > 0) plan.push({chunks: fresh, held: undefined});
    fresh = [];
  };
  for (let at = 0; at < live.length; ) {
    const segment = byFirst.get(live[at].rows.key);
    if (segment !== undefined && isAt(segment, live, at)) {
      endFresh();
      plan.push({chunks: segment.chunks, held: segment});
      at += segment.chunks.length;
      continue;
    }
    if (live[at].chunk === nextChunk) endFresh(); // G3
    fresh.push(live[at++]);
  }
  endFresh();
  return plan;
}

/** G1 */
const isAt = ({chunks}: Segment, live: readonly ChunkEntry[], at: number): boolean =>
  chunks.every((chunk, i) => live[at + i]?.rows.key === chunk.rows.key);

/** The plan as far as somebody asks: what is to be built ends with the last chunk that has rows in the stretch. */
export function planUntil(plan: readonly PlannedSegment[], stretch: Stretch): PlannedSegment[] {
  const asked = [...plan];
  for (let last = asked.pop(); last !== undefined; last = asked.pop()) {
    if (last.held !== undefined) return [...asked, last];
    const end = last.chunks.findLastIndex((chunk) => liesWithin(chunk, stretch)) + 1;
    if (end > 0) return [...asked, {chunks: last.chunks.slice(0, end), held: undefined}];
  }
  return [];
}

/** The plan within a stretch that somebody asks about: what is to be built begins with the first chunk that has rows in it, too. */
export function planWithin(plan: readonly PlannedSegment[], stretch: Stretch): PlannedSegment[] {
  const asked = planUntil(plan, stretch);
  const [first, ...others] = asked;
  if (first === undefined || first.held !== undefined) return asked;
  const start = first.chunks.findIndex((chunk) => liesWithin(chunk, stretch));
  return start < 0 ? others : [{chunks: first.chunks.slice(start), held: undefined}, ...others];
}

/** The same chunks in segments of which none is due to be merged. G2 */
export function mergeDue(plan: readonly PlannedSegment[], {nextChunk}: SnapshotIndex): PlannedSegment[] {
  const merged: PlannedSegment[] = [];
  for (const segment of plan) {
    let last = segment;
    while (merged.length > 0 && last.chunks[0].chunk !== nextChunk) {
      const before = merged[merged.length - 1];
      if (liveRows(last.chunks) * mergeShare < liveRows(before.chunks)) break;
      last = {chunks: [...before.chunks, ...last.chunks], held: undefined};
      merged.pop();
    }
    merged.push(last);
  }
  return merged;
}

/** Rows of all segments, at hand or not. */
export const rowsOf = (plan: readonly PlannedSegment[]): number => liveRows(plan.flatMap(({chunks}) => chunks));

/** Rows of the segments that are to be built. */
export const rowsToBuild = (plan: readonly PlannedSegment[]): number =>
  rowsOf(plan.filter(({held}) => held === undefined));

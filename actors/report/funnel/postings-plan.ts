// The segments of postings that a snapshot needs, and the cached ones that are still valid.
//   PP1. A segment holds the live rows of its chunks, identified by `keptKey`. A chunk whose rows changed (appended, erased or
//        expired) has another one, so its segment is built again.
//   PP2. Segments are in the order of ordinals. A segment of at least a quarter of its predecessor's size is merged into it. So
//        segments are few, and each row is rebuilt once a level.
//   PP3. The open chunk is a segment of its own: every snapshot replaces it.
import type {ChunkEntry, SnapshotIndex} from '../../manifest.js';
import {keptKey, liesWithin, liveRows, type Stretch} from '../selection.js';
import type {UserPostings} from './user-postings.js';

const mergeShare = 4;

export interface Segment {
  readonly key: string;
  readonly chunks: readonly ChunkEntry[];
  readonly postings: UserPostings;
}

/** A segment of the plan. `held` undefined: it must be built. */
export interface PlannedSegment {
  readonly chunks: readonly ChunkEntry[];
  readonly held: Segment | undefined;
}

/** Plans segments over all chunks with live rows: cached ones that are still valid, and new ones between them. */
export function planSegments({chunks, nextChunk}: SnapshotIndex, held: readonly Segment[]): PlannedSegment[] {
  const byFirst = new Map(held.map((segment) => [keptKey(segment.chunks[0]), segment]));
  const live = chunks.filter((chunk) => chunk.live > 0);
  const plan: PlannedSegment[] = [];
  let fresh: ChunkEntry[] = [];
  const endFresh = (): void => {
    if (fresh.length > 0) plan.push({chunks: fresh, held: undefined});
    fresh = [];
  };
  for (let at = 0; at < live.length; ) {
    const segment = byFirst.get(keptKey(live[at]));
    if (segment !== undefined && isAt(segment, live, at)) {
      endFresh();
      plan.push({chunks: segment.chunks, held: segment});
      at += segment.chunks.length;
      continue;
    }
    if (live[at].chunk === nextChunk) endFresh(); // PP3
    fresh.push(live[at++]);
  }
  endFresh();
  return plan;
}

/** Whether the segment's chunks are the live chunks from `at`. PP1 */
const isAt = ({chunks}: Segment, live: readonly ChunkEntry[], at: number): boolean =>
  chunks.every((chunk, i) => at + i < live.length && keptKey(live[at + i]) === keptKey(chunk));

/** The plan within a stretch: new segments are trimmed to the chunks with rows in it. */
export function planWithin(plan: readonly PlannedSegment[], stretch: Stretch): PlannedSegment[] {
  const has = ({chunks, held}: PlannedSegment): boolean =>
    held !== undefined || chunks.some((chunk) => liesWithin(chunk, stretch));
  const asked = plan.slice(Math.max(0, plan.findIndex(has)), plan.findLastIndex(has) + 1);
  return asked.map((segment, i) => {
    const {chunks, held} = segment;
    if (held !== undefined) return segment;
    const start = i > 0 ? 0 : chunks.findIndex((chunk) => liesWithin(chunk, stretch));
    const end = i < asked.length - 1 ? chunks.length : chunks.findLastIndex((chunk) => liesWithin(chunk, stretch)) + 1;
    return {chunks: chunks.slice(start, end), held};
  });
}

/** The plan after all due merges. PP2 */
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

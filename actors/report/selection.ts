// Selects the parts of a snapshot that a question needs. Parts that cannot hold an answer are not loaded.
import type {ChunkEntry, Run, RunBlock} from '../manifest.js';
import {firstPlace} from '../order/search.js';

/** A stretch of time, both ends inclusive, epoch ms. It is empty when it ends before it starts. */
export interface Stretch {
  readonly startMs: number;
  readonly lastMs: number;
}

/** Chunks with live rows in any of the stretches, in the order of their ordinals. */
export function chunksWithin(chunks: readonly ChunkEntry[], stretches: readonly Stretch[]): ChunkEntry[] {
  return chunks.filter((chunk) => chunk.live > 0 && stretches.some((stretch) => liesWithin(chunk, stretch)));
}

/** Chunks within stretches that are in order and do not overlap: a search, since there may be thousands of stretches. */
export function chunksWithinOrdered(chunks: readonly ChunkEntry[], stretches: readonly Stretch[]): ChunkEntry[] {
  return chunks.filter((chunk) => {
    const at = firstPlace(0, stretches.length, (place) => stretches[place].lastMs < chunk.minTimeMs);
    return chunk.live > 0 && at < stretches.length && liesWithin(chunk, stretches[at]);
  });
}

/** Whether any of the chunk's times may lie in the stretch. */
export const liesWithin = ({minTimeMs, maxTimeMs}: ChunkEntry, {startMs, lastMs}: Stretch): boolean =>
  startMs <= lastMs && minTimeMs <= lastMs && maxTimeMs >= startMs;

/** Whether all of the chunk's times lie in the stretch. */
export const isInside = ({minTimeMs, maxTimeMs}: ChunkEntry, {startMs, lastMs}: Stretch): boolean =>
  minTimeMs >= startMs && maxTimeMs <= lastMs;

/** The stretch from the oldest to the newest event of the chunks; empty when there are none. */
export function stretchOfChunks(chunks: readonly ChunkEntry[]): Stretch {
  let [startMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const {minTimeMs, maxTimeMs} of chunks) {
    startMs = Math.min(startMs, minTimeMs);
    lastMs = Math.max(lastMs, maxTimeMs);
  }
  return {startMs, lastMs};
}

/** Chunks that may hold an event with one of these names (name indexes). */
export function chunksNaming(chunks: readonly ChunkEntry[], names: readonly number[]): ChunkEntry[] {
  return chunks.filter((chunk) => chunk.names === null || names.some((name) => chunk.names?.includes(name)));
}

/** Cache key of a chunk's rows without expired ones: parts never change. */
export const keptKey = ({rows, keptFromMs}: ChunkEntry): string =>
  keptFromMs === 0 ? rows.key : `${rows.key} from ${keptFromMs}`;

/** Cache key of a chunk's counted rows. */
export const countedKey = (chunk: ChunkEntry): string =>
  chunk.leftOut === 0 ? keptKey(chunk) : `${keptKey(chunk)} ${chunk.leftOut}`;

export function liveRows(chunks: readonly ChunkEntry[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.live, 0);
}

/** Blocks that touch days [firstDay, lastDay], run by run. */
export function blocksWithin(runs: readonly Run[], firstDay: number, lastDay: number): RunBlock[] {
  return runs.flatMap((run) => run.blocks.filter((block) => block.first <= lastDay && block.last >= firstDay));
}

/** Days [firstDay, lastDay] that need the same set of blocks. */
export interface DaySegment {
  readonly firstDay: number;
  readonly lastDay: number;
  readonly blocks: readonly RunBlock[];
}

/** Splits days [firstDay, lastDay] into segments, so that a reader in the order of days holds few blocks at a time. */
export function daySegments(runs: readonly Run[], firstDay: number, lastDay: number): DaySegment[] {
  const blocks = blocksWithin(runs, firstDay, lastDay);
  const cuts = new Set([firstDay]);
  for (const {first, last} of blocks) {
    if (first > firstDay) cuts.add(first);
    if (last < lastDay) cuts.add(last + 1);
  }
  const starts = [...cuts].sort((a, b) => a - b);
  return starts.map((start, i) => ({
    firstDay: start,
    lastDay: i + 1 < starts.length ? starts[i + 1] - 1 : lastDay,
    blocks: blocks.filter((block) => block.first <= start && block.last >= start),
  }));
}

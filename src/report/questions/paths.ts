// Paths: the rows are read twice, for the event that each user's path begins with, and for the nearest ones to it.

import type {ByteReader} from '../../../actors/bytes/bytes.js';
import {must} from '../../../actors/invariant.js';
import {NearestEvents, type WalkPath} from '../../../actors/report/engagement/nearest-events.js';
import {PathCounts} from '../../../actors/report/engagement/paths.js';
import type {Point} from '../../asks/people-behind.js';
import type {QueryOf} from '../../asks/report.js';
import {nameIndex} from '../name-index.js';
import {filteredUsers} from '../operators/filtered-users.js';
import type {NoteUser} from '../operators/users-of-rows.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {partialOf, type Question, type RunRound} from '../rounds.js';
import {BeyondMemory, RowScan} from '../row-scan.js';

/** Counts may take so much in any case. */
const countsBytes = 64 * 1024;

export class Paths implements Question<null> {
  private readonly reading: Reading;
  private readonly query: QueryOf<'paths'>;

  constructor(reading: Reading, query: QueryOf<'paths'>) {
    this.reading = reading;
    this.query = query;
  }

  round() {
    const {reading, query} = this;
    const counts = new PathCounts(query.event, query.depth);
    const scan = scanOf(reading, query);
    const fold = (snapshot: PartitionSnapshot) => countPaths(reading, scan, query, snapshot, counts);
    const {write, add} = partialOf(scan, counts);
    return {
      counts,
      scan,
      fold,
      write,
      *add(from: ByteReader) {
        yield* add(from);
        checkCounts(reading, counts);
      },
    };
  }

  async answer(run: RunRound<null>): Promise<string> {
    const {counts, scan} = await run(this.round(), null);
    return `{${counts.fields(this.query.limit)}${scan.skippedField}}`;
  }
}

/** Hands over the users whom a number counts. @throws MissingPart, DamagedPart, BeyondMemory */
export async function pathUsers(
  reading: Reading,
  query: QueryOf<'paths'>,
  {step, from, to}: Point,
  snapshots: readonly PartitionSnapshot[],
  note: NoteUser,
): Promise<void> {
  const counts = new PathCounts(query.event, query.depth);
  const scan = scanOf(reading, query);
  const point = {step: must(step, 'paths have steps'), from: must(from, 'a number is of an event'), to};
  // What has no number of its own is known once all paths are counted.
  const isOfOthers = [from, to].some((node) => node !== undefined && 'kind' in node && node.kind === 'other');
  if (isOfOthers) for (const snapshot of snapshots) await countPaths(reading, scan, query, snapshot, counts);
  const isCounted = counts.isCounted(point, query.limit);
  for (const snapshot of snapshots)
    await walkPaths(reading, scan, query, snapshot, counts, (path, count, user) => {
      if (isCounted(path, count)) note(snapshot, user);
    });
}

const scanOf = (reading: Reading, {where, fromMs, toMs}: QueryOf<'paths'>): RowScan =>
  new RowScan(reading, {stretch: {startMs: fromMs, lastMs: toMs}, selectors: [{where}]});

function countPaths(
  reading: Reading,
  rowScan: RowScan,
  query: QueryOf<'paths'>,
  snapshot: PartitionSnapshot,
  counts: PathCounts,
): Promise<void> {
  return walkPaths(reading, rowScan, query, snapshot, counts, (path, count) => {
    counts.addPath(path, count);
    checkCounts(reading, counts);
  });
}

function checkCounts({gatheredBytesMax}: Reading, {bytes}: PathCounts): void {
  const bytesMax = Math.max(gatheredBytesMax, countsBytes);
  if (bytes > bytesMax) throw new BeyondMemory('different paths take', bytesMax);
}

/** Hands over the path of each user, in numbers that are the same in all partitions. */
async function walkPaths(
  reading: Reading,
  rowScan: RowScan,
  {event, depth, direction, users: filter}: QueryOf<'paths'>,
  snapshot: PartitionSnapshot,
  counts: PathCounts,
  walkPath: WalkPath,
): Promise<void> {
  const {gatheredBytesMax} = reading;
  const {names, index} = snapshot;
  const users = await filteredUsers(reading, snapshot, filter);
  const first = nameIndex(snapshot, event);
  /** Numbers of the partition's names; 0: not looked up. */
  const numbers = new Uint32Array(names.count);
  const numberOf = (name: number): number => {
    if (numbers[name] === 0) numbers[name] = counts.numberOf(names.text(name));
    return numbers[name]!;
  };
  const path = new Uint32Array(depth);
  const rules = {userCount: index.users.count, first, depth, direction, bytesMax: gatheredBytesMax};
  const nearest = new NearestEvents(rules, (ofUser, count, user) => {
    for (let step = 0; step < count; step++) path[step] = numberOf(ofUser[step]!);
    walkPath(path, count, user);
  });
  await rowScan.inPasses(snapshot, nearest, (rows, [chosen]) => nearest.add(rows, chosen!), users);
}

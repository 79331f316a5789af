// The names of events with their counts and times, page by page.
import {namesAnswer} from '../../../actors/report/counts/answers.js';
import {NameCounts} from '../../../actors/report/counts/name-counts.js';
import {NamePage} from '../../../actors/report/counts/name-page.js';
import {NameTimes} from '../../../actors/report/counts/name-times.js';
import type {QueryOf} from '../../asks/report.js';
import {namesCursorText} from '../../names-cursor.js';
import {nameIndex} from '../name-index.js';
import {filteredUsers} from '../operators/filtered-users.js';
import {hiddenBy} from '../operators/ranked-list.js';
import {usersOfNames} from '../operators/users-of-names.js';
import {loadsAheadMax} from '../part-scan.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {type ChosenFold, RowScan} from '../row-scan.js';

/** Names counted at once: some 0.3 ms. */
const namesAtOnce = 1_024;

/** @throws MissingPart, DamagedPart */
export async function names(
  reading: Reading,
  query: QueryOf<'names'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const page = await namePage(reading, query, snapshots);
  const times = page.names.map(() => ({firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY}));
  for (const snapshot of snapshots) {
    const listed = page.names.map(({name}) => nameIndex(snapshot, name));
    const asked = listed.filter((name) => name >= 0);
    const found = await nameTimes(reading, asked, snapshot); // EV1
    let place = 0;
    for (const [i, name] of listed.entries()) {
      if (name < 0) continue;
      times[i].firstMs = Math.min(times[i].firstMs, found.firstMs[place]);
      times[i].lastMs = Math.max(times[i].lastMs, found.lastMs[place]);
      place += 1;
    }
  }
  const {fromMs, toMs, prefix} = query;
  const last = page.hasMore ? page.names.at(-1) : undefined;
  const cursor = last === undefined ? null : namesCursorText({fromMs, toMs, prefix, after: last});
  const users =
    query.withUsers &&
    (await usersOfNames(
      reading,
      query,
      page.names.map(({name}) => name),
      snapshots,
    ));
  const isHidden = hiddenBy(query.hidden);
  const names = page.names.map((place, i) => ({
    ...place,
    ...times[i],
    users: users?.[i],
    isHidden: isHidden(place.name),
  }));
  return namesAnswer(names, page.hasMore, cursor);
}

async function namePage(reading: Reading, query: QueryOf<'names'>, snapshots: readonly PartitionSnapshot[]) {
  const {prefix = '', limit, after, hidden} = query;
  const counts = new Map<string, number>();
  for (const snapshot of snapshots) {
    const {names} = snapshot;
    const inPartition = await countsIn(reading, query, snapshot);
    for (let name = 0; name < names.count; name++) {
      if (name % namesAtOnce === 0) await reading.scan.pauseIfDue();
      if (inPartition[name] === 0) continue;
      const text = names.text(name);
      if (text.startsWith(prefix)) counts.set(text, (counts.get(text) ?? 0) + inPartition[name]);
    }
  }
  const page = new NamePage(limit, after);
  const isHidden = hiddenBy(hidden);
  let added = 0;
  for (const [name, count] of counts) {
    if (added++ % namesAtOnce === 0) await reading.scan.pauseIfDue();
    if (hidden?.areShown || !isHidden(name)) page.add({count, name});
  }
  return page.finish();
}

/** Events by name index: of all users out of cells, of some out of their rows. */
async function countsIn(
  reading: Reading,
  {fromMs, toMs, users: filter}: QueryOf<'names'>,
  snapshot: PartitionSnapshot,
): Promise<Float64Array> {
  const {index, names, leftOut} = snapshot;
  const users = await filteredUsers(reading, snapshot, filter);
  if (users === undefined) {
    const partial = new NameCounts(names.count, fromMs, toMs);
    await reading.scan.foldWindows(partial.blocks(index), (_, windows) => partial.addCells(windows));
    partial.addCells(leftOut.cells);
    await reading.scan.foldRows(partial.chunks(index), leftOut.users, (_, rows) => partial.addRows(rows));
    return partial.counts;
  }
  const counts = new Float64Array(names.count);
  const scan = new RowScan(reading, {stretch: {startMs: fromMs, lastMs: toMs}, selectors: [{}]});
  const count: ChosenFold = (rows, [chosen]) => {
    for (const row of chosen!) counts[rows.names[row]] += 1;
  };
  await scan.fold(snapshot, count, users);
  return counts;
}

async function nameTimes(
  reading: Reading,
  asked: readonly number[],
  {index, names, leftOut}: PartitionSnapshot,
): Promise<NameTimes> {
  const times = new NameTimes(index, asked, names.count);
  // The oldest and the newest chunk decide most names; the others are read several at a time.
  for (let chunks = times.next(2); chunks.length > 0; chunks = times.next(loadsAheadMax))
    await reading.scan.foldRows(chunks, leftOut.users, (_, rows) => times.addRows(rows));
  return times;
}

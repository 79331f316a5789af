// One page of the list of users, the last seen first, or those with the largest value.
//   LU1. The order is (last seen or value, partition, user index): indexes stand for one user for good (user-keys.ts UK1). Users
//        without a value are last.
//   LU2. Users who were joined with another one are not listed, whether their events moved yet or not. Behind a number they are
//        people of their own for as long as it counts them.
//   LU3. Keys and traits are read of the users of the page alone, and of all users where a part of them is searched for.
//   LU4. Values are exact (exact-sum.ts), so that pages agree. Sums are held for some users at once: rows are read again for others.
import {isoText} from '../../../actors/calendar.js';
import {chunkRowsMax} from '../../../actors/limits.js';
import {CurrentTraits, type Users} from '../../../actors/report/rows/current-traits.js';
import {type EventPlace, FirstPlaces} from '../../../actors/report/rows/event-places.js';
import {MeasuredCells} from '../../../actors/report/rows/measures.js';
import {PropertyValues} from '../../../actors/report/rows/property-values.js';
import {SeenUsers, seenUserBytes} from '../../../actors/report/rows/seen-users.js';
import {TextSearch} from '../../../actors/report/rows/text-search.js';
import {UserSet} from '../../../actors/table/user-set.js';
import {UserBlockReader} from '../../../actors/user/user-records.js';
import type {QueryOf} from '../../asks/report.js';
import type {UserSort} from '../../asks/user-list.js';
import type {UserRef} from '../../asks/users.js';
import {loadAhead} from '../../parts/load-ahead.js';
import {userCursorText} from '../../user-cursor.js';
import {filteredUsers} from '../operators/filtered-users.js';
import {readTraits} from '../operators/traits.js';
import {userKeys} from '../operators/user-keys.js';
import {loadsAheadMax} from '../part-scan.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {BeyondMemory, type ChosenFold, RowScan} from '../row-scan.js';
import {peopleBehind} from './people-behind.js';

/** Users whose keys are held at once: whole blocks of the table. */
const keysAtOnce = 16_384;

/** Bytes of a user's value, and of a count or an exact sum while it is made. */
const valueBytes = 8;
const countBytes = 16;
const sumBytes = 512;
/** Ranks below every value. */
const noValue = Number.NEGATIVE_INFINITY;

/** LU1: `timeMs` is the negative time or value, so that the largest come first; `ordinal` is the user index. */
interface ListedUser extends EventPlace {
  readonly snapshot: PartitionSnapshot;
  readonly createdMs: number;
  readonly lastSeenMs: number;
}

/** JSON text of the answer. @throws MissingPart, DamagedPart, BeyondMemory */
export async function listedUsers(
  reading: Reading,
  query: QueryOf<'user_list'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const after = query.after && {...query.after, timeMs: -(query.after.rank ?? noValue), ordinal: query.after.user};
  const first = new FirstPlaces<ListedUser>(query.limit + 1, after);
  const behind = query.behind && (await peopleBehind(reading, query.behind, snapshots));
  let skipped = 0;
  for (const snapshot of snapshots) {
    const bytes = snapshot.index.users.count * (seenUserBytes + (query.sort === undefined ? 0 : valueBytes));
    if (bytes > reading.gatheredBytesMax)
      throw new BeyondMemory('the users of a partition take', reading.gatheredBytesMax);
    const values = query.sort && (await valuesOf(reading, query.sort, snapshot));
    skipped += values?.skipped ?? 0;
    await addUsers(reading, query, snapshot, {values: values?.byUser, behind: behind?.get(snapshot)}, first);
  }
  const found = first.finish();
  const page = found.slice(0, query.limit);
  const texts = await textsOf(reading, query, page);
  const last = found.length > page.length ? page.at(-1) : undefined;
  const cursor = last && userCursorText(query, {rank: rankOf(last), partition: last.partition, user: last.ordinal});
  const data = page.map((user) => texts.get(user)).filter((text) => text !== undefined);
  const ofSum = query.sort?.property === undefined ? '' : `"skipped":${skipped},`;
  const total = behind && [...behind.values()].reduce((sum, {count}) => sum + count, 0);
  const ofNumber = total === undefined ? '' : `"total":${total},`;
  return `{"data":[${data.join()}],${ofNumber}${ofSum}"has_more":${last !== undefined},"next_cursor":${JSON.stringify(cursor ?? null)}}`;
}

/** LU1 */
const rankOf = ({timeMs}: ListedUser): number | null => (-timeMs === noValue ? null : -timeMs);

async function addUsers(
  reading: Reading,
  query: QueryOf<'user_list'>,
  snapshot: PartitionSnapshot,
  {values, behind}: {readonly values: Float64Array | undefined; readonly behind: Users | undefined},
  first: FirstPlaces<ListedUser>,
): Promise<void> {
  const {scan} = reading;
  const seen = new SeenUsers(snapshot.index.users.count);
  const search = query.search && new TextSearch(query.search.text, query.search.traits);
  const searched = search && new CurrentTraits((user, traits) => search.add(user, traits));
  const addBlock = (payload: Uint8Array): void => {
    seen.addBlock(payload);
    searched?.addBlock(payload);
  };
  await readTraits(scan, snapshot, {addBlock});
  const rules = [behind ?? listedIn(snapshot), await filteredUsers(reading, snapshot, query.users)];
  const isMeant = (user: number): boolean =>
    seen.has(user) && rules.every((users) => users === undefined || users.has(user));
  const timeOf = (user: number): number => -(values === undefined ? seen.lastSeenAt(user) : values[user]!);
  const {partition} = snapshot.manifest;
  for (let start = 0; start < snapshot.index.users.count; start += keysAtOnce) {
    const users: number[] = [];
    for (let user = start; user < Math.min(start + keysAtOnce, snapshot.index.users.count); user++) {
      if (isMeant(user) && first.wants(timeOf(user))) users.push(user);
    }
    for (const user of await foundById(reading, query.prefix, search, snapshot, users)) {
      const times = {createdMs: seen.createdAt(user), lastSeenMs: seen.lastSeenAt(user)};
      first.add({timeMs: timeOf(user), partition, ordinal: user, snapshot, ...times});
    }
    await scan.pauseIfDue();
  }
}

async function foundById(
  {scan}: Reading,
  prefix = '',
  search: TextSearch | undefined,
  snapshot: PartitionSnapshot,
  users: readonly number[],
): Promise<readonly number[]> {
  if (prefix === '' && search === undefined) return users;
  const keys = await userKeys(scan, snapshot, users);
  return users.filter((user, i) => {
    const id = keys[i]?.id;
    return id?.startsWith(prefix) === true && search?.has(user, id) !== false;
  });
}

/** LU2 */
function listedIn({index, leftOut}: PartitionSnapshot): Users {
  const leaving = new UserSet();
  for (const user of index.candidates) leaving.add(user);
  for (const {users} of index.moves) for (const user of users) leaving.add(user);
  return {has: (user) => !leftOut.users.has(user) && !leaving.has(user)};
}

/** Values by user index, and how many values of the property are no numbers. LU4 */
async function valuesOf(
  reading: Reading,
  {events, property}: UserSort,
  snapshot: PartitionSnapshot,
): Promise<{readonly byUser: Float64Array; readonly skipped: number}> {
  const {event, where, fromMs, toMs} = events;
  const measured = property === undefined ? undefined : new PropertyValues(property);
  const scan = new RowScan(reading, {
    stretch: {startMs: fromMs, lastMs: toMs},
    selectors: [event === undefined ? {where} : {event, where}],
    properties: measured === undefined ? [] : [measured],
  });
  const {count} = snapshot.index.users;
  const byUser = new Float64Array(count);
  const bytesOfOne = measured === undefined ? countBytes : sumBytes;
  const usersMax = Math.max(1, Math.floor(reading.gatheredBytesMax / bytesOfOne));
  const [cellOf, numbers] = [new Uint32Array(chunkRowsMax), new Float64Array(chunkRowsMax)];
  let skipped = 0;
  for (let start = 0; start < count; start += usersMax) {
    const end = Math.min(start + usersMax, count);
    const cells = new MeasuredCells(measured === undefined ? 'total' : 'sum', 1, end - start);
    const isHeld = {has: (user: number) => start <= user && user < end};
    const fold: ChosenFold = (rows, [chosen]) => {
      for (const [i, row] of chosen!.entries()) cellOf[i] = rows.users[row]! - start;
      if (measured !== undefined) skipped += measured.readNumbers(chosen!, numbers);
      cells.addEvents(cellOf, numbers, chosen!.length);
    };
    await scan.fold(snapshot, fold, usersMax < count ? isHeld : undefined);
    for (let user = start; user < end; user++) {
      byUser[user] = cells.value(0, user - start) ?? noValue;
      if (user % keysAtOnce === 0) await reading.scan.pauseIfDue();
    }
  }
  return {byUser, skipped};
}

// -- texts --

/** LU3 */
async function textsOf(
  reading: Reading,
  query: QueryOf<'user_list'>,
  page: readonly ListedUser[],
): Promise<Map<ListedUser, string>> {
  const texts = new Map<ListedUser, string>();
  for (const snapshot of new Set(page.map((user) => user.snapshot))) {
    const listed = page.filter((user) => user.snapshot === snapshot).sort((a, b) => a.ordinal - b.ordinal);
    const users = listed.map(({ordinal}) => ordinal);
    const keys = await userKeys(reading.scan, snapshot, users);
    const traits = query.withoutTraits ? undefined : await traitsOf(reading, snapshot, users);
    for (const [i, user] of listed.entries()) {
      const key = keys[i];
      if (key !== undefined) texts.set(user, userText(query, user, key, traits?.get(user.ordinal) ?? '{}'));
    }
  }
  return texts;
}

function userText({sort}: QueryOf<'user_list'>, user: ListedUser, {kind, id}: UserRef, traitsJson: string): string {
  const times = `"created_at":"${isoText(user.createdMs)}","last_seen":"${isoText(user.lastSeenMs)}"`;
  const value = sort === undefined ? '' : `"value":${JSON.stringify(rankOf(user))},`;
  return `{"id":${JSON.stringify(id)},"kind":"${kind}",${value}${times},"traits":${traitsJson}}`;
}

/** JSON texts of the traits of these users, which ascend; of those who have any. The newest run that has some decides. */
async function traitsOf(
  {scan}: Reading,
  {index}: PartitionSnapshot,
  users: readonly number[],
): Promise<Map<number, string>> {
  const traits = new Map<number, string>();
  const inBlock = ({first, last}: {readonly first: number; readonly last: number}): readonly number[] =>
    users.filter((user) => first <= user && user <= last && !traits.has(user));
  const blocks = [...index.userRuns].reverse().flatMap((run) => run.blocks);
  const wanted = blocks.filter((block) => inBlock(block).length > 0);
  for await (const [block, payload] of loadAhead(wanted, ({part}) => scan.loadOnce(part), loadsAheadMax)) {
    const reader = new UserBlockReader(payload);
    for (const user of inBlock(block)) {
      const found = reader.find(user)?.traits;
      if (found !== undefined) traits.set(user, found.json);
    }
    await scan.pauseIfDue();
  }
  return traits;
}

// Postings of the rows that selectors choose (actors/report/funnel/user-postings.ts), made by an answer in one pass over the rows.
//   GP1. An event that several selectors choose is there once for each, under the name of each.
//   GP2. Events of users who left are there: whoever counts leaves these users out.
import {type RowsView, timeOf} from '../../../actors/chunk/rows.js';
import {chunkRowsMax} from '../../../actors/limits.js';
import {type AllocatePostings, postingsOf, type UserPostings} from '../../../actors/report/funnel/user-postings.js';
import {GatheredRows, gatheredRowBytes, groupByUser, newBytes} from '../../../actors/report/rows/gathered-rows.js';
import type {Selector} from '../../../actors/report/rows/row-choice.js';
import {SelectorSets} from '../../../actors/report/rows/selector-sets.js';
import {liveRows, type Stretch} from '../../../actors/report/selection.js';
import {UserSet} from '../../../actors/table/user-set.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {selectorsMax, type WantedPostings} from './chosen-postings.js';
import {type ChosenFold, RowScan} from './row-scan.js';

/** Marks a further selector of the event before it; selectors are the bits below. GP1 */
const againBit = selectorsMax;
const always: Stretch = {startMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY};

/** Undefined if the rows are more than an answer may gather, or have no postings (UP3). @throws MissingPart, DamagedPart */
export async function gatheredPostings(
  reading: Reading,
  snapshot: PartitionSnapshot,
  {chunks, selectors, names, nameCount, rankStart}: WantedPostings,
  allocate: AllocatePostings,
): Promise<UserPostings | undefined> {
  const {scan, gatheredBytesMax} = reading;
  const userCount = snapshot.index.users.count;
  const rowsMax = Math.max(2, Math.floor(gatheredBytesMax / gatheredRowBytes));
  const rows = new GatheredRows(userCount, rowsMax, liveRows(chunks), newBytes);
  const everybody = {...snapshot, leftOut: {...snapshot.leftOut, users: new UserSet()}}; // GP2
  const chosen = new RowScan(reading, {stretch: always, selectors});
  const gather = areApart(selectors) ? gatherApart : gatherSets(selectors.length);
  const keys = new Set(chunks.map((chunk) => chunk.rows.key));
  const naming = chosen.chunks(everybody).filter((chunk) => keys.has(chunk.rows.key));
  return scan.borrowingAsItGrows(async (loan) => {
    const fold: ChosenFold = (chunkRows, found) => {
      gather(rows, chunkRows, found);
      loan.take(rows.bytes);
    };
    await chosen.fold(everybody, fold, undefined, naming);
    if (rows.userEnd < userCount) return undefined;
    const {starts, times, kinds} = await scan.inSlices(groupByUser(rows));
    const events = {userCount, ends: starts.subarray(1), count: rows.count, times, names: codesOf(kinds, names)};
    return scan.inSlices(postingsOf({...events, againBit: nameAgainBit}, nameCount, rankStart, allocate));
  });
}

/** Adds the rows of a chunk that each selector chose, those of equal time in the order of the log. */
type Gather = (into: GatheredRows<Uint8Array>, rows: RowsView, found: readonly Uint16Array[]) => void;

/** Whether no event can be chosen by two of them. */
const areApart = (selectors: readonly Selector[]): boolean =>
  selectors.length === 1 ||
  (selectors.every(({event}) => event !== undefined) &&
    new Set(selectors.map(({event}) => event)).size === selectors.length);

/** Selector + 1 of each row of a chunk; all zeros between chunks. */
const selectorOfRow = new Uint8Array(chunkRowsMax);

/** In the order of the log: a pass over bytes costs less than the order of times. */
const gatherApart: Gather = (into, {users, times, timeBase, count}, found) => {
  for (let selector = 0; selector < found.length; selector++) {
    const rows = found[selector]!;
    for (let i = 0; i < rows.length; i++) selectorOfRow[rows[i]!] = selector + 1;
  }
  for (let row = 0; row < count; row++) {
    const selector = selectorOfRow[row]!;
    if (selector === 0) continue;
    selectorOfRow[row] = 0;
    into.add(users[row]!, timeBase + times[row]!, selector - 1);
  }
};

/** Adds an event once for each of its selectors. GP1 */
function gatherSets(selectorCount: number): Gather {
  const sets = new SelectorSets(selectorCount);
  return (into, rows, found) =>
    sets.forEachRow(rows.order, found, (row, set) => {
      let again = 0;
      for (const selector of sets.selectorsOf(set)) {
        into.add(rows.users[row]!, timeOf(rows, row), selector | again);
        again = againBit;
      }
    });
}

/** `againBit` of names. */
const nameAgainBit = 2 ** 31;

/** The name of each event, with its mark. */
function codesOf(kinds: Uint8Array, names: readonly number[]): Uint32Array {
  const codeOf = new Uint32Array(2 * againBit);
  for (const [selector, name] of names.entries()) {
    codeOf[selector] = name;
    codeOf[againBit | selector] = nameAgainBit + name;
  }
  const codes = new Uint32Array(kinds.length);
  for (let i = 0; i < kinds.length; i++) codes[i] = codeOf[kinds[i]!]!;
  return codes;
}

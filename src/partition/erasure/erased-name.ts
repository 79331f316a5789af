// All events of a name, as they leave the parts of a partition: what was found, and what follows for users and days.
//   EN1. A user's times, and the days on which it was active, are those of the events that are left, as if the others had never
//        been there. Each of its records gets both times, so that merging them gives these.
//   EN2. A user of whom neither an event nor an identify is left is known no more.
//   EN3. The cells of users who left are subtracted already (actors/identity/moves.ts); their rows leave the chunks all the same.

import type {ErasedRow} from '../../../actors/aggregator/aggregator.js';
import {withoutMembers} from '../../../actors/aggregator/window-deltas.js';
import {encodeWindows, viewWindows} from '../../../actors/aggregator/windows.js';
import {type RowsView, timeOf} from '../../../actors/chunk/rows.js';
import type {CorrectedUser, NameErasure} from '../../../actors/erasures.js';
import {originOf} from '../../../actors/identity/joined.js';
import {dayMs, hourMs} from '../../../actors/limits.js';
import type {EntryView} from '../../../actors/log/entry-view.js';
import type {PartRef, Run, RunBlock} from '../../../actors/manifest.js';
import type {Partition} from '../../../actors/partition.js';
import {UserSet} from '../../../actors/table/user-set.js';
import {firstIdentifyOf, UserBlockReader, UserBlockWriter, type UserRecord} from '../../../actors/user/user-records.js';
import type {LoadPart} from '../../parts/stored-index.js';
import type {Leaving} from './erased-users.js';

type Days = Map<number, UserSet>;

const never = Number.POSITIVE_INFINITY;

export class ErasedName implements Leaving, NameErasure {
  readonly name: number;
  events = 0;
  readonly cells = new Map<number, number>();
  readonly fingerprints: Uint32Array[] = [];
  readonly arrived: string[] = [];
  readonly rowsInMoves = new Map<number, ErasedRow[]>();
  inactive: Days = new Map();
  readonly gone: number[] = [];
  private readonly partition: Partition;
  private readonly isSent: (user: number) => boolean;
  /** Users with such an event, without those who left. */
  private readonly users = new UserSet();
  /** Days of the erased events of these users, and those of them on which they have others. */
  private readonly days: Days = new Map();
  private readonly daysLeft: Days = new Map();
  /** By user, epoch ms: the first and the last event that is left, and the first identify. */
  private readonly firstMs: Float64Array;
  private readonly lastMs: Float64Array;
  private readonly identifyMs: Float64Array;

  constructor(partition: Partition, name: number, isSent: (user: number) => boolean) {
    const {count} = partition.users.table;
    this.partition = partition;
    this.name = name;
    this.isSent = isSent;
    this.firstMs = new Float64Array(count).fill(never);
    this.lastMs = new Float64Array(count).fill(-never);
    this.identifyMs = new Float64Array(count).fill(never);
  }

  // -- what leaves --

  rowsOf({users, names, count, noUser}: Parameters<Leaving['rowsOf']>[0]): number[] {
    const found: number[] = [];
    for (let row = 0; row < count; row++) if (names[row] === this.name && users[row] !== noUser) found.push(row);
    return found;
  }

  addRows(rows: RowsView, found: readonly number[], keptFromMs: number): void {
    const {moves} = this.partition;
    for (const row of found) {
      const user = rows.users[row];
      if (moves.leftOut.has(user)) continue; // EN3
      const timeMs = timeOf(rows, row);
      if (timeMs < keptFromMs) continue; // It counted no more.
      const hour = Math.floor(timeMs / hourMs);
      this.cells.set(hour, (this.cells.get(hour) ?? 0) + 1);
      this.users.add(user);
      addTo(this.days, Math.floor(timeMs / dayMs), user);
      if (!this.isSent(user)) this.events += 1;
      if (moves.moveOf(user) !== undefined) this.noteInMove(rows, row, timeMs);
    }
  }

  private noteInMove({chunk, users, baseOrdinal}: RowsView, row: number, timeMs: number): void {
    const user = users[row];
    const rows = this.rowsInMoves.get(user) ?? [];
    rows.push({timeMs, name: this.name, chunk, ordinal: baseOrdinal + row});
    this.rowsInMoves.set(user, rows);
  }

  addEvent(_: number, event: EntryView): void {
    const {partition} = this;
    if (event.origin() !== undefined) this.arrived.push(originOf(event));
    if (event.hasMessageId) this.fingerprints.push(partition.fingerprintOf(event));
  }

  // -- what is left --

  /** Notes the rows that a chunk has left. */
  addLeft(rows: RowsView): void {
    const {users, firstMs, lastMs} = this;
    if (users.count === 0) return;
    for (const row of rows.order) {
      const user = rows.users[row];
      if (!users.has(user)) continue;
      const timeMs = timeOf(rows, row);
      if (timeMs < firstMs[user]) firstMs[user] = timeMs;
      if (timeMs > lastMs[user]) lastMs[user] = timeMs;
      const day = Math.floor(timeMs / dayMs);
      if (this.days.get(day)?.has(user)) addTo(this.daysLeft, day, user);
    }
  }

  /** Whether a block with records of these users may have one of a user with such an event. */
  touches(first: number, last: number): boolean {
    for (let user = first; user <= last; user++) if (this.users.has(user)) return true;
    return false;
  }

  /** Notes the identifies in a block of records. */
  addIdentified(payload: Uint8Array): void {
    const reader = new UserBlockReader(payload);
    for (let record = reader.next(); record !== undefined; record = reader.next()) this.noteIdentified(record);
  }

  private noteIdentified(record: UserRecord | undefined): void {
    const first = record && firstIdentifyOf(record);
    if (first !== undefined && first < this.identifyMs[record!.user]) this.identifyMs[record!.user] = first;
  }

  /** Call it once all of the above is noted. EN1, EN2 */
  decide(): void {
    for (const user of this.users.members()) {
      for (const record of this.partition.users.unsaved(user).records) this.noteIdentified(record);
      if (this.firstMs[user] === never && this.identifyMs[user] === never) this.gone.push(user);
    }
    for (const [day, users] of this.days) {
      const left = this.daysLeft.get(day);
      for (const user of users.members()) if (!left?.has(user)) addTo(this.inactive, day, user);
    }
  }

  /** Times of a user with such an event who stays known; undefined for any other. */
  timesOf(user: number): {readonly createdMs: number; readonly lastEventMs: number | undefined} | undefined {
    if (!this.users.has(user)) return undefined;
    const createdMs = Math.min(this.firstMs[user], this.identifyMs[user]);
    if (createdMs === never) return undefined;
    return {createdMs, lastEventMs: this.lastMs[user] === -never ? undefined : this.lastMs[user]};
  }

  isGone(user: number): boolean {
    return this.users.has(user) && this.timesOf(user) === undefined;
  }

  *corrected(): Generator<CorrectedUser> {
    for (const user of this.users.members()) {
      const times = this.timesOf(user);
      if (times !== undefined) yield {user, ...times, isIdentified: this.identifyMs[user] !== never};
    }
  }
}

function addTo(days: Days, day: number, user: number): void {
  let users = days.get(day);
  if (users === undefined) {
    users = new UserSet();
    days.set(day, users);
  }
  users.add(user);
}

type Put = (payload: Uint8Array) => Promise<PartRef>;

/** Each run with the times of its users corrected, and without users who are known no more. EN1, EN2 */
export async function correctedUserRuns(
  runs: readonly Run[],
  erased: ErasedName,
  load: LoadPart,
  put: Put,
): Promise<readonly Run[]> {
  return rewritten(
    runs,
    (block) => erased.touches(block.first, block.last),
    load,
    put,
    (payload) => {
      const reader = new UserBlockReader(payload);
      const writer = new UserBlockWriter();
      for (let record = reader.next(); record !== undefined; record = reader.next()) {
        if (erased.isGone(record.user)) continue;
        const times = erased.timesOf(record.user);
        writer.add(times === undefined ? record : {...record, ...times});
      }
      return writer.isEmpty ? undefined : writer.finish();
    },
  );
}

/** Each run without the users of days of which none of their events is left. */
export async function windowRunsWithout(
  runs: readonly Run[],
  inactive: ReadonlyMap<number, UserSet>,
  load: LoadPart,
  put: Put,
): Promise<readonly Run[]> {
  const days = [...inactive.keys()];
  const hasDay = ({first, last}: RunBlock): boolean => days.some((day) => day >= first && day <= last);
  return rewritten(runs, hasDay, load, put, (payload, {first, last}) => ({
    first,
    last,
    payload: encodeWindows(withoutMembers(viewWindows(new Uint8Array(payload)), inactive)), // A copy is aligned.
  }));
}

/** Runs with each block that `isTouched` replaced by what `rewrite` makes of it; undefined: it is left out. */
async function rewritten(
  runs: readonly Run[],
  isTouched: (block: RunBlock) => boolean,
  load: LoadPart,
  put: Put,
  rewrite: (payload: Uint8Array, block: RunBlock) => {first: number; last: number; payload: Uint8Array} | undefined,
): Promise<readonly Run[]> {
  const left: Run[] = [];
  for (const run of runs) {
    const blocks: RunBlock[] = [];
    let {bytes} = run;
    for (const block of run.blocks) {
      const made = isTouched(block) ? rewrite(await load(block.part), block) : undefined;
      if (!isTouched(block)) blocks.push(block);
      else if (made !== undefined) blocks.push({first: made.first, last: made.last, part: await put(made.payload)});
      if (isTouched(block)) bytes += (made?.payload.length ?? 0) - block.part.bytes;
    }
    if (blocks.length > 0) left.push({blocks, bytes});
  }
  return left;
}

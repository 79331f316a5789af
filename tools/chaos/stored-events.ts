// The events of a round, compared with the journal.
//   S1. An acknowledged event is stored exactly once.
//   S2. No event is stored twice, however often it was sent; one without a settling answer at most once.
//   S3. Nothing is stored that was not sent, or that was refused.
//   S4. An event is stored as it was sent, with an id of its own.
//   S5. No event of an erased user is stored.
//   S6. History goes from the newest to the oldest, by (timestamp, partition, ordinal). Where a joined event stands among those of
//       its millisecond its id does not tell.
//   S7. What came with an anonymousId alone is the user's that was named beside it, once such a request was acknowledged.

import {isDeepStrictEqual} from 'node:util';
import {batchEventsMax} from '../../actors/limits.js';
import {formatTime, parseTime} from '../model/calendar.js';
import type {Broken} from './broken.js';
import {groupBy} from './grouping.js';
import type {EventThing} from './journal.js';
import type {EventRow} from './readback.js';
import type {Fate} from './truth.js';

export interface EventFate extends Fate {
  readonly thing: EventThing;
}

export function* brokenEvents(
  fates: readonly EventFate[],
  rows: readonly EventRow[],
  isErased: (thing: EventThing) => boolean,
  /** Lost as the durability class permits, and counted elsewhere. */
  isGone: (thing: EventThing) => boolean = () => false,
): Generator<Broken> {
  const byNumber = groupBy(rows, numberOf);
  const owners = ownersOf(fates);
  const known = new Set(fates.map(({thing}) => thing.n));
  for (const [n, [row]] of byNumber) {
    if (!known.has(n)) yield {invariant: 'invented', detail: `S3 ${JSON.stringify(row)}`};
  }
  for (const fate of fates) {
    const stored = byNumber.get(fate.thing.n) ?? [];
    if (stored.length > 0 || !isGone(fate.thing)) yield* brokenEvent(fate, stored, isErased(fate.thing), owners);
  }
  yield* brokenIds(rows);
  yield* brokenOrder(rows);
}

const numberOf = (row: EventRow): number => Number(row.properties.n);

/** By anonymousId; `isSure`: its user's request was acknowledged. */
type Owners = ReadonlyMap<string, {readonly userId: string; readonly isSure: boolean}>;

function ownersOf(fates: readonly EventFate[]): Owners {
  const owners = new Map<string, {readonly userId: string; readonly isSure: boolean}>();
  for (const {thing, acked} of fates) {
    const {userId, anonymousId} = thing.body;
    if (!thing.isValid || userId == null || anonymousId == null) continue;
    owners.set(anonymousId, {userId, isSure: acked > 0 || (owners.get(anonymousId)?.isSure ?? false)});
  }
  return owners;
}

function* brokenEvent(
  fate: EventFate,
  rows: readonly EventRow[],
  isErased: boolean,
  owners: Owners,
): Generator<Broken> {
  const about = `event ${fate.thing.n}: ${fate.sends} sends, ${fate.acked} acknowledged, ${rows.length} stored`;
  if (isErased) {
    if (rows.length > 0) yield {invariant: 'erased', detail: `S5 ${about}`};
    return;
  }
  if (!fate.thing.isValid) {
    if (fate.acked > 0) yield {invariant: 'refusal', detail: `S3 acknowledged: ${JSON.stringify(fate.thing.body)}`};
    if (rows.length > 0) yield {invariant: 'refusal', detail: `S3 ${about}: ${JSON.stringify(fate.thing.body)}`};
    return;
  }
  if (fate.refused > 0) yield {invariant: 'refusal', detail: `a valid event was refused: ${about}`};
  if (fate.acked > 0 && rows.length === 0) yield {invariant: 'lost', detail: `S1 ${about}`};
  if (rows.length > 1) yield {invariant: 'double', detail: `S2 ${about}: ids ${rows.map(({id}) => id).join(' ')}`};
  for (const row of rows)
    if (!isAsSent(row, fate.thing, owners)) yield {invariant: 'altered', detail: altered(row, fate.thing)};
}

function isAsSent(row: EventRow, {body}: EventThing, owners: Owners): boolean {
  const {id: _, received_at, timestamp, joined, context, ...shown} = row;
  const owner = body.userId == null ? owners.get(body.anonymousId!) : undefined;
  const isJoined = joined === true;
  if (isJoined ? owner === undefined : owner?.isSure) return false; // S7
  const expected = {
    event: body.event,
    userId: isJoined ? owner!.userId : (body.userId ?? null),
    anonymousId: body.anonymousId ?? null,
    properties: body.properties ?? {},
    ...(body.messageId == null ? {} : {messageId: body.messageId}),
  };
  // Events of one person and time keep their order by a millisecond each (docs/api/people.md, Identity).
  const isTimed = body.timestamp != null;
  const sentMs = isTimed ? parseTime(body.timestamp!) : Date.parse(received_at);
  const movedMs = Date.parse(timestamp) - sentMs;
  const expectedContext = isTimed && movedMs > 0 ? {original_timestamp: formatTime(sentMs)} : undefined;
  const isInTime = movedMs >= 0 && movedMs < batchEventsMax;
  return isInTime && isDeepStrictEqual(shown, expected) && isDeepStrictEqual(context, expectedContext);
}

const altered = (row: EventRow, thing: EventThing): string =>
  `S4 sent ${JSON.stringify(thing.body)}, stored ${JSON.stringify(row)}`;

function* brokenIds(rows: readonly EventRow[]): Generator<Broken> {
  if (new Set(rows.map(({id}) => id)).size < rows.length)
    yield {invariant: 'double', detail: 'S4 an id is there twice'};
}

function* brokenOrder(rows: readonly EventRow[]): Generator<Broken> {
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    if (before !== undefined && isAfter(before, row)) {
      yield {
        invariant: 'history',
        detail: `S6 ${before.timestamp} ${before.id} stands before ${row.timestamp} ${row.id}`,
      };
      return;
    }
  }
}

/** S6 */
const isAfter = (before: EventRow, row: EventRow): boolean =>
  before.joined || row.joined ? before.timestamp < row.timestamp : compareRows(before, row) <= 0;

/** The order of history, oldest first. */
export function compareRows(a: EventRow, b: EventRow): number {
  const [aPartition, aOrdinal] = placeOf(a);
  const [bPartition, bOrdinal] = placeOf(b);
  return Date.parse(a.timestamp) - Date.parse(b.timestamp) || aPartition - bPartition || aOrdinal - bOrdinal;
}

/** An id is `<partition>-<ordinal>`. */
export function placeOf({id}: EventRow): readonly [partition: number, ordinal: number] {
  const [partition, ordinal] = id.split('-').map(Number);
  return [partition!, ordinal!];
}

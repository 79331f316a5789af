// GET /v1/events: the history with filters, in pages.
import {historyLimitDefault, historyLimitMax} from '../../../actors/limits.js';
import {RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {askedTime, optionalBoundsOf, timezone} from '../query/asked-times.js';
import {failUnknown, namedUser, type UnknownUser} from '../query/asked-user.js';
import {askerOf} from '../query/asker-of.js';
import {where} from '../query/conditions.js';
import {type HistoryFilters, HistoryReader, type HistoryStart} from '../query/history.js';
import {anyText, askedId, name, optional, wholeNumber, withDefault} from '../query/parameters.js';
import {type QueryValues, readQuery} from '../query/query.js';
import {partitionOfUser} from '../query/user-partition.js';

export const historyForm = {
  userId: optional(askedId, {description: 'Only events of this user.', example: 'ada'}),
  anonymousId: optional(askedId, {
    description: "Only events that were sent with this anonymousId alone, and are not a known user's.",
  }),
  event: optional(name, {description: 'Only events of this name.'}),
  where,
  from: optional(askedTime, {description: 'Only events at or after this ISO 8601 time; a date is its first moment.'}),
  to: optional(askedTime, {description: 'Only events at or before this ISO 8601 time; a date is its last moment.'}),
  timezone,
  limit: withDefault(wholeNumber(historyLimitMax), historyLimitDefault, {
    description: 'Events on a page.',
    example: '1',
  }),
  cursor: optional(anyText, {
    description: 'The `next_cursor` of the page before, with the same filters; `limit` may change.',
  }),
};

type HistoryQuery = QueryValues<typeof historyForm>;

export async function readEvents(front: Front, exchange: Exchange): Promise<void> {
  const found = await historyOf(front, exchange, exchange.query);
  if (typeof found === 'string') exchange.json('200 OK', found);
  else failUnknown(exchange, found);
}

/** A page of the history as JSON. @throws RequestFailure that names a parameter of `text` */
export async function historyOf(front: Front, exchange: Exchange, text: string): Promise<string | UnknownUser> {
  const query = readQuery(text, historyForm);
  const filters = readFilters(query, front);
  const partitions = partitionsOf(front, filters);
  const filterText = JSON.stringify([filters.user, filters.event, filters.fromMs, filters.toMs, filters.where]);
  const start = readCursor(front, query.cursor, filterText, partitions.length);
  const page = await new HistoryReader(front.reads.asks, partitions, filters, askerOf(exchange)).read(
    query.limit,
    start,
  );
  if (page.linkedTo !== undefined) return page;
  const {events, next, ordinalEnds} = page;
  const cursor = next === undefined ? null : front.reads.cursors.seal({place: next, ordinalEnds}, filterText);
  const tail = `"has_more":${next !== undefined},"next_cursor":${JSON.stringify(cursor)}`;
  return `{"data":[${events.join(',')}],${tail}}`;
}

function readFilters(query: HistoryQuery, front: Front): HistoryFilters {
  const {event, where} = query;
  const {fromMs, toMs} = optionalBoundsOf(query, front);
  const user = namedUser(query);
  return {
    ...(user === undefined ? {} : {user}),
    ...(event === undefined ? {} : {event}),
    ...(fromMs === undefined ? {} : {fromMs}),
    ...(toMs === undefined ? {} : {toMs}),
    ...(where.length > 0 && {where}),
  };
}

function partitionsOf({partitionCount}: Front, {user}: HistoryFilters): number[] {
  if (user !== undefined) return [partitionOfUser(user, partitionCount)];
  return Array.from({length: partitionCount}, (_, partition) => partition);
}

function readCursor(
  {reads: {cursors}}: Front,
  text: string | undefined,
  filterText: string,
  partitionCount: number,
): HistoryStart | undefined {
  if (text === undefined) return undefined;
  const cursor = cursors.open(text, filterText);
  if (cursor === undefined || cursor.ordinalEnds.length !== partitionCount) {
    throw new RequestFailure({
      code: 'invalid_cursor',
      message: 'the cursor is damaged, or belongs to other filters',
      field: 'cursor',
    });
  }
  return cursor;
}

// GET /v1/events: the history with filters, in pages.
import type {UserRef} from '../../asks.js';
import type {Exchange} from '../exchange.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {type HistoryFilters, HistoryReader, type HistoryStart} from '../history.js';
import {checkRange, fromParameter, idParameter, limitParameter, nameParameter, toParameter} from '../parameters.js';
import {parseQuery, type Query} from '../query.js';
import {partitionOfUser} from '../user-partition.js';

const form = {
  userId: 'single',
  anonymousId: 'single',
  event: 'single',
  from: 'single',
  to: 'single',
  limit: 'single',
  cursor: 'single',
} as const;

export async function readEvents(front: Front, exchange: Exchange): Promise<void> {
  const query = parseQuery(exchange.query, form);
  const filters = readFilters(query);
  const limit = limitParameter(query);
  const partitions = partitionsOf(front, filters);
  const filterText = JSON.stringify([filters.user, filters.event, filters.fromMs, filters.toMs]);
  const start = readCursor(front, query.get('cursor'), filterText, partitions.length);
  const {events, next, ordinalEnds} = await new HistoryReader(front.asks, partitions, filters).read(limit, start);
  const cursor = next === undefined ? null : front.cursors.seal({place: next, ordinalEnds}, filterText);
  const tail = `"has_more":${next !== undefined},"next_cursor":${JSON.stringify(cursor)}`;
  exchange.json('200 OK', `{"data":[${events.join(',')}],${tail}}`);
}

function readFilters(query: Query): HistoryFilters {
  const event = nameParameter(query, 'event');
  const fromMs = fromParameter(query);
  const toMs = toParameter(query);
  checkRange(fromMs, toMs);
  const user = readUser(query);
  return {
    ...(user === undefined ? {} : {user}),
    ...(event === undefined ? {} : {event}),
    ...(fromMs === undefined ? {} : {fromMs}),
    ...(toMs === undefined ? {} : {toMs}),
  };
}

function readUser(query: Query): UserRef | undefined {
  const userId = idParameter(query, 'userId');
  const anonymousId = idParameter(query, 'anonymousId');
  if (userId !== undefined && anonymousId !== undefined) {
    throw new RequestFailure(invalidRequest('userId and anonymousId name two users: give one of them', 'anonymousId'));
  }
  if (userId !== undefined) return {kind: 'user', id: userId};
  return anonymousId === undefined ? undefined : {kind: 'anonymous', id: anonymousId};
}

function partitionsOf({partitionCount}: Front, {user}: HistoryFilters): number[] {
  if (user !== undefined) return [partitionOfUser(user, partitionCount)];
  return Array.from({length: partitionCount}, (_, partition) => partition);
}

function readCursor(
  {cursors}: Front,
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

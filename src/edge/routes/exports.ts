// GET /v1/export and /v1/user/export: everything as lines of JSON, events also as Parquet (docs/api/exports.md).
//   EX1. All events come from published snapshots, page after page, as of the position of the first page. One person comes live,
//        as of the position at which its partition was when it was asked.
//   EX2. Each page is read when it is due: an event that is deleted meanwhile is on no later page.
import {historyLimitMax} from '../../../actors/limits.js';
import {readEventId} from '../../../actors/report/rows/event-places.js';
import type {Asker} from '../../asks/asker.js';
import type {ExportQuery} from '../../asks/exports.js';
import type {PartitionAnswer} from '../../asks/partition.js';
import {endOfTimeMs} from '../../asks/question/times.js';
import type {UserRef} from '../../asks/users.js';
import {type Header, invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {answerLines, firstPage, type LinePages} from '../http/line-answer.js';
import {EventsAsParquet} from '../parquet/events-as-parquet.js';
import {askedTime, optionalBoundsOf, timezone} from '../query/asked-times.js';
import {failUnknown, oneUser, userForm, userNotFound} from '../query/asked-user.js';
import {askerOf} from '../query/asker-of.js';
import {where} from '../query/conditions.js';
import {HistoryReader, type HistoryStart} from '../query/history.js';
import {name, optional, type TextForm, word} from '../query/parameters.js';
import {readQuery} from '../query/query.js';
import {partitionOfUser} from '../query/user-partition.js';
import {type LineText, linesAs, textForm} from './line-texts.js';
import {anonymousIdsOf, profileFields} from './users.js';

const eventId: TextForm<NonNullable<ReturnType<typeof readEventId>>> = {
  schema: {type: 'string', pattern: '^(0|[1-9]\\d{0,14})-(0|[1-9]\\d{0,14})$'},
  expected: 'the id of an event',
  parse: readEventId,
};

export const exportForm = {
  event: optional(name, {description: 'Only events of this name.', example: 'signup'}),
  from: optional(askedTime, {description: 'Only events at or after this ISO 8601 time; a date is its first moment.'}),
  to: optional(askedTime, {description: 'Only events at or before this ISO 8601 time; a date is its last moment.'}),
  timezone,
  where,
  after: optional(eventId, {
    description:
      'The `id` of the last line of an export that was cut: goes on after it. The answer is as of a new position; the other ' +
      'parameters should be those of before.',
  }),
  format: optional(word<'ndjson' | 'parquet'>(['ndjson', 'parquet']), {
    description: '`parquet`: a file with a column for each member. Default: `ndjson`.',
  }),
  ...textForm,
};

export const userExportForm = {...userForm, ...textForm};

export async function exportEvents(front: Front, exchange: Exchange): Promise<void> {
  const {event, where, after, format, text, ...times} = readQuery(exchange.query, exportForm);
  const {fromMs, toMs} = optionalBoundsOf(times, front);
  const query = {
    fromMs: fromMs ?? 0, // No event is earlier than 1970.
    toMs: toMs ?? endOfTimeMs,
    where,
    ...(event === undefined ? {} : {event}),
    ...(after === undefined ? {} : {afterId: after}),
  };
  const pages = new EventPages(front, askerOf(exchange), query, text);
  const first = await firstPage(pages);
  const file =
    format === 'parquet' ? new EventsAsParquet(front.reads.parquet, Object.fromEntries(pages.headers)) : undefined;
  answerLines(exchange, pages.headers, first, pages, file);
}

const noSuchEvent = invalidRequest(
  'no event has this id any more: begin with from= and the timestamp of the last line',
  'after',
);

class EventPages implements LinePages {
  events = 0;
  headers: readonly Header[] = [];
  private readonly front: Front;
  private readonly asker: Asker;
  private readonly query: Omit<ExportQuery, 'bytesMax' | 'start'>;
  private readonly text: LineText;
  private start: ExportQuery['start'];
  private isOver = false;

  get caller(): string {
    return this.asker.caller;
  }

  constructor(front: Front, asker: Asker, query: Omit<ExportQuery, 'bytesMax' | 'start'>, text: LineText) {
    this.front = front;
    this.asker = asker;
    this.query = query;
    this.text = text;
  }

  async next(bytesMax: number): Promise<Buffer | undefined> {
    if (this.isOver) return undefined;
    const {afterId, ...asked} = this.query;
    const place = this.start === undefined ? (afterId === undefined ? {} : {afterId}) : {start: this.start};
    const answer = await this.front.reads.asks.report(
      {ask: 'export', query: {...asked, ...place, bytesMax}},
      this.asker,
    );
    if (answer.kind === 'unknown_event') throw new RequestFailure(noSuchEvent);
    if (answer.kind !== 'exported') throw new Error(`the report role answered ${answer.kind} to an export`);
    if (this.headers.length === 0)
      this.headers = [
        ['Report-As-Of', answer.asOf],
        ['Report-Log-Position', answer.position],
      ];
    this.start = answer.next;
    this.isOver = answer.next === undefined;
    this.events += answer.events;
    return linesAs(this.text, answer.lines);
  }
}

// -- one person --

export async function exportUser(front: Front, exchange: Exchange): Promise<void> {
  const {text, ...ids} = readQuery(exchange.query, userExportForm);
  const user = oneUser(ids);
  const partition = partitionOfUser(user, front.partitionCount);
  const pages = new UserPages(front, askerOf(exchange), partition, user, text);
  const [profile, anonymousIds, first] = await Promise.all([
    front.reads.asks.partition(partition, {ask: 'profile', user}, ['profile', 'unknown_user']),
    user.kind === 'user' ? anonymousIdsOf(front, user.id) : undefined,
    firstPage(pages),
  ]);
  const unknown = profile.kind === 'unknown_user' ? profile : pages.unknown;
  if (unknown !== undefined) return failUnknown(exchange, unknown);
  const known = profile as Extract<PartitionAnswer, {kind: 'profile'}>;
  const profileLine = linesAs(text, Buffer.from(`{"profile":{${profileFields(exchange, known, anonymousIds)}}}\n`));
  const lines = Buffer.concat([profileLine, first ?? Buffer.alloc(0)]);
  answerLines(exchange, [['Log-Position', pages.position]], lines, pages);
}

/** An event takes some 300 bytes. */
const eventBytes = 256;

/** The history of one user, the newest event first. */
class UserPages implements LinePages {
  events = 0;
  /** Set by a first page of a user who is unknown. */
  unknown: {readonly linkedTo?: string} | undefined;
  readonly caller: string;
  private readonly reader: HistoryReader;
  private readonly text: LineText;
  private start: HistoryStart | undefined;
  private isFirst = true;
  private isOver = false;

  constructor({reads: {asks}}: Front, asker: Asker, partition: number, user: UserRef, text: LineText) {
    this.caller = asker.caller;
    this.reader = new HistoryReader(asks, [partition], {user}, asker);
    this.text = text;
  }

  get position(): string {
    return this.reader.positions.join();
  }

  async next(bytesMax: number): Promise<Buffer | undefined> {
    if (this.isOver) return undefined;
    const limit = Math.min(historyLimitMax, Math.ceil(bytesMax / eventBytes));
    const {events, next, ordinalEnds, ...page} = await this.reader.read(limit, this.start);
    if (page.isUserUnknown && !this.isFirst) throw new RequestFailure(userNotFound); // EX2
    if (page.isUserUnknown) this.unknown = page;
    this.isFirst = false;
    this.isOver = next === undefined;
    if (next !== undefined) this.start = {place: next, ordinalEnds};
    this.events += events.length;
    return linesAs(this.text, Buffer.from(events.map((event) => `${event}\n`).join('')));
  }
}

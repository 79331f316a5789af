// The question of a digest: a kept question over finished days, compared with the range before.
//   FI1. A range that moves ends with the last finished bucket of its interval: its last day, week, month, … Its dates stand in the question:
//        whoever asks it gets the numbers of the digest, whenever that is.
//   FI2. Days are those of the question's zone, at the moment at which the digest is due: one that is late has the same.
import {bucketStart, dateText, type Interval} from '../../actors/calendar.js';
import {dayMs} from '../../actors/limits.js';
import type {ReportQuestion} from '../asks/address.js';
import {daysOf} from '../asks/question/times.js';
import {utc, zoneOf} from '../zone.js';

type Range = string | {readonly from?: string | undefined; readonly to?: string | undefined};
type WeekStart = 'monday' | 'sunday';

/** Members that only some kinds have. */
interface Asked {
  readonly range?: Range | undefined;
  readonly interval?: Interval | undefined;
  readonly week_start?: WeekStart | undefined;
  readonly users?: {readonly did?: readonly {readonly range?: Range | undefined}[] | undefined} | undefined;
}

export function finished(question: ReportQuestion, dueMs: number): ReportQuestion {
  const {range, interval = 'day', week_start: weekStart = 'monday', users} = question as Asked;
  const today = (zoneOf(question.timezone ?? '') ?? utc).dayOf(dueMs);
  const lastDay = lastFinished(interval, weekStart, today);
  const dated = (one: Range | undefined) => one && datesOf(one, today, lastDay, weekStart);
  return {
    ...question,
    compare: question.compare ?? 'before',
    range: dated(range),
    ...(users?.did && {users: {...users, did: users.did.map((deed) => ({...deed, range: dated(deed.range)}))}}),
  } as ReportQuestion;
}

/** Last day of the last bucket that is over. Weeks from Sunday are those from Monday, a day earlier. FI1 */
function lastFinished(interval: Interval, weekStart: WeekStart, today: number): number {
  if (interval === 'hour' || interval === 'day') return today - 1;
  const shift = interval === 'week' && weekStart === 'sunday' ? 1 : 0;
  return bucketStart((today + shift) * dayMs, interval) / dayMs - shift - 1;
}

function datesOf(range: Range, today: number, lastDay: number, weekStart: WeekStart): Range {
  if (typeof range !== 'string') return cut(range, dateText(lastDay));
  const isOver = range === 'yesterday' || range.startsWith('last ');
  const {from, to} = daysOf(range, isOver ? today : lastDay, weekStart);
  return {from: dateText(from), to: dateText(to)};
}

const datePattern = /^\d{4}-\d\d-\d\d$/;

/** A range of dates that is not over yet ends with the last finished day, unless it begins later. */
const cut = (range: Exclude<Range, string>, lastDate: string): Range =>
  [range.from, range.to].every((text) => text !== undefined && datePattern.test(text)) &&
  range.from! <= lastDate &&
  range.to! > lastDate
    ? {...range, to: lastDate}
    : range;

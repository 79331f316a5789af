// GET /v1/reports/retention: for every user, cohort and period the question "did this one return then?", asked of the whole history.

import {type AskedBreakdown, brokenBy, rowsByValue} from './breakdowns.js';
import {type Bucket, bucketsOf, dayMs, hourMs, isInside, parseRange, type Range} from './calendar.js';
import {type Did, didIt, isOfMeant, skippedIn, type UserFilter} from './conditions.js';
import type {JsonObject, Model, StoredEvent} from './model.js';
import {userKeyOf} from './model.js';

export interface RetentionQuery {
  readonly from: string;
  readonly to: string;
  readonly interval: 'hour' | 'day' | 'week' | 'month';
  readonly start: Did;
  readonly return: Did;
  readonly users?: UserFilter;
  readonly periods: number;
  readonly cohort: string;
  readonly criteria: string;
  readonly frame: string;
  readonly breakdown?: readonly AskedBreakdown[];
  readonly timezone?: string;
}

const units = {hour: hourMs, day: dayMs, week: 7 * dayMs, month: 30 * dayMs};
const longest = {...units, month: 31 * dayMs};

/** A user of a cohort. */
interface Member {
  readonly cohort: number;
  readonly start: StoredEvent;
  /** In how many of the periods it returned. */
  readonly returned: readonly boolean[];
}

export function retentionOf(model: Model, query: RetentionQuery, asOfMs: number): JsonObject {
  const {timezone} = query;
  const range = parseRange(query.from, query.to, timezone);
  const cohorts = bucketsOf(range, query.interval, timezone);
  const horizonMs = cohorts.at(-1)!.endMs + (query.periods + 1) * longest[query.interval];
  const later = bucketsOf({fromMs: range.fromMs, toMs: horizonMs}, query.interval, timezone);
  const asked = model.events.filter((event) => isOfMeant(model, event, query.users));
  const histories = new Map<string, StoredEvent[]>();
  for (const event of model.inOrder(asked))
    histories.set(userKeyOf(event.user), [...(histories.get(userKeyOf(event.user)) ?? []), event]);
  const members = [...histories.values()].flatMap((history) => membersOf(history, query, range, cohorts, later));
  const skipped = skippedOf([...histories.values()], query, range, later[cohorts.length + query.periods - 2]!.endMs);
  const fields = (of: readonly Member[]): JsonObject => fieldsOf(of, query, range, cohorts, later, asOfMs);
  const {breakdown} = query;
  const rows = breakdown && rowsByValue(model, breakdown, members, ({start}) => start, fields);
  return {
    interval: query.interval,
    ...(timezone === undefined ? {} : {timezone}),
    ...fields(members),
    ...(breakdown === undefined
      ? {}
      : {
          breakdown: {
            ...brokenBy(breakdown),
            additive: true,
            rows: rows!,
          },
        }),
    ...skipped,
  };
}

/** Of start and return events from `from` to the end of the last period, without users who started before, who are no members. */
function skippedOf(
  histories: readonly (readonly StoredEvent[])[],
  {start, return: returning, interval, periods, cohort, criteria, frame}: RetentionQuery,
  {fromMs, toMs}: Range,
  calendarEndMs: number,
): JsonObject {
  const rollingEndMs = toMs + periods * units[interval];
  const lastMs = criteria === 'on_or_after' ? toMs : (frame === 'rolling' ? rollingEndMs : calendarEndMs) - 1;
  const startedBefore = (history: readonly StoredEvent[]): boolean =>
    history.some((event) => event.timeMs < fromMs && didIt(event, start));
  const looked = histories
    .filter((history) => cohort === 'recurring' || !startedBefore(history))
    .flatMap((history) => history.filter((event) => isInside(event.timeMs, {fromMs, toMs: lastMs})));
  const named = (did: Did): StoredEvent[] => looked.filter((event) => didIt(event, {...did, where: []}));
  return skippedIn([
    [named(start), start.where],
    [named(returning), returning.where],
  ]);
}

function membersOf(
  history: readonly StoredEvent[],
  query: RetentionQuery,
  range: Range,
  cohorts: readonly Bucket[],
  later: readonly Bucket[],
): Member[] {
  const starts = history.filter((event) => didIt(event, query.start));
  const members: Member[] = [];
  for (const [cohort, bucket] of cohorts.entries()) {
    const inside = starts.filter(
      ({timeMs}) => bucket.startMs <= timeMs && timeMs < bucket.endMs && isInside(timeMs, range),
    );
    const start = query.cohort === 'first' ? inside.find((event) => event === starts[0]) : inside[0];
    if (start === undefined) continue;
    const after = history.slice(history.indexOf(start) + 1).filter((event) => didIt(event, query.return));
    const returned = Array.from({length: query.periods}, (_, period) =>
      after.some(({timeMs}) => isReturn(query, range, later, cohort, start.timeMs, period, timeMs)),
    );
    members.push({cohort, start, returned});
  }
  return members;
}

function isReturn(
  {criteria, frame, interval}: RetentionQuery,
  {toMs}: Range,
  later: readonly Bucket[],
  cohort: number,
  startMs: number,
  period: number,
  timeMs: number,
): boolean {
  const periodOfTime =
    frame === 'rolling'
      ? Math.floor((timeMs - startMs) / units[interval])
      : later.findIndex((bucket) => bucket.startMs <= timeMs && timeMs < bucket.endMs) - cohort;
  return criteria === 'on' ? periodOfTime === period : periodOfTime >= period && timeMs <= toMs;
}

function fieldsOf(
  members: readonly Member[],
  query: RetentionQuery,
  {toMs}: Range,
  cohorts: readonly Bucket[],
  later: readonly Bucket[],
  asOfMs: number,
): JsonObject {
  const isComplete = (cohort: number, period: number): boolean => {
    const endMs =
      query.frame === 'rolling'
        ? cohorts[cohort]!.endMs + (period + 1) * units[query.interval]
        : later[cohort + period]!.endMs;
    return endMs <= asOfMs && (query.criteria === 'on' || endMs - 1 <= toMs);
  };
  const periods = Array.from({length: query.periods}, (_, period) => period);
  const table = cohorts.map(({label}, cohort) => {
    const own = members.filter((member) => member.cohort === cohort);
    const cells = periods.map((period) => ({
      count: own.filter(({returned}) => returned[period]).length,
      ...(isComplete(cohort, period) ? {} : {incomplete: true}),
    }));
    return {date: label, size: own.length, cells};
  });
  const overall = periods.map((period) => {
    const complete = members.filter(({cohort}) => isComplete(cohort, period));
    const count = complete.filter(({returned}) => returned[period]).length;
    return {count, size: complete.length, rate: complete.length === 0 ? null : count / complete.length};
  });
  return {cohorts: table, overall};
}

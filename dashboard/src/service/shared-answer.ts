// Which of the answers of a link is that to a question of the page.
//   SA1. A link answers the questions that the report keeps: several events at once, over a range that moves, compared or not. The page
//        asks for one event and one range at a time.
//   SA2. A board may keep one question over several ranges: an answer is that over the days that are asked for, compared days included.
import type {ReportQuestion} from '../../../src/asks/address.js';
import {type FixedQuestion, flatOf} from '../../../src/asks/question/flat.js';
import type {ConditionMember} from '../../../src/asks/question/members.js';
import {rangeText} from '../../../src/asks/question/range-text.js';
import type {CountsAnswer, EntriesAnswer} from '../../../src/edge/answers/counts.js';
import type {SharedAnswer, SharedReportAnswer} from '../../../src/edge/dashboard/answers/shared-report.js';
import {comparedDays} from '../address/compared.js';
import {type Compare, type Days, dayOfMs, daysOf, type Interval, parseRange} from '../address/range.js';
import {boundsText} from '../address/report-address.js';
import {utc, wallMs} from '../address/zone.js';

type Answered = Extract<SharedAnswer, {readonly meta: unknown}>;
type Failed = Exclude<SharedAnswer, Answered>;

/** `key`: flat form of the page's question. Undefined: the link has no answer to it. */
export function sharedAnswer(
  {at, answers}: Pick<SharedReportAnswer, 'at' | 'answers'>,
  key: string,
): {readonly value: unknown; readonly meta: Answered['meta']} | Failed | undefined {
  const asked = paramsOf(key);
  const name = rangeless(asked);
  for (const one of answers) {
    const entry = entriesOf(one.question).findIndex((question) => rangeless(paramsOf(flatOf(question))) === name);
    if (entry < 0) continue;
    if ('error' in one) return one;
    const value = valueFor(one, asked, Date.parse(at));
    if (value !== undefined) return {value: entryOf(value, entry), meta: one.meta};
  }
  return undefined;
}

/** The answer over the range that is asked for. SA2 */
function valueFor(
  {question, answer, previous, so_far: soFar}: Answered,
  asked: URLSearchParams,
  atMs: number,
): unknown {
  const {range, timezone = utc} = question;
  const text = parseRange(rangeText(range, 'week_start' in question ? question.week_start : undefined));
  if (text === undefined) return undefined;
  const days = daysOf(text, dayOfMs(wallMs(timezone, atMs)));
  const isSoFar = asked.get('to')!.includes('T');
  const areAsked = ({from, to}: Days): boolean => {
    const [first, last] = boundsText({from, to, zone: timezone});
    // A moment is within the last day.
    return asked.get('from') === first && (isSoFar || asked.get('to') === last);
  };
  if (areAsked(days)) return answer;
  const {compare = 'off', interval = 'day'} = question as {readonly compare?: Compare; readonly interval?: Interval};
  const past = comparedDays(days, interval, compare);
  if (past === undefined || !areAsked(past)) return undefined;
  return isSoFar ? soFar : previous;
}

/** The question, of each of its events by itself. */
function entriesOf(question: ReportQuestion): readonly FixedQuestion[] {
  if (question.report !== 'counts') return [question as FixedQuestion];
  const {events = [{}], where = [], measure, formulas: _, compare: __, ...common} = question;
  return events.map(({where: own = [], measure: ofOwn = measure, event}) => {
    const entry = {...common, series: false, events: [{event}], where: [...where, ...own], measure: ofOwn};
    return entry as Omit<typeof entry, 'where'> & {where: ConditionMember[]} as FixedQuestion;
  });
}

/** The part of an answer that is of one event. */
function entryOf(answer: unknown, at: number): unknown {
  const {series, formulas: _, ...common} = answer as EntriesAnswer;
  if (!Array.isArray(series)) return answer;
  const {as: __, ...one} = series[at]!;
  return {...common, ...one} satisfies Partial<CountsAnswer>;
}

const paramsOf = (path: string): URLSearchParams => {
  const [route, query] = path.split('?', 2) as [string, string];
  const params = new URLSearchParams(query);
  params.append('route', route);
  return params;
};

/** The days, and what is as usual. */
const notNamed = ['from', 'to', 'breakdown_limit'];
const usual: Readonly<Record<string, string>> = {
  week_start: 'monday',
  measure: 'total',
  range: 'all',
  order: 'sequential',
};

const rangeless = (params: URLSearchParams): string =>
  [...params]
    .filter(([name, text]) => !notNamed.includes(name) && usual[name] !== text)
    .map((pair) => pair.join('='))
    .sort()
    .join('&');

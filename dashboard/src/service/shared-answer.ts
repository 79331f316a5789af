// Which of the answers of a link is that to a question of the page.
//   SA1. A link answers the questions that the report keeps: several events at once, over a range that moves, compared or not. The page
//        asks for one event and one range at a time.
import type {ReportQuestion} from '../../../src/asks/address.js';
import {type FixedQuestion, flatOf} from '../../../src/asks/question/flat.js';
import type {ConditionMember} from '../../../src/asks/question/members.js';
import {rangeText} from '../../../src/asks/question/range-text.js';
import type {CountsAnswer, EntriesAnswer} from '../../../src/edge/answers/counts.js';
import type {SharedAnswer, SharedReportAnswer} from '../../../src/edge/dashboard/answers/shared-report.js';
import {dayOfMs, daysOf, parseRange} from '../address/range.js';
import {boundsText} from '../address/report-address.js';
import {utc, wallMs} from '../address/zone.js';

type Answered = Extract<SharedAnswer, {readonly meta: unknown}>;
type Failed = Exclude<SharedAnswer, Answered>;

/** `key`: flat form of the page's question. Undefined: the link has no answer to it. */
export function sharedAnswer(
  {at, answers}: SharedReportAnswer,
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

/** The answer over the range that is asked for. */
function valueFor(
  {question, answer, previous, so_far: soFar}: Answered,
  asked: URLSearchParams,
  atMs: number,
): unknown {
  const {range, timezone = utc} = question;
  const days = parseRange(rangeText(range, 'week_start' in question ? question.week_start : undefined));
  const today = dayOfMs(wallMs(timezone, atMs));
  const first = days === undefined ? undefined : boundsText({...daysOf(days, today), zone: timezone})[0];
  if (asked.get('from') === first) return answer;
  return asked.get('to')!.includes('T') ? soFar : previous;
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

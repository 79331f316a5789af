// A question that takes several: compared with the range before, or of events with conditions, measures and labels of their own, and formulas over
// them. Its parts are questions as routes have them, and its answer is made of theirs.
//   PA1. An answer of a single part is the text of the report role, as it is.
//   PA2. A part that has no answer is that of the question.
import {dateText, type Interval, isoText} from '../../../actors/calendar.js';
import {dayMs} from '../../../actors/limits.js';
import type {CountsQuestion} from '../../asks/question/counts.js';
import {type Formula, labelsIn, readFormula, valueOfFormula} from '../../asks/question/formula.js';
import type {Question} from '../../asks/question/kinds.js';
import {type Comparison, pastOf, shiftDays} from '../../asks/question/past-range.js';
import {type Service, timesOf, zoneIn} from '../../asks/question/times.js';
import {didYouMean, nearestOf} from '../../nearest.js';
import type {CountsAnswer, EntriesAnswer} from '../answers/counts.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {boundsOf} from './asked-times.js';

interface Parts {
  readonly parts: readonly Question[];
  /** Label of each part of a range, where the answer has them. */
  readonly labels?: readonly string[];
  /** Member of the question that a member of this part is, where it has another name. */
  readonly memberOf: (part: number, member: string) => string | undefined;
  /** JSON text of the answer. `bodies`: those of the parts. */
  readonly answerOf: (bodies: readonly string[]) => string;
}

export interface QuestionParts extends Parts {
  /** JSON text of the answer over the range before; undefined: it is not asked for. */
  readonly previousOf: (bodies: readonly string[]) => string | undefined;
}

/** @throws RequestFailure that names a member */
export function partsOf(question: Question, service: Service): QuestionParts {
  if (!('compare' in question) || question.compare === undefined)
    return {...partsOfRange(question), previousOf: () => undefined};
  const {compare, ...now} = question;
  const own = partsOfRange(now);
  const before = partsOfRange({...now, range: rangeBefore(now, compare, service)});
  return {
    ...own,
    parts: [...own.parts, ...before.parts],
    memberOf: (part, member) => own.memberOf(part % own.parts.length, member),
    previousOf: (bodies) => before.answerOf(bodies.slice(own.parts.length)),
  };
}

function partsOfRange(question: Question): Parts {
  if (question.report === 'counts' && isOfEntries(question)) return entriesOf(question);
  return {parts: [question], memberOf: () => undefined, answerOf: ([body]) => body!}; // PA1
}

type Ranged = Parameters<typeof timesOf>[0] & {readonly range: unknown; readonly interval?: Interval | undefined};

/** Dates are counted in days, so that a day of 23 hours is one. */
function rangeBefore(question: Ranged, compare: Comparison, service: Service) {
  const times = timesOf(question, service);
  const {from, to} = times;
  const {fromMs, toMs} = boundsOf({...times, from: from!, to: to!}, service);
  if (from!.is === 'a date' && to!.is === 'a date') {
    const days = {from: from!.timeMs / dayMs, to: to!.timeMs / dayMs};
    const past = pastOf(days, question.interval ?? 'day', compare);
    return {from: dateText(past.from), to: dateText(past.to)};
  }
  const lengthMs = toMs - fromMs + 1;
  const shiftMs = Math.round(shiftDays(lengthMs / dayMs, compare) * dayMs);
  return {from: isoText(fromMs - shiftMs), to: isoText(toMs - shiftMs)};
}

/**
 * The question over the compared range up to the moment that its own has reached: a whole day is not compared with half. Undefined: it
 * is compared with nothing, or its range is over. `asOfMs`: end of what the answer includes.
 */
export function soFarOf(question: Question, asOfMs: number, service: Service): Question | undefined {
  if (!('compare' in question) || question.compare === undefined) return undefined;
  const {compare, ...now} = question;
  const times = timesOf(now, service);
  const {from, to} = times;
  const zone = zoneIn(times, service);
  if (from!.is !== 'a date' || to!.is !== 'a date' || to!.timeMs / dayMs < zone.dayOf(service.wallMs()))
    return undefined;
  const days = {from: from!.timeMs / dayMs, to: to!.timeMs / dayMs};
  const past = pastOf(days, 'interval' in now ? (now.interval ?? 'day') : 'day', compare);
  const until = isoText(past.momentOf(asOfMs + zone.offsetAt(asOfMs))).replace('Z', '');
  return {...now, range: {from: dateText(past.from), to: until}};
}

// -- entries --

const isOfEntries = ({events = [], formulas = []}: CountsQuestion): boolean =>
  formulas.length > 0 ||
  events.some(({as, measure}) => as !== undefined || measure !== undefined) ||
  (events.length > 1 &&
    (events.some(({event, where = []}) => event === undefined || where.length > 0) ||
      new Set(events.map(({event}) => event)).size < events.length));

function entriesOf({formulas = [], ...question}: CountsQuestion): Parts {
  const events = question.events ?? [{}];
  const labels = events.map(({as}, at) => as ?? String.fromCharCode('A'.charCodeAt(0) + at));
  checkDifferent(labels, (at) => `events/${at}/as`);
  checkDifferent(
    formulas.map(({as}) => as),
    (at) => `formulas/${at}/as`,
  );
  const read = formulas.map(({as, is}, at) => ({as, formula: known(readFormula(is)!, labels, `formulas/${at}/is`)}));
  return {
    labels,
    parts: events.map(({as: _, measure = question.measure, ...entry}) => ({
      ...question,
      events: [entry],
      measure,
      series: false,
    })),
    memberOf: (part, member) =>
      member === 'property' && events[part]!.measure !== undefined ? `events/${part}/measure/property` : undefined,
    answerOf: (bodies) => {
      const answers = bodies.map((body) => JSON.parse(body) as CountsAnswer);
      const {interval, timezone} = answers[0]!;
      const series = answers.map(({interval: _, timezone: __, skipped: ___, ...one}, at) => ({
        as: labels[at]!,
        ...one,
      }));
      const skipped = answers.map((one) => one.skipped).filter((one) => one !== undefined);
      return JSON.stringify({
        interval,
        ...(timezone === undefined ? {} : {timezone}),
        series,
        ...(read.length === 0 ? {} : {formulas: read.map((one) => computed(one, series))}),
        ...(skipped.length === 0 ? {} : {skipped: skipped.reduce((sum, one) => sum + one, 0)}),
      } satisfies EntriesAnswer);
    },
  };
}

function checkDifferent(names: readonly string[], fieldOf: (at: number) => string): void {
  const at = names.findIndex((name, at) => names.indexOf(name) < at);
  if (at >= 0) throw refused(fieldOf(at), `${names[at]} is given to another one already`);
}

/** @throws RequestFailure for a label that no entry has. */
function known(formula: Formula, labels: readonly string[], field: string): Formula {
  const unknown = labelsIn(formula).find((label) => !labels.includes(label));
  if (unknown === undefined) return formula;
  throw refused(field, `no event has the label ${unknown}${didYouMean(nearestOf(unknown, labels))}`);
}

const refused = (field: string, why: string): RequestFailure =>
  new RequestFailure(invalidRequest(`${field}: ${why}`, field));

type Series = Pick<CountsAnswer, 'data' | 'total' | 'total_value'> & {readonly as: string};

function computed({as, formula}: {readonly as: string; readonly formula: Formula}, series: readonly Series[]) {
  const ofLabel = new Map(series.map((one) => [one.as, one]));
  const at = (numberOf: (of: Series) => number | null): number | null =>
    valueOfFormula(formula, (label) => numberOf(ofLabel.get(label)!));
  return {
    as,
    data: series[0]!.data.map(({date}, bucket) => ({
      date,
      value: at(({data}) => {
        const {count, value = count} = data[bucket]!;
        return value;
      }),
    })),
    total_value: at(({total, total_value = total}) => total_value),
  };
}

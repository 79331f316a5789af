// The people behind a number: the question whose answer has it, and its place there, as the report role knows places.
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {isBinStart} from '../../../actors/report/funnel/duration-histogram.js';
import {kindsShown} from '../../../actors/report/rows/value-groups.js';
import type {Breakdown, BreakdownRow} from '../../asks/breakdown.js';
import type {Behind, CountingQuery, Point} from '../../asks/people-behind.js';
import type {BehindMember, PointMember, ReportKind} from '../../asks/question/behind.js';
import {didYouMean, nearestOf} from '../../nearest.js';
import type {RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {partsOf, type QuestionParts} from '../query/question-parts.js';
import {pointing} from '../query/read-question.js';
import {renamed} from '../query/renamed.js';
import {type CountingQueryOf, reportQueries} from './report-queries.js';
import {refused} from './reports.js';

type Member = keyof PointMember;

/** Members of a point, and what they mean to the report role, by the kind of the question. */
const points: {
  readonly [K in ReportKind]: {
    readonly members: readonly Member[];
    readonly read: (point: PointMember, query: CountingQueryOf<K>) => Point;
  };
} = {
  counts: {
    members: ['event', 'as', 'date', 'value', 'kind', 'by'],
    read: (point, query) => ({
      event: seriesIn(point, query),
      bucket: bucketIn('date', point, query),
      row: rowIn(point, query),
    }),
  },
  active: {
    members: ['date', 'value', 'kind'],
    read: (point, query) => ({bucket: bucketIn('date', point, query), row: rowIn(point, query)}),
  },
  funnel: {members: ['step', 'outcome', 'date', 'value', 'kind', 'seconds_from'], read: funnelPoint},
  retention: {members: ['cohort', 'period', 'outcome', 'value', 'kind'], read: retentionPoint},
  lifecycle: {
    members: ['date', 'state'],
    read: (point, query) => {
      if (point.date === undefined) throw wrong('date', 'is required: the number is of a bucket');
      return {bucket: bucketIn('date', point, query), stage: point.state};
    },
  },
  stickiness: {
    members: ['buckets'],
    read: ({buckets}, query) => {
      const {count} = Buckets.of(query);
      if (buckets !== undefined && buckets > count)
        throw wrong('buckets', `must be at most ${count}: so many there are`);
      return {buckets};
    },
  },
  paths: {members: ['step', 'event', 'kind', 'from', 'to'], read: pathPoint},
};

const ofQuestion = 'behind/question';

/** @throws RequestFailure that names members */
export function behindOf({question, point = {}}: BehindMember, front: Front): Behind {
  const parts = pointing(ofQuestion, () => partsOf(question, front));
  const {members, read} = points[question.report];
  checkMembers(point, [...members, 'previous'], question.report);
  const at = partIn(point, parts);
  const query = pointing(ofQuestion, () =>
    renamed(
      (field) => parts.memberOf(at, field),
      () => queryOf(parts.parts[at] as typeof question, front),
    ),
  );
  return {query, point: (read as (point: PointMember, query: CountingQuery) => Point)(point, query)};
}

const queryOf = (question: BehindMember['question'], front: Front): CountingQuery =>
  (reportQueries[question.report] as (asked: typeof question, front: Front) => CountingQuery)(question, front);

function checkMembers(point: PointMember, members: readonly Member[], report: ReportKind): void {
  for (const member of Object.keys(point) as Member[]) {
    if (members.includes(member)) continue;
    throw wrong(member, `is not of a number of ${report}, which has ${members.join(', ')}`);
  }
}

/** The part of the question whose answer has the number. */
function partIn({as, previous = false}: PointMember, {parts, labels}: QuestionParts): number {
  const count = labels?.length ?? 1;
  if (previous && parts.length === count) throw wrong('previous', 'goes with compare of the question');
  const first = previous ? count : 0;
  if (labels === undefined) {
    if (as !== undefined) throw wrong('as', 'goes with series that have labels: name the event');
    return first;
  }
  if (as === undefined && count > 1) throw wrong('as', `is required: ${oneOf(labels)}`);
  const at = as === undefined ? 0 : labels.indexOf(as);
  if (at < 0) throw wrong('as', `${oneOf(labels)}${didYouMean(nearestOf(as!, labels))}`);
  return first + at;
}

const wrong = (member: Member, why: string): RequestFailure =>
  refused(`behind/point/${member} ${why}`, `behind/point/${member}`);

const oneOf = (words: readonly string[]): string => `must be one of ${words.join(', ')}`;

/** A series of counts; undefined: there is one. */
function seriesIn({event}: PointMember, {isList, events = []}: CountingQueryOf<'counts'>): string | undefined {
  if (event === undefined) {
    if (isList && events.length > 1) throw wrong('event', `is required: ${oneOf(events)}`);
    return undefined;
  }
  if (!events.includes(event)) {
    const of = events.length === 0 ? 'is not of counts of every name' : oneOf(events);
    throw wrong('event', `${of}${didYouMean(nearestOf(event, events))}`);
  }
  return event;
}

function bucketIn(
  member: 'date' | 'cohort',
  point: PointMember,
  query: Parameters<typeof Buckets.of>[0],
): number | undefined {
  const date = point[member];
  if (date === undefined) return undefined;
  const labels = Buckets.of(query).labels();
  const bucket = labels.indexOf(date);
  if (bucket >= 0) return bucket;
  const ends = labels.length === 1 ? labels[0] : `${labels[0]}, ..., ${labels.at(-1)}`;
  throw wrong(member, `must be a date of the answer: ${ends}`);
}

function rowIn(
  {value, kind, by}: PointMember,
  {breakdown = []}: {readonly breakdown?: readonly Breakdown[] | undefined},
): readonly BreakdownRow[] | undefined {
  const member = value === undefined ? 'kind' : 'value';
  const hasName = value !== undefined || kind !== undefined;
  if (by !== undefined) {
    if (hasName) throw wrong(member, 'and by exclude each other');
    if (by.length !== breakdown.length)
      throw wrong('by', `must have ${breakdown.length} entries: one for each breakdown`);
    return by.map(({value, kind}) => (value === undefined ? {kind: kind!} : {value}));
  }
  if (!hasName) return undefined;
  if (breakdown.length === 0) throw wrong(member, 'goes with a breakdown of the question');
  if (breakdown.length > 1) throw wrong(member, 'is of one breakdown: of several, by names the row');
  if (value !== undefined && kind !== undefined) throw wrong('kind', 'and value exclude each other');
  if (value !== undefined) return [{value}];
  if (kind === 'end') throw wrong('kind', oneOf(kindsShown));
  return [{kind: kind!}];
}

const ofFunnel = ['reached', 'dropped', 'undecided'] as const;

function funnelPoint(point: PointMember, query: CountingQueryOf<'funnel'>): Point {
  const {step = 1, outcome = 'reached', date, seconds_from: seconds} = point;
  const {steps, interval, histogram, range} = query;
  if (!(ofFunnel as readonly string[]).includes(outcome)) throw wrong('outcome', oneOf(ofFunnel));
  if (step > steps.length) throw wrong('step', `must be at most ${steps.length}: so many there are`);
  if (outcome === 'dropped' && step === 1) throw wrong('step', 'must be at least 2: nobody drops out before the first');
  if (outcome === 'undecided') {
    if (range !== 'entry') throw wrong('outcome', 'can be undecided with in_range entry alone');
    if (point.step !== undefined) throw wrong('step', 'is not of those who are undecided');
  }
  if (date !== undefined && interval === undefined) throw wrong('date', 'goes with an interval of the question');
  const row = rowIn(point, query);
  const bucket = date === undefined ? undefined : bucketIn('date', point, {...query, interval: interval!});
  if (seconds === undefined) return {step, outcome, bucket, row};
  if (histogram === undefined) throw wrong('seconds_from', 'goes with a histogram of the question');
  if (outcome !== 'reached' || step === 1)
    throw wrong('seconds_from', 'is of those who reached a step after the first');
  const binMs = Math.round(seconds * 1_000);
  if (!isBinStart(histogram, binMs)) throw wrong('seconds_from', 'must be the seconds_from of a bin of the answer');
  return {step, outcome, bucket, row, binMs};
}

const ofRetention = ['returned', 'member'] as const;

function retentionPoint(point: PointMember, query: CountingQueryOf<'retention'>): Point {
  const {cohort, period, outcome} = point;
  if (outcome !== undefined && !(ofRetention as readonly string[]).includes(outcome))
    throw wrong('outcome', oneOf(ofRetention));
  if (cohort === undefined && period === undefined) throw wrong('cohort', 'is required, or period');
  if (period !== undefined && period >= query.periods)
    throw wrong('period', `must be at most ${query.periods - 1}: so many the question has`);
  if (outcome === 'returned' && period === undefined) throw wrong('period', 'is required: in which the users returned');
  return {bucket: bucketIn('cohort', point, query), period, outcome, row: rowIn(point, query)};
}

function pathPoint({step, event, kind, from, to}: PointMember, {depth}: CountingQueryOf<'paths'>): Point {
  if (step === undefined) throw wrong('step', 'is required');
  const isEdge = from !== undefined || to !== undefined;
  const last = isEdge ? depth - 1 : depth;
  if (step > last) throw wrong('step', `must be at most ${last}${isEdge ? ' for an edge' : ''}: so many there are`);
  if (!isEdge) {
    if (event !== undefined && kind !== undefined) throw wrong('kind', 'and event exclude each other');
    if (event === undefined && kind === undefined) throw wrong('event', 'is required: or kind, or from and to');
    if (kind !== undefined && kind !== 'end' && kind !== 'other') throw wrong('kind', oneOf(['end', 'other']));
    return {step, from: event === undefined ? {kind: kind as 'end' | 'other'} : {event}};
  }
  const double = event === undefined ? kind && 'kind' : 'event';
  if (double !== undefined) throw wrong(double, 'and an edge exclude each other');
  if (from === undefined || to === undefined)
    throw wrong(from === undefined ? 'from' : 'to', 'is required: an edge has both');
  if (from.kind === 'end') throw wrong('from', 'must be an event, or kind other: a path that ended goes nowhere');
  if ((from.kind === 'other') !== (to.kind === 'other'))
    throw wrong('to', 'is of kind other where from is, and only there');
  return {step, from: nodeOf(from), to: nodeOf(to)};
}

const nodeOf = ({event, kind}: NonNullable<PointMember['from']>) => (event === undefined ? {kind: kind!} : {event});

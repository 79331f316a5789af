// Questions of every kind, as POST /v1/query takes them. The model does not know most of them: they compare two deployments.
import {eventNames, type Workload} from './workload.js';

type Question = Readonly<Record<string, unknown>>;

const always = {from: '1970-01-01', to: '2100-01-01'};

/** Reports, some with a point of the answer: who is behind that number. */
function reports({random}: Workload, range: object): readonly (readonly [question: Question, point?: object])[] {
  const one = {event: random.pick(eventNames)};
  const other = {event: random.pick(eventNames.filter((name) => name !== one.event))};
  const third = {event: random.pick(eventNames)};
  const users = {
    did: [
      {...other, range: always},
      {...third, range, not: true},
    ],
  };
  const by = (property: string): object => ({breakdown: [{property, limit: random.between(1, 5)}]});
  const funnel = {report: 'funnel', steps: [one, other]};
  return [
    [
      {report: 'counts', events: [one], measure: {of: 'sum', property: 'n'}, ...by('plan'), interval: 'month', range},
      {},
    ],
    [{report: 'counts', events: [one, other], measure: {of: 'users'}, interval: 'year', range: always}, {...other}],
    [{report: 'counts', measure: {of: 'p90', property: 'n'}, where: ['n lt 2'], interval: 'year', range: always}],
    [{report: 'counts', users: {where: ['plan set']}, breakdown: [{trait: 'plan'}], interval: 'week', range}, {}],
    [{report: 'counts', events: [one, other], formulas: [{as: 'ratio', is: 'A / B'}], interval: 'month', range}],
    [{report: 'active', metric: 'wau', interval: 'day', range}, {}],
    [{report: 'active', events: [one], users, ...by('on'), interval: 'month', range: always}, {}],
    [{...funnel, steps: [one, other, third], histogram: 'clock', percentiles: true, range: always}, {step: 2}],
    [
      {...funnel, window: '3d', in_range: 'entry', interval: 'month', ...by('plan'), range},
      {outcome: 'dropped', step: 2},
    ],
    [{...funnel, hold: 'plan', order: 'any', range: always}, {}],
    [{...funnel, order: 'strict', window: '7d', range: always}],
    [
      {...funnel, exclude: [third], range: always},
      {outcome: 'dropped', step: 2},
    ],
    [{report: 'retention', start: one, return: other, interval: 'month', periods: 6, range}, {period: 1}],
    [{report: 'retention', start: one, interval: 'week', cohort: 'recurring', ...by('n'), periods: 3, range}],
    [
      {report: 'lifecycle', events: [one], interval: 'month', range: always},
      {date: '2024-03-01', state: 'new'},
    ],
    [{report: 'stickiness', events: [one], interval: 'year', range: always}, {buckets: 1}],
    [
      {report: 'paths', start: one, depth: 5, limit: 4, range: always},
      {step: 1, ...one},
    ],
    [{report: 'paths', end: one, users, range}],
  ];
}

const lists = ({random}: Workload, range: object): readonly Question[] => [
  {report: 'names', include: 'users', range: always},
  {report: 'properties', range},
  {report: 'properties', event: random.pick(eventNames), range: always},
  {report: 'values', property: random.pick(['plan', 'n', 'a.b']), range: always},
  {report: 'traits'},
  {report: 'trait_values', trait: 'plan'},
  {report: 'people', sort: 'events', limit: 1_000},
  {report: 'people', sort: {sum: 'n'}, event: random.pick(eventNames), range, limit: 5},
  {report: 'people', users: {where: ['plan set']}},
];

/** Each a request of its own: at most 30 questions. */
export function questionsOf(workload: Workload): readonly (readonly Question[])[] {
  const {from, to} = workload.months();
  const asked = reports(workload, {from, to});
  const behind = asked.flatMap(([question, point]) =>
    point === undefined ? [] : [{report: 'people', behind: {question, point}, limit: 1_000}],
  );
  return [asked.map(([question]) => question), behind, lists(workload, {from, to})];
}

// Parameters that each are in order and do not go together, and texts that no schema excludes: the route of the report names the one
// at fault. What a schema excludes is refused in declared.test.ts.
import {expect, test} from 'vitest';
import {RequestFailure} from '../../src/edge/failure.js';
import type {Front} from '../../src/edge/front.js';
import {usersReport} from '../../src/edge/routes/active-users.js';
import {countsReport} from '../../src/edge/routes/event-counts.js';
import {namesReport} from '../../src/edge/routes/event-names.js';
import {funnelReport, funnelUsersReport} from '../../src/edge/routes/funnel.js';
import {lifecycleReport} from '../../src/edge/routes/lifecycle.js';
import {pathsReport} from '../../src/edge/routes/paths.js';
import type {ReportRoute} from '../../src/edge/routes/reports.js';
import {retentionReport} from '../../src/edge/routes/retention.js';
import {stickinessReport} from '../../src/edge/routes/stickiness.js';
import {userList} from '../../src/edge/routes/user-list.js';

const hidden = {names: [], properties: []};
const front = {
  reportZone: undefined,
  wallMs: () => Date.UTC(2024, 4, 21),
  kept: {keys: {lists: hidden}},
} as unknown as Front;

/** The parameters of `more` in place of those of the same names; a minus takes one away. */
function edited(base: string, more: string): string {
  const [asked, edits] = [new URLSearchParams(base), new URLSearchParams(more)];
  for (const name of new Set(edits.keys())) asked.delete(name);
  for (const [name, value] of edits) if (value !== '-') asked.append(name, value);
  return asked.toString();
}

/** The field that is refused; undefined: none is. */
function refusedAt(route: ReportRoute, query: string): string | undefined {
  try {
    route.questionOf(front, query);
    return undefined;
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
    expect(['invalid_request', 'invalid_cursor']).toContain(error.failure.code);
    return error.failure.field;
  }
}

const day = 'from=2024-01-01&to=2024-01-01';
const many = (count: number, pair: string): string => new Array(count).fill(pair).join('&');
const each = (name: string, ...texts: readonly string[]): string[] =>
  texts.map((text) => `${name}=${encodeURIComponent(text)}`);
const hour = 3_600_000;
const hours = (count: number): string =>
  `interval=hour&from=2020-01-01&to=${new Date(Date.UTC(2020, 0, 1) + (count - 1) * hour).toISOString()}`;

/** By field: what is refused for it. Without a field: what is taken. */
type Rows = Readonly<Record<string, readonly string[]>>;

const ranges: Rows = {
  from: ['from=2024-01-02', 'from=2024-01-01T00:00:00.001Z&to=2024-01-01T00:00Z'],
  '': ['from=2024-01-01T12:00', 'from=2024-01-01T12:00&to=2024-01-01T12:00'],
  timezone: each('timezone', 'Berlin', '+5:00', '+24:00', 'Europe/Berlin '),
  at: each('at', '0', '0:1', '1.2', 'x:1.1', '0:1.1,'),
};
const buckets: Rows = {
  from: ['from=0000-01-02&to=0000-01-02&interval=week'],
  to: [`from=9999-12-31&interval=hour&${each('to', '9999-12-31T23:59:59-10:00')[0]}`],
  interval: [hours(10_001), 'from=1970-01-01', ...each('interval', 'minute', 'days', ' day')],
  '': [hours(10_000), 'from=1990-01-01&interval=week', 'from=0000-01-03&to=0000-01-03&interval=week'],
};
const anyOrOne: Rows = {event: ['event=-', 'any_event=true']};

const table: readonly (readonly [name: string, route: ReportRoute, base: string, rows: readonly Rows[]])[] = [
  [
    'counts',
    countsReport,
    `event=x&${day}`,
    [
      ranges,
      buckets,
      anyOrOne,
      {
        event: ['events[]=other'],
        filter: each('filter', 'plan', '=x', '=', ' '),
        where: [
          ...each('where', 'plan', 'plan eq', 'eq pro', 'plan is pro', 'n gt ten', 'n set 1', 'a in \\x', '"a eq 1'),
          ...each('where', 'referrer null x'),
          many(11, 'where=a+set'),
        ],
        property: ['measure=sum', 'measure=users&property=n', 'property=n'],
        breakdown_limit: ['breakdown_limit=5', 'breakdown=plan&interval=hour&from=2023-01-01&to=2024-01-31'],
        metric: ['metric=dau'],
      },
    ],
  ],
  ['active users', usersReport, day, [ranges, buckets]],
  [
    'funnel',
    funnelReport,
    `steps[]=a&steps[]=b&${day}`,
    [
      ranges,
      {
        '': [many(1, 'steps[]=a'), many(50, 'steps[]=a'), 'from=1970-01-01', 'window=99999999999999999999d'],
        'steps[]': ['steps[]=-', many(51, 'steps[]=a')],
        steps: ['steps=a'],
        window: [
          'range=entry',
          ...each('window', '0', '01', '0d', '1w', '1D', '-1', '+1', '1.5', '1 d', ' 1', 'd', '1dd', '1ms', '1e3', '٣'),
        ],
        'where[3]': ['where[3]=plan+set'],
        'where[1]': ['where[1]=plan'],
        'exclude[1]': ['exclude[1]=x&order=strict'],
        'exclude[2]': ['exclude[2]=x&order=any'],
        'exclude_between[1]': ['exclude[1]=x&exclude_between[1]=2-1', 'exclude[1]=x&exclude_between[1]=1-3'],
        'exclude_where[1]': ['exclude_where[1]=plan+set'],
        breakdown_at: ['breakdown_at=1', 'breakdown_at=3&breakdown=plan', 'breakdown_at=1&breakdown=trait:plan'],
        breakdown_limit: ['breakdown_limit=3'],
        week_start: ['week_start=sunday'],
        interval: each('interval', 'minute', 'days'),
      },
    ],
  ],
  [
    'users of a funnel',
    funnelUsersReport,
    `steps[]=a&steps[]=b&step=1&${day}`,
    [
      {
        '': ['step=2&outcome=dropped', 'step=2&breakdown=plan&breakdown_value=pro'],
        step: ['step=3', 'outcome=dropped'],
        breakdown: ['breakdown=plan'],
        breakdown_value: ['breakdown_value=pro'],
        breakdown_kind: [
          'breakdown_kind=missing',
          'breakdown=plan&breakdown_kind=other',
          'breakdown=plan&breakdown_value=pro&breakdown_kind=null',
        ],
        interval: ['interval=day'],
        cursor: ['cursor=x'],
      },
    ],
  ],
  [
    'retention',
    retentionReport,
    `start=a&return=b&periods=2&${day}`,
    [
      ranges,
      {
        '': ['return=-&any_return=true'],
        return: ['any_return=true', 'return=-'],
        start: ['start=-'],
        periods: ['interval=hour&to=2024-12-31&periods=60'],
        interval: ['interval=quarter'],
      },
    ],
  ],
  ['lifecycle', lifecycleReport, `event=x&${day}`, [ranges, anyOrOne]],
  ['stickiness', stickinessReport, `event=x&${day}`, [ranges, anyOrOne]],
  ['paths', pathsReport, `start=a&${day}`, [ranges, {start: ['end=b', 'start=-'], interval: ['interval=day']}]],
  ['names', namesReport, day, [ranges, {event: ['event=a'], cursor: ['cursor=x']}]],
  [
    'list of users',
    userList,
    '',
    [
      {
        'did[1]': ['did[1]=2024-01-01', 'did[1]=2024-01-02..2024-01-01'],
        'did_not[1]': ['did[1]=..&did_not[1]=..'],
        'did_event[1]': ['did_event[1]=a'],
        'did_where[2]': ['did[1]=..&did_where[2]=plan+set'],
        sort: each('sort', 'event', 'sum:', 'sum'),
        cursor: ['cursor=x'],
      },
    ],
  ],
];

const cases = table.flatMap(([name, route, base, all]) =>
  all.flatMap((rows) =>
    Object.entries(rows).flatMap(([field, texts]) =>
      texts.map((more) => [name, more.slice(0, 80), field, {route, base, more}] as const),
    ),
  ),
);
test.each(cases)('%s with %s: %s', (_, __, field, {route, base, more}) => {
  expect(refusedAt(route, edited(base, more))).toBe(field === '' ? undefined : field);
});

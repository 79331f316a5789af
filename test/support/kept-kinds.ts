// What tests send of each kind of things that people keep.
import type {KeptName} from '../../src/edge/dashboard/answers/record.js';

interface KeptKind {
  /** Bodies of creations; in the order of the list, unless that is the one of creation. */
  readonly bodies: readonly [object, object, object];
  readonly isByCreation?: true;
  /** Its earlier name in answers to outdated changes. */
  readonly currentName?: string;
  readonly change: object;
  /** Refused bodies, by the field at fault. */
  readonly wrong: readonly (readonly [field: string, body: object])[];
}

const launch = {at: '2026-11-03', text: 'Launch'};

const signups = {report: 'counts', events: [{event: 'signup'}], range: '-30d', timezone: 'UTC'};
const ofCounts = (more: object = {}) => ({...signups, series: false, interval: 'day', week_start: 'monday', ...more});
const segment = 'sg_0123456789abcdef';
/** Questions of alerts. */
const ofAll = {report: 'counts', timezone: 'UTC'};
const ofFailures = {...ofAll, events: [{event: 'failed', where: ['plan eq pro']}], measure: {of: 'users'}};
const ofFunnel = {
  report: 'funnel',
  steps: [{event: 'a', where: ['plan eq <b>']}],
  range: 'this month',
  timezone: 'UTC',
  percentiles: false,
};
const through = (...events: readonly string[]) => ({report: 'funnel', steps: events.map((event) => ({event}))});
const asking = (...questions: unknown[]) => ({name: 'r', questions});
const tiled = (tiles: unknown) => ({name: 'b', tiles});
const tile = {questions: [ofCounts()]};

/** Id of the saved report that digests are of. A test that sends them has it there first. */
export const digested = {id: 'sr_00000000000000d1'};
const ofDigested = (more: object) => ({
  get of() {
    return digested.id;
  },
  ...more,
});

export const keptKinds: Readonly<Record<KeptName, KeptKind>> = {
  'saved-report': {
    bodies: [
      {name: 'First', questions: [ofCounts({compare: 'year'})], place: -2.5},
      {name: 'Growth', questions: [ofCounts(), ofCounts({measure: {of: 'users'}})], place: 1},
      {name: 'Funnel', questions: [ofFunnel], view: {every: 'week'}, place: 2},
    ],
    change: {name: 'First of all', questions: [ofCounts({events: [{event: 'login'}]})]},
    wrong: [
      ['questions', {name: 'r'}],
      ['questions', asking()],
      ['questions', asking(...Array(11).fill(signups))],
      [
        'questions',
        asking({...signups, events: Array(9).fill({event: 'a', where: Array(10).fill(`a eq ${'x'.repeat(900)}`)})}),
      ],
      ['/questions/0/report', asking({report: 'people'})],
      ['/questions/0/report', asking({report: 'count', events: []})],
      ['/questions/1/rnge', asking(signups, {...signups, rnge: 'today'})],
      ['/questions/0/events/0/where/0', asking({...signups, events: [{event: 'a', where: ['plan is']}]})],
      ['/questions/0/range', asking({...signups, range: 'soon'})],
      ['/questions/0/users/segment', asking({...signups, users: {segment: 'sg_0123456789abcdef'}})],
      ['/questions/0/interval', asking({...signups, range: '-9000d', interval: 'hour'})],
      ['view.show', {...asking(signups), view: {show: 'all'}}],
      ['name', {...asking(signups), name: ''}],
      ['place', {...asking(signups), place: '1'}],
      ['more', {...asking(signups), more: 1}],
    ],
  },
  board: {
    bodies: [
      {name: 'Main', place: 0, tiles: [tile, {questions: [ofFunnel], view: {every: 'week'}}]},
      {
        name: 'Growth',
        place: 1,
        tiles: [
          {text: 'Why\n<b>we</b> look', width: 'full'},
          {...tile, name: 'New', width: 'third'},
        ],
      },
      {name: 'Others', place: 2, tiles: [{questions: [ofCounts({events: undefined})]}]},
    ],
    change: {name: 'Main of all', tiles: [{questions: [ofFunnel]}]},
    wrong: [
      ['tiles', tiled(Array(13).fill(tile))],
      ['tiles', tiled('/active')],
      ['/tiles/0', tiled(['/trends?event=a'])],
      ['/tiles/0/questions', tiled([{}])],
      ['/tiles/0/questions/0/report', tiled([{questions: [{report: 'names'}]}])],
      [
        '/tiles/1/questions/0/range/from',
        tiled([tile, {questions: [{...signups, range: {from: '2026-05-02', to: '2026-05-01'}}]}]),
      ],
      ['/tiles/0/name', tiled([{...tile, name: ''}])],
      ['/tiles/0/width', tiled([{...tile, width: 'quarter'}])],
      ['/tiles/0/text', tiled([{text: ' '}])],
      ['/tiles/0/text', tiled([{text: 'x'.repeat(2_001)}])],
      ['/tiles/0/questions', tiled([{...tile, text: 'a'}])],
      ['/tiles/0/questions', tiled([{text: 'a', view: {look: 'bars'}}])],
      ['/tiles/0/more', tiled([{text: 'a', more: 1}])],
      ['name', {name: ''}],
      ['name', {name: 'x'.repeat(300)}],
      ['place', {name: 'b', place: '1'}],
      ['more', {name: 'b', more: 1}],
    ],
  },
  share: {
    isByCreation: true,
    bodies: [
      {...asking(ofCounts()), ends_at: '2199-01-01T00:00:00.000Z', origins: ['https://wiki.example.com']},
      {...asking(ofFunnel), view: {every: 'week'}, ends_at: 'never'},
      {...asking(ofCounts({events: [{event: 'a', where: ['email set']}]})), may_name_people: true},
    ],
    change: {name: 'First of all', ends_at: 'never'},
    wrong: [
      ['report', {}],
      ['report', {report: 7}],
      ['report', {report: 'sr_0123456789abcdef'}],
      ['report', {report: 'nothing'}],
      ['board', {board: 'bd_0123456789abcdef'}],
      ['board', {report: 'sr_0123456789abcdef', board: 'bd_0123456789abcdef'}],
      ['name', {board: 'bd_0123456789abcdef', name: 'b'}],
      ['name', {report: 'sr_0123456789abcdef', name: 'r'}],
      ['name', {questions: [signups]}],
      ['view', {report: 'sr_0123456789abcdef', view: {show: 'users'}}],
      ['questions', asking()],
      ['/questions/0/report', asking({report: 'people'})],
      ['/questions/0/range', asking({...signups, range: 'soon'})],
      ['ends_at', {...asking(signups), ends_at: '2020-01-01T00:00Z'}],
      ['ends_at', {...asking(signups), ends_at: '2199-01-01'}],
      ['ends_at', {...asking(signups), ends_at: '2199-02-30T00:00Z'}],
      ['ends_at', {...asking(signups), ends_at: 30}],
      ['origins.0', {...asking(signups), origins: ['*']}],
      ['origins.0', {...asking(signups), origins: ['https://a.example/path']}],
      ['origins.0', {...asking(signups), origins: ["https://a.example;script-src 'unsafe-inline'"]}],
      ['origins.0', {...asking(signups), origins: ['https://a.example;sandbox']}],
      ['origins.0', {...asking(signups), origins: ['https://a.example,https://b.example']}],
      ['origins.0', {...asking(signups), origins: ['https://a.example\r\nX: y']}],
      ['origins.0', {...asking(signups), origins: ['app://a.example']}],
      ['origins', {...asking(signups), origins: Array.from({length: 11}, (_, n) => `https://a${n}.example`)}],
      ['may_name_people', {...asking(signups), may_name_people: 'yes'}],
      ['may_name_people', asking({...signups, users: {where: ['email set']}})],
      ['days', {...asking(signups), days: 30}],
    ],
  },
  annotation: {
    bodies: [
      {at: '2026-11-05T10:00Z', text: 'Mail to everybody <b>'},
      {at: '2026-11-04T23:59:59.5Z', text: 'x'.repeat(200)},
      {at: '2026-11-03', text: 'Price of pro raised'},
    ],
    change: {text: 'Price of pro raised again'},
    wrong: [
      ['at', {...launch, at: '2026-02-30'}],
      ['at', {...launch, at: '2026-11-03T10:00'}],
      ['at', {...launch, at: '2026-11-03T10:00+01:00'}],
      ['at', {...launch, at: 'today'}],
      ['at', {text: 'Launch'}],
      ['text', {...launch, text: ''}],
      ['text', {...launch, text: 'x'.repeat(201)}],
      ['text', {...launch, text: 'two\nlines'}],
      ['by', {...launch, by: 'ada'}],
    ],
  },
  segment: {
    isByCreation: true,
    bodies: [
      {name: 'Paying', users: {where: ['plan in pro,team']}},
      {name: 'Here this week', users: {did: [{event: 'login', range: '-7d', not: false}]}},
      {
        name: 'Lost <b>',
        users: {
          where: ['plan eq pro'],
          did: [
            {event: 'login', where: ['n gt 1'], range: {to: '2026-05-01'}, not: false},
            {event: 'login', range: {from: '2026-05-02'}, not: true},
          ],
        },
      },
    ],
    change: {users: {where: ['plan eq free']}},
    wrong: [
      ['name', {users: {where: ['plan eq pro']}}],
      ['name', {name: '', users: {where: ['plan eq pro']}}],
      ['users', {name: 's'}],
      ['users', {name: 's', users: {}}],
      ['users', {name: 's', users: {where: []}}],
      ['users.where.1', {name: 's', users: {where: ['plan eq pro', 'plan equals pro']}}],
      ['users.segment', {name: 's', users: {segment: 'sg_0123456789abcdef'}}],
      ['users.did', {name: 's', users: {did: Array.from({length: 6}, () => ({event: 'a'}))}}],
      ['users.did.0.evnt', {name: 's', users: {did: [{evnt: 'a'}]}}],
      ['users.did.1.range', {name: 's', users: {did: [{}, {range: {from: '2026-05-02', to: '2026-05-01'}}]}}],
      ['more', {name: 's', users: {where: ['plan eq pro']}, more: 1}],
    ],
  },
  'described-name': {
    isByCreation: true,
    bodies: [
      {event: 'signup', description: 'Somebody made an account.', owner: 'Growth', state: 'live'},
      {event: 'paid <b>', description: 'Two\nlines.', owner: '', state: 'planned'},
      {event: 'login', description: '', owner: 'x'.repeat(100), state: 'retired'},
    ],
    change: {state: 'retired', owner: 'Core'},
    wrong: [
      ['event', {description: 'Of nothing'}],
      ['event', {event: ''}],
      ['event', {event: 'x'.repeat(257)}],
      ['description', {event: 'a', description: 'x'.repeat(501)}],
      ['owner', {event: 'a', owner: 'x'.repeat(101)}],
      ['owner', {event: 'a', owner: 7}],
      ['state', {event: 'a', state: 'gone'}],
      ['more', {event: 'a', more: 1}],
    ],
  },
  funnel: {
    isByCreation: true,
    bodies: [
      {
        name: 'Checkout',
        question: {
          report: 'funnel',
          steps: [{event: 'a', where: ['plan eq <b>']}, {event: 'b'}, {event: 'a'}],
          window: '2d',
          where: ['n gt 1'],
          exclude: [{event: 'c', where: ['a set'], between: [2, 3]}],
        },
      },
      {name: 'Trial', question: through('a')},
      {name: 'Activation', question: {...through('a', 'b'), order: 'any'}},
    ],
    change: {name: 'Checkout of all'},
    wrong: [
      ['name', {question: through('a')}],
      ['name', {name: '', question: through('a')}],
      ['/question', {name: 'f'}],
      ['/question/report', {name: 'f', question: {...through('a'), report: 'paths'}}],
      ['/question/steps', {name: 'f', question: through()}],
      ['/question/steps', {name: 'f', question: through(...Array.from({length: 51}, () => 'a'))}],
      ['/question/steps/1/event', {name: 'f', question: through('a', '')}],
      ['/question/window', {name: 'f', question: {...through('a'), window: '7w'}}],
      ['/question/windows', {name: 'f', question: {...through('a'), windows: '7d'}}],
      ['/question/users', {name: 'f', question: {...through('a'), users: {segment}}}],
      ['/question/range', {name: 'f', question: {...through('a'), range: '-7d'}}],
      ['/question/hold', {name: 'f', question: {...through('a'), hold: 'cart'}}],
      ['/question/exclude/0', {name: 'f', question: {...through('a', 'b'), order: 'strict', exclude: [{event: 'c'}]}}],
      [
        '/question/exclude/0/between',
        {name: 'f', question: {...through('a', 'b'), exclude: [{event: 'c', between: [1, 3]}]}},
      ],
      ['steps', {name: 'f', steps: ['a']}],
      ['window', {name: 'f', question: through('a'), window: '7d'}],
    ],
  },
  alert: {
    isByCreation: true,
    currentName: 'alert',
    // A paused one keeps its state.
    bodies: [
      {name: 'Errors', kind: 'threshold', question: ofFailures, minutes: 60, gte: 10, paused: true},
      {name: 'Late', kind: 'lag', lag: 'report', seconds: 60, paused: true},
      {name: 'None', kind: 'absence', question: ofAll, minutes: 60, repeat_minutes: 60, paused: true},
    ],
    change: {name: 'Errors of all', for: 2},
    wrong: [
      ['kind', {name: 'a', kind: 'other'}],
      ['name', {kind: 'absence', question: ofAll, minutes: 60}],
      ['event', {name: 'a', kind: 'absence', event: 'failed', minutes: 60}],
      ['/question/range', {name: 'a', kind: 'absence', question: {...ofAll, range: '-7d'}, minutes: 60}],
      ['/question/users/segment', {name: 'a', kind: 'absence', question: {...ofAll, users: {segment}}, minutes: 60}],
      ['endpoints', {name: 'a', kind: 'lag', lag: 'report', seconds: 60, endpoints: ['wh_0123456789abcdef']}],
      ['minutes', {name: 'a', kind: 'lag', lag: 'report', seconds: 60, minutes: 5}],
      ['funnel', {name: 'a', kind: 'stalled', funnel: 'fn_0123456789abcdef', step: 1, minutes: 5}],
    ],
  },
  digest: {
    isByCreation: true,
    bodies: [
      ofDigested({hour: 9, timezone: 'Europe/Berlin', paused: true}),
      ofDigested({hour: 0, timezone: 'UTC', weekday: 'monday', paused: true}),
      ofDigested({hour: 23, timezone: '-03:30', endpoints: [], paused: true}),
    ],
    change: {hour: 8, weekday: 'friday'},
    wrong: [
      ['of', {hour: 9}],
      ['of', {of: 'al_0123456789abcdef', hour: 9}],
      ['hour', {of: 'sr_0123456789abcdef'}],
      ['hour', {of: 'sr_0123456789abcdef', hour: 24}],
      ['weekday', {of: 'sr_0123456789abcdef', hour: 9, weekday: 1}],
      ['timezone', {of: 'sr_0123456789abcdef', hour: 9, timezone: 'Mars'}],
      ['endpoints', ofDigested({hour: 9, endpoints: ['wh_0123456789abcdef']})],
      ['name', {of: 'sr_0123456789abcdef', hour: 9, name: 'Growth'}],
    ],
  },
  webhook: {
    isByCreation: true,
    currentName: 'webhook',
    bodies: [
      {kind: 'webhook', url: 'https://hooks.example.com/a', types: [{type: 'user.deleted'}]},
      {kind: 'webhook', url: 'https://hooks.example.com/b', types: [{type: 'report.threshold', names: ['a']}]},
      {kind: 'webhook', url: 'https://hooks.example.com/c', types: [{type: 'funnel.completed'}], ordered: true},
    ],
    change: {url: 'https://hooks.example.com/d'},
    wrong: [
      ['kind', {kind: 'pager', url: 'https://hooks.example.com/', types: [{type: 'user.deleted'}]}],
      ['url', {kind: 'mail', url: 'mailto:ann@example.com', types: [{type: 'report.digest'}]}],
      ['types', {kind: 'mail', url: 'mailto:ann@example.com', types: [{type: 'user.deleted'}]}],
      ['url', {kind: 'webhook', url: 'http://127.0.0.1/', types: [{type: 'user.deleted'}]}],
      ['types', {kind: 'webhook', url: 'https://hooks.example.com/', types: []}],
      ['types', {kind: 'slack', url: 'https://hooks.slack.com/services/T0/B0/X', types: [{type: 'user.deleted'}]}],
      ['types.0.type', {kind: 'webhook', url: 'https://hooks.example.com/', types: [{type: 'other'}]}],
    ],
  },
};

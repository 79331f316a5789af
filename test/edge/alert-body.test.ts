// Alerts in the form of the API: what is stored of them, how they are shown, what is refused.
import {describe, expect, test} from 'vitest';
import {RequestFailure} from '../../src/edge/failure.js';
import {
  alertChange,
  alertOf,
  bodyOf,
  newAlertBody,
  previewBody,
  readAlert,
  ruleOf,
} from '../../src/edge/routes/alert-body.js';

const zone = 'Europe/Berlin';
const read = (body: object) => alertOf(readAlert(newAlertBody, body), zone);
const question = {report: 'counts', events: [{event: 'failed'}]};
const threshold = {name: 'Errors', kind: 'threshold', question, minutes: 60, gte: 10};
const segment = 'sg_0123456789abcdef';
/** Its members in another order than they are stored in. */
const everything = {
  measure: {of: 'users'},
  timezone: 'UTC',
  users: {segment, did: [{range: '-7d', event: 'login', not: true}], where: ['plan = pro']},
  where: [{property: 'amount', op: 'gt', value: 5}],
  events: [{where: ['currency=EUR'], event: 'failed'}],
  report: 'counts',
};

test.each<[object, object]>([
  [threshold, {kind: 'threshold', question: {...question, timezone: zone}, minutes: 60, op: 'gte', bound: 10}],
  [
    {name: 'Few', kind: 'threshold', question: everything, minutes: 1_440, lte: 0.5},
    {
      kind: 'threshold',
      question: {
        report: 'counts',
        events: [{event: 'failed', where: ['currency eq EUR']}],
        where: ['amount gt 5'],
        users: {where: ['plan eq pro'], did: [{event: 'login', range: '-7d', not: true}], segment},
        timezone: 'UTC',
        measure: {of: 'users'},
      },
      minutes: 1_440,
      op: 'lte',
      bound: 0.5,
    },
  ],
  [
    {name: 'Silent', kind: 'absence', question: {report: 'counts', events: [], users: {}}, minutes: 5},
    {kind: 'absence', question: {report: 'counts', timezone: zone}, minutes: 5},
  ],
  [
    {name: 'Drop', kind: 'funnel_drop', funnel: 'fn_0123456789abcdef', days: 7, lower_by_percent: 20},
    {kind: 'funnel_drop', funnel: 'fn_0123456789abcdef', days: 7, lowerBy: 20, minEntered: 1},
  ],
  [
    {name: 'Cart left', kind: 'stalled', funnel: 'fn_0123456789abcdef', step: 1, minutes: 60},
    {kind: 'stalled', funnel: 'fn_0123456789abcdef', step: 1, minutes: 60},
  ],
  [
    {name: 'Late', kind: 'lag', lag: 'report', seconds: 60},
    {kind: 'lag', of: 'report', seconds: 60},
  ],
])('%o is stored, and shown so that it means the same', (body, rule) => {
  const alert = read(body);
  expect(alert).toEqual({name: (body as {name: string}).name, rule, for: 1, isPaused: false});
  const {question: _, ...shown} = body as {question?: object};
  expect(bodyOf(alert)).toMatchObject(shown);
  // To the letter: the text of a rule says whether it is another one.
  expect(JSON.stringify(read(bodyOf(alert)))).toBe(JSON.stringify(alert));
});

test('options are kept, and an endpoint is told once', () => {
  const options = {
    for: 3,
    repeat_minutes: 60,
    quiet_hours: {timezone: 'Europe/Berlin', from: '22:00', to: '07:00'},
    paused: true,
    endpoints: ['wh_1', 'wh_2', 'wh_1'],
  };
  const alert = read({...threshold, ...options});
  expect(alert).toMatchObject({for: 3, repeatMinutes: 60, quietHours: options.quiet_hours, isPaused: true});
  const stored = {...threshold, question: {...question, timezone: zone}};
  expect(bodyOf(alert)).toEqual({...stored, ...options, endpoints: ['wh_1', 'wh_2']});
});

describe('refused, with the field at fault', () => {
  const {name: _, ...nameless} = threshold;
  test.each<[object, string | undefined]>([
    [{}, 'kind'],
    [{...threshold, kind: 'other'}, 'kind'],
    [nameless, 'name'],
    [{...threshold, name: ''}, 'name'],
    [{...threshold, evnt: 'x'}, 'evnt'],
    [{...threshold, seconds: 5}, 'seconds'],
    [{...threshold, minutes: 4}, 'minutes'],
    [{...threshold, minutes: 44_641}, 'minutes'],
    [{...threshold, minutes: 5.5}, 'minutes'],
    [{...threshold, lte: 10}, 'gte'],
    [{name: 'a', kind: 'threshold', question, minutes: 5}, 'gte'],
    [{...threshold, gte: '10'}, 'gte'],
    [{name: 'a', kind: 'absence', minutes: 5}, '/question'],
    [{...threshold, question: 'failed'}, '/question'],
    [{...threshold, question: {...question, report: 'active'}}, '/question/report'],
    [{...threshold, question: {...question, events: [{event: 'a'}, {event: 'b'}]}}, '/question/events'],
    [{...threshold, question: {...question, events: [{event: 'a', as: 'A'}]}}, '/question/events/0/as'],
    [{...threshold, question: {...question, where: ['plan']}}, '/question/where/0'],
    [{...threshold, question: {...question, where: Array(11).fill('plan set')}}, '/question/where'],
    [{...threshold, question: {...question, users: {segment: 'paying'}}}, '/question/users/segment'],
    [{...threshold, question: {...question, measure: {of: 'sum', property: 'n'}}}, '/question/measure/property'],
    [{...threshold, question: {...question, measure: {of: 'sum'}}}, '/question/measure/of'],
    [{name: 'a', kind: 'absence', question: {...question, measure: {of: 'users'}}, minutes: 5}, '/question/measure'],
    [{...threshold, for: 0}, 'for'],
    [{...threshold, repeat_minutes: 1}, 'repeat_minutes'],
    [{...threshold, quiet_hours: {timezone: 'Mars/Base', from: '22:00', to: '07:00'}}, 'quiet_hours'],
    [{...threshold, quiet_hours: {timezone: 'UTC', from: '22:00', to: '22:00'}}, 'quiet_hours'],
    [{...threshold, quiet_hours: {timezone: 'UTC', from: '22', to: '07:00'}}, 'quiet_hours'],
    [{name: 'a', kind: 'funnel_drop', funnel: 'fn_1', days: 7}, 'below'],
    [{name: 'a', kind: 'funnel_drop', funnel: 'fn_1', days: 7, below: 20}, 'below'],
    [{name: 'a', kind: 'stalled', funnel: 'fn_1', step: 0, minutes: 60}, 'step'],
    [{name: 'a', kind: 'stalled', funnel: 'fn_1', step: 1, minutes: 1}, 'minutes'],
    [{name: 'a', kind: 'stalled', funnel: 'fn_1', step: 1, minutes: 60, for: 2}, 'for'],
    [{name: 'a', kind: 'lag', lag: 'log', seconds: 5}, 'lag'],
  ])('%o', (body, field) => {
    expect(() => read(body)).toThrow(RequestFailure);
    try {
      read(body);
    } catch (error) {
      expect((error as RequestFailure).failure).toMatchObject({code: 'invalid_request', field});
    }
  });
});

test.each(['range', 'interval', 'breakdown', 'formulas', 'compare', 'series'])('no rule takes %s', (member) => {
  const asked = {...threshold, question: {...question, [member]: '-7d'}};
  expect(() => read(asked)).toThrow(
    `/question/${member} is not among the members here: report, events, where, users, timezone, measure: the window of the alert is its range`,
  );
});

test.each<[string, unknown, string]>([
  ['event', 'failed', '{"report": "counts", "events": [{"event": "signup"}]}'],
  ['where', ['plan eq pro'], '{"report": "counts", "where": ["plan eq pro"]}'],
  ['user_where', ['plan eq pro'], '{"report": "counts", "users": {"where": ["plan eq pro"]}}'],
  ['count', 'users', '{"report": "counts", "measure": {"of": "users"}}'],
])('%s beside the question is told where it is now, in a change, too', (field, value, right) => {
  const sentence = `${field} is in the question: "question": ${right}`;
  const {question: _, ...rest} = threshold;
  expect(() => read({...rest, [field]: value})).toThrow(sentence);
  expect(() => readAlert(alertChange, {[field]: value})).toThrow(sentence);
  expect(() => read({name: 'a', kind: 'lag', lag: 'report', seconds: 5, [field]: value})).toThrow('no such field');
});

test('a preview needs no name, and knows no lag', () => {
  const {name: _, ...nameless} = threshold;
  expect(ruleOf(readAlert(previewBody, nameless), zone)).toMatchObject({kind: 'threshold', op: 'gte'});
  expect(() => readAlert(previewBody, {kind: 'lag', lag: 'report', seconds: 5})).toThrow(/past lag is not stored/);
});

test('a change may take away what is optional', () => {
  expect(readAlert(alertChange, {repeat_minutes: null, gte: 5})).toEqual({repeat_minutes: null, gte: 5});
  expect(() => readAlert(alertChange, {kind: 'lag'})).toThrow(RequestFailure);
});

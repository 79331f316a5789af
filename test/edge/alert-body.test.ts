// Alerts in the form of the API: what is stored of them, how they are shown, what is refused.
import {describe, expect, test} from 'vitest';
import {RequestFailure} from '../../src/edge/failure.js';
import {alertChange, alertOf, bodyOf, newAlertBody, previewBody, ruleOf} from '../../src/edge/routes/alert-body.js';
import {readFields} from '../../src/edge/routes/json-fields.js';

const read = (body: object) => alertOf(readFields(newAlertBody, body));
const threshold = {name: 'Errors', kind: 'threshold', event: 'failed', minutes: 60, gte: 10};

test.each<[object, object]>([
  [
    threshold,
    {kind: 'threshold', count: 'events', event: 'failed', where: [], userWhere: [], minutes: 60, op: 'gte', bound: 10},
  ],
  [
    {name: 'Few', kind: 'threshold', count: 'users', user_where: ['plan eq pro'], minutes: 1_440, lte: 0.5},
    {kind: 'threshold', count: 'users', where: [], userWhere: ['plan eq pro'], minutes: 1_440, op: 'lte', bound: 0.5},
  ],
  [
    {name: 'Silent', kind: 'absence', minutes: 5},
    {kind: 'absence', where: [], userWhere: [], minutes: 5},
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
  expect(bodyOf(alert)).toMatchObject(body);
  expect(read(bodyOf(alert))).toEqual(alert);
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
  expect(bodyOf(alert)).toEqual({...threshold, count: 'events', ...options, endpoints: ['wh_1', 'wh_2']});
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
    [{name: 'a', kind: 'threshold', minutes: 5}, 'gte'],
    [{...threshold, gte: '10'}, 'gte'],
    [{...threshold, where: ['plan']}, 'where.0'],
    [{...threshold, where: Array(11).fill('plan set')}, 'where'],
    [{...threshold, count: 'sessions'}, 'count'],
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

test('a preview needs no name, and knows no lag', () => {
  const {name: _, ...nameless} = threshold;
  expect(ruleOf(readFields(previewBody, nameless))).toMatchObject({kind: 'threshold', op: 'gte'});
  expect(() => readFields(previewBody, {kind: 'lag', lag: 'report', seconds: 5})).toThrow(/past lag is not stored/);
});

test('a change may take away what is optional', () => {
  expect(readFields(alertChange, {repeat_minutes: null, gte: 5})).toEqual({repeat_minutes: null, gte: 5});
  expect(() => readFields(alertChange, {kind: 'lag'})).toThrow(RequestFailure);
});

// Forms of webhooks and alerts: what they send is what they were given, but for what was edited.
import {describe, expect, test} from 'vitest';
import * as alerts from '../../dashboard/src/pages/alerts/alert-draft.js';
import {deedWords, fieldsIn, withFields} from '../../dashboard/src/reports/watched-question.js';
import * as webhooks from '../../dashboard/src/webhooks/webhook-draft.js';
import type {AlertAnswer} from '../../src/edge/answers/alerts.js';
import type {WebhookAnswer} from '../../src/edge/answers/webhooks.js';
import {alertOf, newAlertBody, readAlert} from '../../src/edge/routes/alert-body.js';
import {readFields} from '../../src/edge/routes/json-fields.js';
import {contentOf, newWebhookBody} from '../../src/edge/routes/webhook-body.js';

describe('a webhook', () => {
  const webhook = {
    id: 'wh_0123456789abcdef',
    kind: 'webhook',
    url: 'https://hooks.example.com/',
    types: [
      {type: 'event.tracked', names: ['order_paid'], where: ['amount gte 100', 'plan in pro,team']},
      {type: 'user.deleted'},
      {type: 'event.tracked', names: ['signup', ' spaced']},
    ],
    batch: {events: 100, ms: 500},
    ordered: true,
    max_lag_minutes: 60,
  } as unknown as WebhookAnswer;

  test('that nobody touched has no changes, whatever its types', () => {
    expect(webhooks.changeOf(webhook, webhooks.draftOf(webhook))).toEqual({});
  });

  test('sends the fields that were edited, and all of its types when one was', () => {
    const draft = webhooks.draftOf(webhook);
    expect(webhooks.changeOf(webhook, {...draft, batchMs: '0', isOrdered: false})).toEqual({
      batch: {events: 100, ms: 0},
      ordered: false,
    });
    const subscriptions = {...draft.subscriptions, 'user.deleted': []};
    expect(webhooks.changeOf(webhook, {...draft, subscriptions})).toEqual({
      types: [webhook.types[0], webhook.types[2]],
    });
    expect(webhooks.changeOf(webhook, {...draft, lagMinutes: 'a day'})).toEqual({max_lag_minutes: 'a day'});
  });

  test('of a chat keeps the address that nobody sees', () => {
    const chat = {...webhook, kind: 'slack', url: 'https://hooks.slack.com/…XXXX'} as WebhookAnswer;
    const draft = {...webhooks.draftOf(chat), subscriptions: {'report.revised': [{names: ['paid'], where: []}]}};
    expect(draft.url).toBe('');
    expect(webhooks.changeOf(chat, draft)).toEqual({types: [{type: 'report.revised', names: ['paid']}]});
  });

  test('of mail has the address alone in its field, typed with or without mailto:', () => {
    const mail = {
      ...webhook,
      kind: 'mail',
      url: 'mailto:ann@example.com',
      types: [{type: 'report.digest'}],
    } as WebhookAnswer;
    const draft = webhooks.draftOf(mail);
    expect(draft.url).toBe('ann@example.com');
    expect(webhooks.changeOf(mail, draft)).toEqual({});
    for (const url of [' ben@example.com', 'mailto:ben@example.com'])
      expect(webhooks.changeOf(mail, {...draft, url})).toEqual({url: 'mailto:ben@example.com'});
  });

  test('that is new is what the API takes, with its defaults', () => {
    const subscriptions = {'event.tracked': [webhooks.wholeSubscription], 'user.deleted': []};
    const body = webhooks.bodyOf({...webhooks.newDraft, url: ' https://hooks.example.com/ ', subscriptions});
    expect(body).toEqual({kind: 'webhook', url: 'https://hooks.example.com/', types: [{type: 'event.tracked'}]});
    expect(contentOf(readFields(newWebhookBody, body))).toMatchObject({
      batch: {events: Number(webhooks.newDraft.batchEvents), ms: Number(webhooks.newDraft.batchMs)},
      ordered: webhooks.newDraft.isOrdered,
    });
  });
});

const segment = 'sg_0123456789abcdef';
const question = {
  report: 'counts',
  events: [{event: 'paid', where: ['a set']}],
  where: ['plan eq pro'],
  users: {where: ['country in de,fr'], did: [{event: 'login', range: '-7d', not: true}], segment},
  timezone: 'UTC',
} satisfies AlertAnswer['question'];
const measure = {of: 'users'} as const;
const times = {for: 3, repeat_minutes: 60, quiet_hours: {timezone: 'Europe/Berlin', from: '22:00', to: '07:00'}};
const funnel = 'fn_0123456789abcdef';

const bodies: Record<string, object> = {
  threshold: {
    kind: 'threshold',
    question: {...question, measure},
    minutes: 90,
    lte: 0.5,
    ...times,
    endpoints: ['wh_0123456789abcdef'],
  },
  absence: {kind: 'absence', question: {report: 'counts', timezone: 'UTC'}, minutes: 5, endpoints: []},
  funnel_drop: {kind: 'funnel_drop', funnel, days: 30, below: 0.07, lower_by_percent: 12.5, min_entered: 20, for: 2},
  stalled: {kind: 'stalled', funnel, step: 2, minutes: 60},
  lag: {kind: 'lag', lag: 'deletion', seconds: 60, repeat_minutes: 5},
};

/** As the API shows it. */
const shown = (body: object): AlertAnswer =>
  ({id: 'al_0123456789abcdef', name: 'Errors', for: 1, paused: false, state: null, ...body}) as unknown as AlertAnswer;

describe.each(Object.entries(bodies))('an alert of kind %s', (_, body) => {
  const alert = shown(body);

  test('that nobody touched has no changes, and is whole', () => {
    const draft = alerts.draftOf(alert);
    expect(alerts.changeOf(alert, draft)).toEqual({});
    expect([alerts.isWhole(draft), alerts.hasOtherRule(alert, draft)]).toEqual([true, false]);
  });

  test('is made again by its form', () => {
    const again = readAlert(newAlertBody, alerts.bodyOf(alerts.draftOf(alert)));
    expect(alertOf(again, 'UTC')).toEqual(alertOf(readAlert(newAlertBody, {name: 'Errors', ...body}), 'UTC'));
  });
});

test('an edit of an alert takes away what was emptied, and says whether the condition is another one', () => {
  const alert = shown(bodies.threshold!);
  const draft = alerts.draftOf(alert);
  const silent = {...draft, repeat: '', quietFrom: '', quietTo: '', endpoints: undefined};
  expect(alerts.changeOf(alert, silent)).toEqual({repeat_minutes: null, quiet_hours: null, endpoints: null});
  expect(alerts.hasOtherRule(alert, silent)).toBe(false);
  const other = {
    ...draft,
    question: withFields(draft.question, {event: null, where: []}),
    side: 'gte',
    bound: '3',
  } as const;
  const {events: _, where: __, ...rest} = question;
  expect(alerts.changeOf(alert, other)).toMatchObject({question: {events: [], where: [], ...rest, measure}, gte: 3});
  expect(alerts.hasOtherRule(alert, other)).toBe(true);
});

test('the fields of a question of an alert: the conditions of its events are one list, and what its users did stays', () => {
  const fields = fieldsIn(question);
  expect(fields).toMatchObject({event: 'paid', counts: 'events', segment});
  expect(fields.where.map(({property}) => property)).toEqual(['a', 'plan']);
  expect(deedWords(question)).toEqual(['did not login']);
  const edited = withFields(question, {counts: 'users', segment: null, event: 'login'});
  expect(
    alertOf(readAlert(newAlertBody, {name: 'a', kind: 'threshold', question: edited, minutes: 5, gte: 1}), 'UTC').rule,
  ).toMatchObject({
    question: {
      events: [{event: 'login'}],
      where: ['a set', 'plan eq pro'],
      users: {where: ['country in de,fr'], did: question.users.did},
      measure,
    },
  });
});

test('a share that is refused is refused in per cent, as the form takes it', () => {
  const draft = {...alerts.newDraft, name: 'Drop', kind: 'funnel_drop', funnel: 'fn_0123456789abcdef'} as const;
  const ofShare = 'below must be a number from 0 to 1';
  expect(() => readAlert(newAlertBody, alerts.bodyOf({...draft, below: '150'}))).toThrow(ofShare);
  expect(alerts.ofPercent(ofShare)).toBe(`${ofShare}00`);
});

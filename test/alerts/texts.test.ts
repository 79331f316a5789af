// What chat messages say.
import {expect, test} from 'vitest';
import type {Change} from '../../src/alerts/alert-state.js';
import type {StateRule, ThresholdRule} from '../../src/alerts/definition.js';
import {joinedCharsMax, joinedText, textOf} from '../../src/alerts/texts.js';
import type {WatchedQuestion} from '../../src/asks/question/counts.js';

const toMs = Date.UTC(2026, 10, 27, 21, 4, 59);
const change = (value: number | null, more: Partial<Change> = {}, bound = 100): Change => ({
  state: 'firing',
  isAgain: false,
  reading: {fromMs: toMs - 3_600_000, toMs, value, bound, holds: true},
  positions: '0:0.7',
  ...more,
});
const threshold: ThresholdRule = {
  kind: 'threshold',
  question: {report: 'counts', events: [{event: 'checkout_failed'}]},
  minutes: 60,
  op: 'gte',
  bound: 1_000,
};
const asking = (more: Partial<WatchedQuestion>): WatchedQuestion => ({...threshold.question, ...more});
const paid = asking({events: [{event: 'paid'}]});

test.each<[StateRule, Change, string]>([
  [
    threshold,
    change(1_234),
    'Firing: Shop. 1,234 events "checkout_failed" in 60 minutes; the bound is at least 1,000. (2026-11-27 21:04 UTC)',
  ],
  [
    threshold,
    change(1, {state: 'ok'}),
    'Over: Shop. 1 event "checkout_failed" in 60 minutes; the bound is at least 1,000. (2026-11-27 21:04 UTC)',
  ],
  [
    {...threshold, question: asking({where: ['plan eq pro'], users: {where: ['country eq FR']}})},
    change(1_234, {isAgain: true}),
    'Still firing: Shop. 1,234 events "checkout_failed" (plan eq pro, user country eq FR) in 60 minutes; the bound is at least 1,000. (2026-11-27 21:04 UTC)',
  ],
  [
    {...threshold, question: {report: 'counts', measure: {of: 'users'}}, minutes: 1_440, op: 'lte', bound: 2.5},
    change(2),
    'Firing: Shop. 2 users active in 1,440 minutes; the bound is at most 2.5. (2026-11-27 21:04 UTC)',
  ],
  [
    {
      ...threshold,
      question: asking({
        events: [{event: 'checkout_failed', where: ['a set']}],
        where: [{property: 'plan', op: 'in', value: ['pro', 'team']}],
        users: {segment: 'sg_0123456789abcdef', did: [{event: 'login', range: '-7d', not: false}, {not: true}]},
      }),
    },
    change(12),
    'Firing: Shop. 12 events "checkout_failed" (a set, plan in pro,team, user in Checkout, user with login, user without any event) in 60 minutes; the bound is at least 1,000. (2026-11-27 21:04 UTC)',
  ],
  [
    {kind: 'absence', question: paid, minutes: 30},
    change(0),
    'Firing: Shop. No event "paid" for 30 minutes. (2026-11-27 21:04 UTC)',
  ],
  [
    {kind: 'absence', question: paid, minutes: 30},
    change(2, {state: 'ok'}),
    'Over: Shop. 2 events "paid" in 30 minutes. (2026-11-27 21:04 UTC)',
  ],
  [
    {kind: 'funnel_drop', funnel: 'fn_1', days: 7, below: 0.2, minEntered: 1},
    change(0.125, {}, 0.2),
    'Firing: Shop. Funnel "Checkout" converted 12.5 % over 7 days; the bound is 20 %. (2026-11-27 21:04 UTC)',
  ],
  [
    {kind: 'funnel_drop', funnel: 'fn_1', days: 7, below: 0.2, minEntered: 1},
    change(1 / 3_000, {}, 0.9999),
    'Firing: Shop. Funnel "Checkout" converted <0.1 % over 7 days; the bound is >99.9 %. (2026-11-27 21:04 UTC)',
  ],
  [
    {kind: 'lag', of: 'report', seconds: 60},
    change(75.4),
    'Firing: Shop. Reports are 75 s old; the bound is 60 s. (2026-11-27 21:04 UTC)',
  ],
])('%o', (rule, told, text) => {
  expect(textOf({name: 'Shop', rule, nameOf: () => 'Checkout'}, told)).toBe(text);
});

test('long names are cut', () => {
  const text = textOf(
    {
      name: 'n'.repeat(256),
      rule: {
        ...threshold,
        question: asking({events: [{event: 'e'.repeat(256), where: [`w eq ${'w'.repeat(2_560)}`]}]}),
      },
    },
    change(5),
  );
  expect(text.length).toBeLessThan(500);
});

test('changes of a quiet night are one text, which says how many there were', () => {
  expect(joinedText('Shop', ['Firing: a', 'Over: a'], 2)).toBe('Shop: 2 changes in quiet hours.\nFiring: a\nOver: a');
  expect(joinedText('Shop', ['Over: a'], 1)).toBe('Shop: 1 change in quiet hours.\nOver: a');
  const many = Array.from({length: 30}, (_, i) => `${i}: ${'x'.repeat(100)}`);
  const text = joinedText('Shop', many, 1_000);
  expect(text).toMatch(/^Shop: 1000 changes in quiet hours, the newest 17:\n13: x/);
  expect(text.endsWith(many.at(-1)!)).toBe(true);
  expect(text.length).toBeLessThan(joinedCharsMax + 100);
});

test('a long name is cut, and no character of it in half', () => {
  const name = `${'x'.repeat(98)}🙂🙂`;
  expect(textOf({name, rule: threshold}, change(1))).toContain(`Firing: ${'x'.repeat(98)}…. 1 event`);
});

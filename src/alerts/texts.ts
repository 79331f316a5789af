// Texts of chat messages: names of events and definitions, and numbers, never a user. They are plain text; src/webhooks escapes them.
import {isoText} from '../../actors/calendar.js';
import {writeCondition} from '../../actors/report/rows/condition-text.js';
import type {WatchedQuestion} from '../asks/question/counts.js';
import {type Conditions, conditionsOf} from '../asks/question/members.js';
import {shortened} from '../webhooks/chat.js';
import type {Change} from './alert-state.js';
import type {LagKind, LagRule, StateRule, ThresholdRule} from './definition.js';
import {isOfUsers, type Reading} from './rule-questions.js';

/** Discord takes 2,000 characters; the rest is room for escapes. */
export const joinedCharsMax = 1_800;
const nameCharsMax = 100;

interface NamedAlert {
  readonly name: string;
  readonly rule: StateRule;
  readonly nameOf?: NameOf | undefined;
}

/** Name of the saved funnel, or of a segment, that a rule names by its id. */
export type NameOf = (id: string) => string | undefined;
const unknown: NameOf = () => undefined;

/** Text of one change. */
export function textOf(alert: NamedAlert, change: Change): string {
  return `${headline(change)}: ${shown(alert.name)}. ${sentenceOf(alert, change)} (${minuteText(change.reading.toMs)})`;
}

/** Text for the changes in quiet hours, the newest last: of `count` changes those that fit. */
export function joinedText(name: string, texts: readonly string[], count: number): string {
  const lines: string[] = [];
  let chars = 0;
  for (const text of texts.toReversed()) {
    chars += text.length + 1;
    if (chars > joinedCharsMax) break;
    lines.unshift(text);
  }
  const earlier = count - lines.length;
  const head = `${shown(name)}: ${count} ${count === 1 ? 'change' : 'changes'} in quiet hours`;
  return [earlier === 0 ? `${head}.` : `${head}, the newest ${lines.length}:`, ...lines].join('\n');
}

const revisedDaysShown = 10;

/** Text for the days of an event whose counts changed after they were published. */
export function revisedText(
  event: string,
  days: readonly {readonly date: string; readonly before: number; readonly after: number}[],
): string {
  const shownDays = days.slice(0, revisedDaysShown);
  const parts = shownDays.map(({date, before, after}) => `${date} from ${number(before)} to ${number(after)}`);
  const more = days.length - shownDays.length;
  const rest = more === 0 ? '' : `, and ${number(more)} more`;
  return `Days of "${shown(event)}" changed after they were complete: ${parts.join(', ')}${rest}.`;
}

const headline = ({state, isAgain}: Change): string => (state === 'ok' ? 'Over' : isAgain ? 'Still firing' : 'Firing');

function sentenceOf({rule, nameOf = unknown}: NamedAlert, {reading, state}: Change): string {
  switch (rule.kind) {
    case 'threshold':
      return `${counted(rule, reading.value ?? 0, nameOf)} in ${minutes(rule.minutes)}; the bound is ${boundText(rule)}.`;
    case 'absence': {
      const of = chosen(rule.question, nameOf);
      if (state === 'firing') return `No event${of} for ${minutes(rule.minutes)}.`;
      return `${events(reading.value ?? 0)}${of} in ${minutes(rule.minutes)}.`;
    }
    case 'funnel_drop':
      return `Funnel "${shown(nameOf(rule.funnel) ?? rule.funnel)}" converted ${percent(reading.value)} over ${rule.days} ${rule.days === 1 ? 'day' : 'days'}; the bound is ${percent(reading.bound)}.`;
    case 'lag':
      return lagText(rule, reading);
  }
}

const boundText = ({op, bound}: ThresholdRule): string => `${op === 'gte' ? 'at least' : 'at most'} ${number(bound)}`;

function counted(rule: ThresholdRule, value: number, nameOf: NameOf): string {
  const of = chosen(rule.question, nameOf);
  if (!isOfUsers(rule)) return `${events(value)}${of}`;
  return `${number(value)} ${value === 1 ? 'user' : 'users'} ${eventIn(rule.question) === undefined ? 'active' : 'with'}${of}`;
}

const events = (count: number): string => `${number(count)} ${count === 1 ? 'event' : 'events'}`;
const eventIn = ({events: [entry] = []}: WatchedQuestion): string | undefined => entry?.event;
const minutes = (count: number): string => `${number(count)} minutes`;

/** ` "signup" (plan eq pro, user country eq DE)`: the events that a question chooses. */
function chosen(question: WatchedQuestion, nameOf: NameOf): string {
  const {events: [entry] = [], where = [], users = {}} = question;
  const event = eventIn(question);
  const all = [
    ...textsOf([...(entry?.where ?? []), ...where]),
    ...(users.segment === undefined ? [] : [`user in ${nameOf(users.segment) ?? users.segment}`]),
    ...(users.not_segment === undefined ? [] : [`user not in ${nameOf(users.not_segment) ?? users.not_segment}`]),
    ...textsOf(users.where).map((text) => `user ${text}`),
    ...(users.did ?? []).map(({event: deed, not}) => `user ${not ? 'without' : 'with'} ${deed ?? 'any event'}`),
  ];
  return `${event === undefined ? '' : ` "${shown(event)}"`}${all.length === 0 ? '' : ` (${shown(all.join(', '))})`}`;
}

const textsOf = (where: Conditions): readonly string[] => conditionsOf(where).map(writeCondition);

const lagSentences: Record<LagKind, (seconds: string) => string> = {
  partition: (seconds) => `The fold is ${seconds} behind the log`,
  report: (seconds) => `Reports are ${seconds} old`,
  deletion: (seconds) => `The oldest pending deletion has waited for ${seconds}`,
  webhook: (seconds) => `Webhooks are ${seconds} late`,
};

const lagText = ({of, seconds}: LagRule, {value}: Reading): string =>
  `${lagSentences[of](`${number(Math.round(value ?? 0))} s`)}; the bound is ${number(seconds)} s.`;

export const shown = (text: string): string => shortened(text, nameCharsMax);

/** Share as text: `12.5 %`. Rounded, it is never none or all where it is not: `<0.1 %`, `>99.9 %`. */
export function percent(share: number | null): string {
  if (share === null) return 'nobody';
  const text = (share * 100).toFixed(1).replace(/\.0$/, '');
  if (share > 0 && text === '0') return '<0.1 %';
  return share < 1 && text === '100' ? '>99.9 %' : `${text} %`;
}

/** Number as text: `1,234,567.5`. */
export function number(value: number): string {
  const [whole, fraction] = String(value).split('.') as [string, string?];
  const grouped = /e/.test(whole) ? whole : whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Time as text: `2026-11-27 21:04 UTC`. */
export const minuteText = (timeMs: number): string => `${isoText(timeMs).slice(0, 16).replace('T', ' ')} UTC`;

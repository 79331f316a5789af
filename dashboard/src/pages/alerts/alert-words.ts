// Alerts in words: their rules, their states, and what a preview found; and the path of one.
import type {AlertAnswer, AlertPreviewAnswer} from '../../../../src/edge/answers/alerts.js';
import {count, duration, percent} from '../../charts/format.js';
import {fieldsIn} from '../../reports/watched-question.js';
import type {AlertDraft} from './alert-draft.js';

/** Below the dashboard's own routes. */
export const alertPath = ({id}: Pick<AlertAnswer, 'id'>): string => `v1/alerts/${encodeURIComponent(id)}`;

export type AlertKind = AlertAnswer['kind'];
export type LagKind = NonNullable<AlertAnswer['lag']>;

export const kindWords: Readonly<Record<AlertKind, string>> = {
  threshold: 'A number passes a threshold',
  absence: 'An event stops coming',
  funnel_drop: 'A saved funnel converts less',
  stalled: 'A user stalls in a saved funnel',
  lag: 'The service is late',
};

/** Label of the field of minutes. */
export const minutesLabel = (kind: AlertKind): string =>
  kind === 'absence'
    ? 'Minutes without an event'
    : kind === 'stalled'
      ? 'Minutes without the next step'
      : 'Within, in minutes';

export const lagWords: Readonly<Record<LagKind, string>> = {
  partition: 'processing of stored events',
  report: 'reports',
  deletion: 'the oldest pending deletion',
  webhook: 'webhooks',
};

/** Names of saved funnels by their ids. */
export type FunnelNames = ReadonlyMap<string, string>;

/** Whether the alert notifies once for each user: it has no state. */
export const isOfUsers = ({kind}: Pick<AlertAnswer, 'kind'>): boolean => kind === 'stalled';

/** `after 3 publications, again every 1 h, chats quiet 22:00 to 07:00 UTC`; empty where nothing differs from the defaults. */
export function speakingText({for: held = 1, repeat_minutes: repeat, quiet_hours: quiet}: AlertAnswer): string {
  return [
    ...(held === 1 ? [] : [`after ${count(held)} publications`]),
    ...(repeat === undefined ? [] : [`again every ${duration(repeat * 60)}`]),
    ...(quiet === undefined ? [] : [`chats quiet ${quiet.from} to ${quiet.to} ${quiet.timezone}`]),
  ].join(', ');
}

/** Words of an alert's state, and the tone of its pill. */
export function stateOf({kind, state, paused}: AlertAnswer): readonly [words: string, tone: '' | 'warn' | 'bad'] {
  if (paused) return ['paused', 'warn'];
  if (state === null) return ['not checked yet', ''];
  if (isOfUsers({kind})) return ['watching', ''];
  return state.state === 'firing' ? ['firing', 'bad'] : ['ok', ''];
}

export function valueText(kind: AlertKind, value: number | null): string {
  if (value === null) return 'no value';
  if (kind === 'funnel_drop') return percent(value);
  if (kind === 'stalled') return `${count(value)} told`;
  return kind === 'lag' ? duration(value) : count(value);
}

const times = (number: number): string => (number === 1 ? 'once' : `${count(number)} times`);

/** `105 events`: a value with what it counts. */
export function countedText({kind, question}: Pick<AlertDraft, 'kind' | 'question'>, value: number | null): string {
  const text = valueText(kind, value);
  if (value === null) return text;
  if (kind === 'funnel_drop') return `${text} who convert`;
  const noun = kind === 'threshold' ? fieldsIn(question).counts : 'events';
  return `${text} ${value === 1 ? noun.slice(0, -1) : noun}`;
}

/** `It would have fired 3 times over the last 30 days, and sent 6 messages to each receiver, ends and reminders counted.` */
export function previewText({from, to, fired, messages}: AlertPreviewAnswer): string {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
  const over = `over the last ${days} ${days === 1 ? 'day' : 'days'}`;
  if (fired === 0) return `It would not have fired ${over}.`;
  const sent = `${count(messages)} ${messages === 1 ? 'message' : 'messages'}`;
  return `It would have fired ${times(fired)} ${over}, and sent ${sent} to each receiver, ends and reminders counted.`;
}

// Alerts in words: their rules, their states, and what a preview found.
import type {AlertAnswer, AlertPreviewAnswer} from '../../../../src/edge/answers/alerts.js';
import {count, duration, percent} from '../../charts/format.js';

export type AlertKind = AlertAnswer['kind'];
export type LagKind = NonNullable<AlertAnswer['lag']>;

export const kindWords: Readonly<Record<AlertKind, string>> = {
  threshold: 'A number passes a bound',
  absence: 'An event stays away',
  funnel_drop: 'A saved funnel converts less',
  stalled: 'A user stalls in a saved funnel',
  lag: 'The service is late',
};

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

/** `at least 10 "signup" events in 1 h, if plan eq pro` */
export function ruleText(alert: AlertAnswer, funnels: FunnelNames): string {
  const {kind, event, count: what, minutes = 0, gte, lte, where = [], user_where: userWhere = []} = alert;
  const conditions = [...where, ...userWhere.map((one) => `user ${one}`)];
  const only = conditions.length === 0 ? '' : `, if ${conditions.join(' and ')}`;
  const events = event === undefined ? 'events' : `"${event}" events`;
  switch (kind) {
    case 'threshold': {
      const bound = gte === undefined ? `at most ${count(lte!)}` : `at least ${count(gte)}`;
      return `${bound} ${what === 'users' ? `users with ${events}` : events} in ${duration(minutes * 60)}${only}`;
    }
    case 'absence':
      return `no ${events} for ${duration(minutes * 60)}${only}`;
    case 'funnel_drop':
      return `conversion of ${funnels.get(alert.funnel!) ?? alert.funnel} over ${alert.days} days ${boundsText(alert)}${enteredText(alert)}`;
    case 'stalled':
      return `who reaches step ${alert.step} of ${funnels.get(alert.funnel!) ?? alert.funnel} and not the next one in ${duration(minutes * 60)}`;
    case 'lag':
      return `${lagWords[alert.lag!]} late by more than ${duration(alert.seconds!)}`;
  }
}

const boundsText = ({below, lower_by_percent: lowerBy}: AlertAnswer): string =>
  [
    ...(below === undefined ? [] : [`below ${percent(below)}`]),
    ...(lowerBy === undefined ? [] : [`lower by ${lowerBy}\u2009% than before`]),
  ].join(' or ');

const enteredText = ({min_entered: users = 1}: AlertAnswer): string =>
  users === 1 ? '' : `, with ${count(users)} users or more`;

/** `after 3 publications, again every 1 h, chats quiet 22:00 to 07:00 UTC`; empty where nothing differs from the defaults. */
export function speakingText({
  for: held = 1,
  repeat_minutes: repeat,
  quiet_hours: quiet,
  endpoints,
}: AlertAnswer): string {
  const receivers = endpoints?.length === 1 ? '1 receiver' : `${count(endpoints?.length ?? 0)} receivers`;
  return [
    ...(held === 1 ? [] : [`after ${count(held)} publications`]),
    ...(repeat === undefined ? [] : [`again every ${duration(repeat * 60)}`]),
    ...(quiet === undefined ? [] : [`chats quiet ${quiet.from} to ${quiet.to} ${quiet.timezone}`]),
    ...(endpoints === undefined ? [] : [`to ${receivers}`]),
  ].join(', ');
}

/** Words of an alert's state, and the tone of its pill. */
export function stateOf({kind, state, paused}: AlertAnswer): readonly [words: string, tone: '' | 'warn' | 'bad'] {
  if (paused) return ['paused', 'warn'];
  if (state === null) return ['not judged yet', ''];
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

/** `It would have fired 3 times over the last 30 days, and told 6 messages.` */
export function previewText({from, to, fired, messages}: AlertPreviewAnswer): string {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
  const over = `over the last ${days} ${days === 1 ? 'day' : 'days'}`;
  if (fired === 0) return `It would not have fired ${over}.`;
  const sent = `${count(messages)} ${messages === 1 ? 'message' : 'messages'}`;
  return `It would have fired ${times(fired)} ${over}, and sent ${sent} to each receiver.`;
}

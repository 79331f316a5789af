// A rule as texts of its fields, and as the API takes it. A text that is no number is sent as it is: the answer names the field.
import {linesOf} from '../webhooks/webhook-words';
import type {AlertKind, LagKind} from './alert-words';

export interface AlertDraft {
  readonly name: string;
  readonly kind: AlertKind;
  readonly count: 'events' | 'users';
  readonly event: string;
  readonly where: string;
  readonly minutes: string;
  readonly side: 'gte' | 'lte';
  readonly bound: string;
  readonly funnel: string;
  readonly days: string;
  /** Per cent. */
  readonly below: string;
  readonly lowerBy: string;
  /** From 1. */
  readonly step: string;
  readonly lag: LagKind;
  readonly seconds: string;
  readonly held: string;
  readonly repeat: string;
  readonly quietFrom: string;
  readonly quietTo: string;
  readonly zone: string;
}

export const newDraft: AlertDraft = {
  name: '',
  kind: 'threshold',
  count: 'events',
  event: '',
  where: '',
  minutes: '60',
  side: 'gte',
  bound: '',
  funnel: '',
  days: '7',
  below: '',
  lowerBy: '',
  step: '1',
  lag: 'report',
  seconds: '600',
  held: '',
  repeat: '',
  quietFrom: '',
  quietTo: '',
  zone: 'UTC',
};

const numberOf = (text: string): number | string => {
  const typed = text.trim();
  return typed === '' || Number.isNaN(Number(typed)) ? typed : Number(typed);
};

const optional = (field: string, text: string, scale = 1): object => {
  const value = numberOf(text);
  return value === '' ? {} : {[field]: typeof value === 'number' ? value / scale : value};
};

export function bodyOf(draft: AlertDraft): object {
  const {name, held, repeat, quietFrom, quietTo, zone} = draft;
  const isQuiet = quietFrom !== '' || quietTo !== '';
  return {
    ...(name.trim() === '' ? {} : {name: name.trim()}),
    kind: draft.kind,
    ...ruleOf(draft),
    ...(draft.kind !== 'stalled' && {
      ...optional('for', held),
      ...optional('repeat_minutes', repeat),
      ...(isQuiet && {quiet_hours: {timezone: zone.trim(), from: quietFrom, to: quietTo}}),
    }),
  };
}

function ruleOf(draft: AlertDraft): object {
  const {kind, count, event, where, minutes, side, bound, funnel, days, below, lowerBy, step, lag, seconds} = draft;
  const conditions = linesOf(where);
  const watched = {
    ...(event.trim() === '' ? {} : {event: event.trim()}),
    ...(conditions.length === 0 ? {} : {where: conditions}),
    minutes: numberOf(minutes),
  };
  switch (kind) {
    case 'threshold':
      return {count, ...watched, [side]: numberOf(bound)};
    case 'absence':
      return watched;
    case 'funnel_drop':
      return {
        funnel,
        days: numberOf(days),
        ...optional('below', below, 100),
        ...optional('lower_by_percent', lowerBy),
      };
    case 'stalled':
      return {funnel, step: numberOf(step), minutes: numberOf(minutes)};
    case 'lag':
      return {lag, seconds: numberOf(seconds)};
  }
}

/** Whether the fields that the kind needs are filled in. */
export function isWhole({kind, minutes, bound, funnel, days, below, lowerBy, step, seconds}: AlertDraft): boolean {
  const needed = {
    threshold: [minutes, bound],
    absence: [minutes],
    funnel_drop: [funnel, days, below + lowerBy],
    stalled: [funnel, step, minutes],
    lag: [seconds],
  }[kind];
  return needed.every((text) => text.trim() !== '');
}

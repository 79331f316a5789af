// An alert as the fields of its form, and as the API takes it: all of it when it is made, what changed when it is edited.
import type {AlertAnswer} from '../../../../src/edge/answers/alerts.js';
import {changedFields, type Fields, numberText, optionalNumber, typedNumber} from '../../controls/form-fields.js';
import type {WatchedQuestion} from '../../reports/watched-question.js';
import type {AlertKind, LagKind} from './alert-words.js';

export interface AlertDraft {
  readonly name: string;
  readonly kind: AlertKind;
  readonly question: WatchedQuestion;
  readonly minutes: string;
  readonly side: 'gte' | 'lte';
  readonly bound: string;
  readonly funnel: string;
  readonly days: string;
  /** Per cent. */
  readonly below: string;
  readonly lowerBy: string;
  readonly minEntered: string;
  /** From 1. */
  readonly step: string;
  readonly lag: LagKind;
  readonly seconds: string;
  /** Ids of webhooks; undefined: those that take alerts. */
  readonly endpoints: readonly string[] | undefined;
  readonly held: string;
  readonly repeat: string;
  readonly quietFrom: string;
  readonly quietTo: string;
  readonly zone: string;
}

export const newDraft: AlertDraft = {
  name: '',
  kind: 'threshold',
  question: {report: 'counts'},
  minutes: '60',
  side: 'gte',
  bound: '',
  funnel: '',
  days: '7',
  below: '',
  lowerBy: '',
  minEntered: '',
  step: '1',
  lag: 'report',
  seconds: '600',
  endpoints: undefined,
  held: '',
  repeat: '',
  quietFrom: '',
  quietTo: '',
  zone: 'UTC',
};

const perCent = 100;
/** A default, which the API names as any other value, is an empty field. */
const unless = (value: number | undefined, absent: number): number | undefined =>
  value === absent ? undefined : value;

export function draftOf(alert: AlertAnswer): AlertDraft {
  const {name, kind, question = newDraft.question, quiet_hours: quiet, gte, lte} = alert;
  return {
    ...newDraft,
    name,
    kind,
    question,
    minutes: numberText(alert.minutes) || newDraft.minutes,
    side: lte === undefined ? 'gte' : 'lte',
    bound: numberText(gte ?? lte),
    funnel: alert.funnel ?? '',
    days: numberText(alert.days) || newDraft.days,
    below: numberText(alert.below, perCent),
    lowerBy: numberText(alert.lower_by_percent),
    minEntered: numberText(unless(alert.min_entered, 1)),
    step: numberText(alert.step) || newDraft.step,
    lag: alert.lag ?? newDraft.lag,
    seconds: numberText(alert.seconds) || newDraft.seconds,
    endpoints: alert.endpoints,
    held: numberText(unless(alert.for, 1)),
    repeat: numberText(alert.repeat_minutes),
    quietFrom: quiet?.from ?? '',
    quietTo: quiet?.to ?? '',
    zone: quiet?.timezone ?? newDraft.zone,
  };
}

/** Fields of the alert but its kind. Null: an optional one that it has not. */
function fieldsOf(draft: AlertDraft): Fields {
  const {name, kind, endpoints, held, repeat, quietFrom, quietTo, zone} = draft;
  const isQuiet = quietFrom !== '' || quietTo !== '';
  return {
    name: name.trim() === '' ? null : name.trim(),
    ...ruleOf(draft),
    endpoints: endpoints ?? null,
    ...(kind !== 'stalled' && {
      for: optionalNumber(held),
      repeat_minutes: optionalNumber(repeat),
      quiet_hours: isQuiet ? {timezone: zone, from: quietFrom, to: quietTo} : null,
    }),
  };
}

function ruleOf(draft: AlertDraft): Fields {
  const {kind, question, minutes, side, bound, funnel, step, lag, seconds} = draft;
  switch (kind) {
    case 'threshold':
      return {question, minutes: typedNumber(minutes), [side]: typedNumber(bound)};
    case 'absence':
      return {question: {...question, measure: undefined}, minutes: typedNumber(minutes)};
    case 'funnel_drop':
      return {
        funnel,
        days: typedNumber(draft.days),
        below: optionalNumber(draft.below, perCent),
        lower_by_percent: optionalNumber(draft.lowerBy),
        min_entered: optionalNumber(draft.minEntered),
      };
    case 'stalled':
      return {funnel, step: typedNumber(step), minutes: typedNumber(minutes)};
    case 'lag':
      return {lag, seconds: typedNumber(seconds)};
  }
}

/** Whom it tells. */
export const toldOf = ({
  name,
  kind,
  funnel = '',
  endpoints,
}: Pick<AlertAnswer, 'name' | 'kind' | 'funnel' | 'endpoints'> | AlertDraft) => ({
  name: name.trim(),
  endpoints,
  ...(kind === 'stalled' && {funnel}),
});

/** Beginnings of alerts that many want, for a list without any. */
export const templates: readonly {readonly title: string; readonly draft: Partial<AlertDraft>}[] = [
  {title: 'No events for an hour', draft: {name: 'No events for an hour', kind: 'absence'}},
  {title: 'Too many of an event', draft: {name: 'Too many of an event', kind: 'threshold', bound: '10'}},
  {title: 'A funnel converts less', draft: {name: 'The funnel converts less', kind: 'funnel_drop', lowerBy: '20'}},
];

/** Body of the request that makes it. */
export const bodyOf = (draft: AlertDraft): Fields => ({
  kind: draft.kind,
  ...Object.fromEntries(Object.entries(fieldsOf(draft)).filter(([, value]) => value !== null)),
});

/** A refusal of a share with the bounds of the field, which takes per cent. */
export const ofPercent = (message: string): string =>
  message.replace(/^below must be a number from 0 to 1$/, `below must be a number from 0 to ${perCent}`);

/** Body of the request for a preview, which nobody is told. */
export function previewOf(draft: AlertDraft): Fields {
  const {name: _, endpoints: __, ...rule} = bodyOf(draft);
  return rule;
}

/** Body of the request that changes it, without what is as it was. */
export const changeOf = (alert: AlertAnswer, draft: AlertDraft): Fields =>
  changedFields(fieldsOf(draftOf(alert)), fieldsOf(draft));

/** Whether the draft has a different condition from the alert, which resets the alert's state. */
export function hasOtherRule(alert: AlertAnswer, draft: AlertDraft): boolean {
  return Object.keys(changedFields(ruleOf(draftOf(alert)), ruleOf(draft))).length > 0;
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

// A webhook as the fields of its form, and as the API takes it: all of it when it is made, what changed when it is edited.
import type {WebhookAnswer} from '../../../src/edge/answers/webhooks.js';
import {type Condition, readCondition, writeCondition} from '../address/conditions.js';
import {changedFields, type Fields, numberText, typedNumber} from '../controls/form-fields.js';
import {lagMinutesDefault, type SubscribedType, typesFor, type WebhookKind} from './webhook-words.js';

/** One subscription to a type. */
export interface SubscriptionDraft {
  /** Empty: all. */
  readonly names: readonly string[];
  /** Of events. */
  readonly where: readonly Condition[];
}

export interface WebhookDraft {
  readonly kind: WebhookKind;
  /** A mail has the address alone, without `mailto:`. The form that edits a chat leaves it empty: the address stays as it is. */
  readonly url: string;
  /** What is told has at least one. */
  readonly subscriptions: Readonly<Partial<Record<SubscribedType, readonly SubscriptionDraft[]>>>;
  /** Most events of a request, and how many ms it waits for more. */
  readonly batchEvents: string;
  readonly batchMs: string;
  readonly isOrdered: boolean;
  readonly lagMinutes: string;
}

export const wholeSubscription: SubscriptionDraft = {names: [], where: []};

export const newDraft: WebhookDraft = {
  kind: 'webhook',
  url: '',
  subscriptions: {},
  batchEvents: '1',
  batchMs: '0',
  isOrdered: false,
  lagMinutes: String(lagMinutesDefault),
};

export function draftOf({kind, url, types, batch, ordered, max_lag_minutes: lag}: WebhookAnswer): WebhookDraft {
  const subscriptions: Partial<Record<SubscribedType, SubscriptionDraft[]>> = {};
  for (const {type, names = [], where = []} of types) {
    const conditions = where.map(readCondition).filter((one) => one !== undefined);
    subscriptions[type] = [...(subscriptions[type] ?? []), {names, where: conditions}];
  }
  return {
    kind,
    url: kind === 'webhook' || kind === 'mail' ? url.replace(mailScheme, '') : '',
    subscriptions,
    batchEvents: numberText(batch.events),
    batchMs: numberText(batch.ms),
    isOrdered: ordered,
    lagMinutes: numberText(lag),
  };
}

/** The types that the draft's kind can be told, and that are chosen. */
export const chosenTypes = ({kind, subscriptions}: WebhookDraft): readonly SubscribedType[] =>
  typesFor(kind).filter((type) => (subscriptions[type] ?? []).length > 0);

const mailScheme = /^mailto:/;

const urlOf = ({kind, url}: WebhookDraft): string =>
  kind === 'mail' ? `mailto:${url.trim().replace(mailScheme, '')}` : url.trim();

const fieldsOf = (draft: WebhookDraft): Fields => ({
  ...(draft.url.trim() === '' ? {} : {url: urlOf(draft)}),
  types: chosenTypes(draft).flatMap((type) =>
    draft.subscriptions[type]!.map(({names, where}) => ({
      type,
      ...(names.length > 0 && {names}),
      ...(where.length > 0 && {where: where.map(writeCondition)}),
    })),
  ),
  batch: {events: typedNumber(draft.batchEvents), ms: typedNumber(draft.batchMs)},
  ordered: draft.isOrdered,
  max_lag_minutes: typedNumber(draft.lagMinutes),
});

/** Body of the request that makes it. */
export const bodyOf = (draft: WebhookDraft): Fields => ({
  kind: draft.kind,
  ...changedFields(fieldsOf(newDraft), fieldsOf(draft)),
});

/** Body of the request that changes it, without what is as it was. */
export const changeOf = (webhook: WebhookAnswer, draft: WebhookDraft): Fields =>
  changedFields(fieldsOf(draftOf(webhook)), fieldsOf(draft));

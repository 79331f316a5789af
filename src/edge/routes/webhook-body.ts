// A webhook as the API writes it, and as it is stored (src/webhooks/endpoint.ts).
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {conditionsMax, idCharsMax} from '../../../actors/limits.js';
import {readCondition} from '../../../actors/report/rows/condition-text.js';
import {isName} from '../../ingest/validate.js';
import {chatTypes} from '../../webhooks/chat.js';
import type {HeldRetry} from '../../webhooks/cursor.js';
import {
  type Endpoint,
  endpointKinds,
  maxLagMsOf,
  type SubscribedType,
  type Subscription,
  subscribedTypes,
} from '../../webhooks/endpoint.js';
import {type Attempt, type EndpointHealth, isProbed, lagMsOf} from '../../webhooks/endpoint-health.js';
import type {DeadLetter, Queued} from '../../webhooks/queued-delivery.js';
import type {DeliveryAnswer, WebhookAnswer} from '../answers/webhooks.js';
import {type Failure, invalidRequest, RequestFailure} from '../failure.js';
import {versionOf} from './if-match.js';

const urlCharsMax = 2_048;
const typesMax = 20;
const namesMax = 50;
const batchEventsMax = 1_000;
const batchMsMax = 60_000;
const deliveriesMax = 100;

const typeRule = `type must be one of ${subscribedTypes.join(', ')}`;
const typesRule = `types must be 1 to ${typesMax} objects with a type`;
const namesRule = `names must be 1 to ${namesMax} names`;
const conditionRule = 'where must be conditions like "plan eq pro": a property, an operator and a value';

const subscription = z.strictObject(
  {
    type: z.enum(subscribedTypes, typeRule),
    names: z
      .array(z.string(namesRule).refine(isName, namesRule).meta({minLength: 1, maxLength: idCharsMax}), namesRule)
      .min(1, namesRule)
      .max(namesMax, namesRule)
      .optional()
      .describe(
        'Of events, saved funnels, alerts, or reports and boards of digests. Absent: all; `report.revised` has none without.',
      ),
    where: z
      .array(
        z.string(conditionRule).refine((text) => readCondition(text) !== undefined, conditionRule),
        conditionRule,
      )
      .max(conditionsMax, conditionRule)
      .optional()
      .describe('Of `event.tracked`: conditions on properties, as `where` of reports. All must hold.'),
  },
  typesRule,
);

const minuteMs = 60_000;
const lagMinutesMin = 5;
const lagMinutesMax = 30 * 24 * 60;
const lagRule = `max_lag_minutes must be a whole number from ${lagMinutesMin} to ${lagMinutesMax}`;
const urlRule = `url must be a URL of at most ${urlCharsMax} characters`;
const eventsRule = `batch.events must be a whole number from 1 to ${batchEventsMax}`;
const msRule = `batch.ms must be a whole number from 0 to ${batchMsMax}`;

const fields = {
  url: z
    .string(urlRule)
    .max(urlCharsMax, urlRule)
    .describe(
      '`https`, and of a public address unless the operator allows others (WEBHOOK_ALLOW_ADDRESSES). Of mail: `mailto:` and an address.',
    ),
  types: z
    .array(subscription, typesRule)
    .min(1, typesRule)
    .max(typesMax, typesRule)
    .describe('Types of messages that it gets.'),
  batch: z
    .strictObject(
      {
        events: z.int(eventsRule).min(1, eventsRule).max(batchEventsMax, eventsRule).describe('Events of a request.'),
        ms: z.int(msRule).min(0, msRule).max(batchMsMax, msRule).describe('How long a request waits for more of them.'),
      },
      'batch must be {"events", "ms"}',
    )
    .optional()
    .describe('Of `event.tracked`. Default: one event a request.'),
  max_lag_minutes: z
    .int(lagRule)
    .min(lagMinutesMin, lagRule)
    .max(lagMinutesMax, lagRule)
    .optional()
    .describe('Of `event.tracked`: what waits for longer is passed over, and listed as skipped. Default: a day.'),
  ordered: z
    .boolean('ordered must be true or false')
    .optional()
    .describe('`true`: events of a partition come one after the other, and one that fails stops the others.'),
};

export const newWebhookBody = z.strictObject({
  kind: z
    .enum(endpointKinds, `kind must be one of ${endpointKinds.join(', ')}`)
    .describe('`webhook`: signed JSON. Chats and mail take the types `report.…`.'),
  ...fields,
});

export const webhookChange = z.strictObject({
  url: fields.url.optional(),
  types: fields.types.optional(),
  batch: fields.batch.nullable(),
  ordered: fields.ordered.nullable(),
  max_lag_minutes: fields.max_lag_minutes.nullable(),
  paused: z.boolean('paused must be true or false').nullish().describe('`true`: nothing is sent, everything waits.'),
});

/** The body of actions that need nothing. */
export const noFields = z.strictObject({});

const deliveriesRule = `deliveries must be 1 to ${deliveriesMax} ids of dead letters`;
const timeRule = 'must be an ISO 8601 time';

export const replayBody = z.strictObject({
  from: z.iso
    .datetime({offset: true, error: `from ${timeRule}`})
    .optional()
    .describe('First time of the events.'),
  to: z.iso
    .datetime({offset: true, error: `to ${timeRule}`})
    .optional()
    .describe('Last time of the events.'),
  deliveries: z
    .array(z.string(deliveriesRule), deliveriesRule)
    .min(1, deliveriesRule)
    .max(deliveriesMax, deliveriesRule)
    .optional()
    .describe('Dead letters.'),
});

type EndpointContent = Pick<Endpoint, 'kind' | 'url' | 'types' | 'batch' | 'ordered' | 'maxLagMs'>;

/** The body in zod's types: an absent field may be undefined. */
interface AskedContent extends Pick<Endpoint, 'kind' | 'url'> {
  readonly types: readonly {
    readonly type: SubscribedType;
    readonly names?: readonly string[] | undefined;
    readonly where?: readonly string[] | undefined;
  }[];
  /** Null: the default. */
  readonly batch?: Endpoint['batch'] | null | undefined;
  readonly ordered?: boolean | null | undefined;
  readonly max_lag_minutes?: number | null | undefined;
}

/** @throws RequestFailure */
export function contentOf(asked: AskedContent): EndpointContent {
  const {kind, url, types, batch, ordered, max_lag_minutes: lagMinutes} = asked;
  const untold =
    kind === 'webhook' ? undefined : types.find(({type}) => !(chatTypes as readonly string[]).includes(type));
  if (untold !== undefined)
    throw new RequestFailure(invalidRequest(`chats and mail take ${chatTypes.join(' and ')} alone`, 'types'));
  if (types.some(({type, where}) => where !== undefined && type !== 'event.tracked'))
    throw new RequestFailure(invalidRequest('where is for event.tracked', 'types'));
  const maxLag = lagMinutes !== undefined && {maxLagMs: lagMinutes === null ? maxLagMsOf({}) : lagMinutes * minuteMs};
  return {kind, url, types: types.map(kept), batch: batch ?? {events: 1, ms: 0}, ordered: ordered ?? false, ...maxLag};
}

const kept = ({type, names, where}: AskedContent['types'][number]): Subscription => ({
  type,
  ...(names && {names}),
  ...(where && {where}),
});

const shownTime = (timeMs: number | null): string | null => (timeMs === null ? null : isoText(timeMs));

/** What its version is of. */
export const editedOfWebhook = (endpoint: Endpoint): readonly unknown[] => {
  const {kind, url, types, batch, ordered, state, reason} = endpoint;
  return [kind, url, types, batch.events, batch.ms, ordered, maxLagMsOf(endpoint), state, reason];
};

export const versionOfWebhook = (endpoint: Endpoint): string => versionOf(editedOfWebhook(endpoint));

/** The endpoint without its secrets: the URL of a chat is one. */
export function shownWebhook(endpoint: Endpoint, health: EndpointHealth, nowMs: number): WebhookAnswer {
  const {id, kind, url, types, state, reason, batch, ordered, createdMs} = endpoint;
  return {
    id,
    kind,
    url: kind === 'webhook' || kind === 'mail' ? url : `${new URL(url).origin}/…${url.slice(-4)}`,
    types: types.map((one) => ({...one})),
    batch,
    ordered,
    max_lag_minutes: maxLagMsOf(endpoint) / minuteMs,
    state,
    reason,
    version: versionOfWebhook(endpoint),
    created_at: isoText(createdMs),
    health: {
      probed: isProbed(health),
      failures: health.failures,
      failing_since: shownTime(health.failingSinceMs),
      last_success_at: shownTime(health.lastSuccessMs),
      lag_seconds: Math.round(lagMsOf(endpoint, health, nowMs) / 1_000),
      delivered: health.delivered,
      failed: health.failed,
      dead: health.dead,
      skipped_events: health.skippedEvents,
    },
  };
}

export const shownAttempt = ({id, type, atMs, outcome, attempt, status, why}: Attempt): DeliveryAnswer => ({
  id,
  type,
  status: outcome,
  at: isoText(atMs),
  attempts: attempt,
  answer: status ?? null,
  why: why ?? null,
});

export const shownHeld = ({id, attempts, dueMs}: HeldRetry): DeliveryAnswer => ({
  id,
  type: 'event.tracked',
  status: 'pending',
  at: isoText(dueMs),
  attempts,
  answer: null,
  why: null,
});

export const shownWaiting = ({id, type, timestampMs, attempts = 0, dueMs}: Queued): DeliveryAnswer => ({
  id,
  type,
  status: 'pending',
  at: isoText(dueMs ?? timestampMs),
  attempts,
  answer: null,
  why: null,
});

export const shownDead = (letter: DeadLetter): DeliveryAnswer => ({
  id: letter.id,
  type: letter.type,
  status: letter.type === 'skipped' ? 'skipped' : 'dead',
  at: isoText(letter.endedMs),
  attempts: letter.type === 'skipped' ? 0 : (letter.attempts ?? 0),
  answer: null,
  why: letter.why,
  ...(letter.type === 'skipped' && {events: letter.of.to - letter.of.from}),
});

export const unknownWebhook: Failure = {code: 'not_found', message: 'no such webhook'};

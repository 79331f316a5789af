// An endpoint: where to send, and what.
import type {Definition} from '../kept/definition.js';
import type {TailPlace} from './heads.js';
import type {TriggerType} from './trigger.js';

export const endpointsMax = 100;

/** `webhook` gets signed JSON; the others are chats and a mail address, whose texts name no user. */
export const endpointKinds = ['webhook', 'slack', 'discord', 'teams', 'mail'] as const;
export type EndpointKind = (typeof endpointKinds)[number];

/** Types that an endpoint can subscribe to. `event.tracked` is read from stored rows, all others are triggers. */
export const subscribedTypes = [
  'event.tracked',
  'user.identified',
  'user.deleted',
  'funnel.completed',
  'funnel.stalled',
  'report.threshold',
  'report.revised',
  'report.digest',
] as const satisfies readonly ('event.tracked' | Exclude<TriggerType, 'test'>)[];
export type SubscribedType = (typeof subscribedTypes)[number];

export interface Subscription {
  readonly type: SubscribedType;
  /** Names of events, saved funnels or alerts, or of what a digest is of; absent: all. */
  readonly names?: readonly string[];
  /** Conditions on properties of events, all of which must hold (actors/report/rows/condition-text.ts). */
  readonly where?: readonly string[];
}

/**
 * `paused`: an operator stopped it; triggers and events wait. `disabled`: its receiver answered 410 or failed for too long;
 * triggers go to the dead letters.
 */
export type EndpointState = 'active' | 'paused' | 'disabled';

/** Subscriptions before an edit, which the rows that were stored by then still have (row-rules.ts RR1). */
export interface EarlierRule {
  readonly types: readonly Subscription[];
  /** First row that has a later rule, by partition. */
  readonly ends: readonly TailPlace[];
}

export interface Endpoint extends Definition {
  readonly kind: EndpointKind;
  /** Of mail: `mailto:` and the address. */
  readonly url: string;
  readonly types: readonly Subscription[];
  /** The oldest first. Absent: every row that is not told yet has the rule of `types`. */
  readonly earlier?: readonly EarlierRule[];
  readonly state: EndpointState;
  /** Why it is disabled, in words; null otherwise. */
  readonly reason: string | null;
  /** Signing secrets, the newest first. Never listed or logged. */
  readonly secrets: readonly {readonly value: string; readonly untilMs?: number}[];
  readonly batch: {readonly events: number; readonly ms: number};
  /** One delivery at a time per partition, and one trigger at a time. */
  readonly ordered: boolean;
  /** Events that wait for longer are passed over. Absent: `lagMsDefault`. */
  readonly maxLagMs?: number;
}

const lagMsDefault = 86_400_000;
export const maxLagMsOf = ({maxLagMs = lagMsDefault}: Pick<Endpoint, 'maxLagMs'>): number => maxLagMs;

export const wantsEvents = ({types}: Pick<Endpoint, 'types'>): boolean =>
  types.some(({type}) => type === 'event.tracked');

export const subscribes = ({types}: Endpoint, type: SubscribedType, name?: string): boolean =>
  types.some((one) => one.type === type && (one.names === undefined || name === undefined || one.names.includes(name)));

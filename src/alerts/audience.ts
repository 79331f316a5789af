// Whom an alert tells: the endpoints that it names and that exist, or those that subscribe to it. One rule for its messages, and for
// the number that answers and pages give.

import type {KeptStore} from '../kept/kept-store.js';
import {savedFunnelsOf} from '../kept/saved-funnel.js';
import type {Endpoint} from '../webhooks/endpoint.js';
import type {Alert} from './definition.js';

type Receiver = Pick<Endpoint, 'id' | 'kind'>;

export interface AudiencePorts {
  endpoint(id: string): Receiver | undefined;
}

export interface StateAudiencePorts extends AudiencePorts {
  /** Endpoints that subscribe to alerts of this name. */
  subscribers(name: string): readonly Receiver[];
}

export interface StallAudiencePorts extends AudiencePorts {
  /** Endpoints that subscribe to `funnel.stalled` of one of these names. */
  subscribers(names: readonly string[]): readonly Receiver[];
}

const named = <R extends Receiver>(
  {endpoints}: Pick<Alert, 'endpoints'>,
  {endpoint}: {endpoint(id: string): R | undefined},
): readonly R[] | undefined => endpoints?.flatMap((id) => endpoint(id) ?? []);

/** Receivers of the messages of an alert with a state. */
export const stateAudience = (
  alert: Pick<Alert, 'name' | 'endpoints'>,
  ports: StateAudiencePorts,
): readonly Receiver[] => named(alert, ports) ?? ports.subscribers(alert.name);

/** Receivers of the messages of an alert that names users: webhooks, and no chats. `funnels`: id and name of the funnel. */
export const stallAudience = (
  alert: Pick<Alert, 'endpoints'>,
  funnels: readonly string[],
  ports: StallAudiencePorts,
): readonly Receiver[] => (named(alert, ports) ?? ports.subscribers(funnels)).filter(({kind}) => kind === 'webhook');

export const stateAudienceOf = (store: KeptStore): StateAudiencePorts => ({
  endpoint: (id) => store.endpoints.get(id),
  subscribers: (name) => store.wants('report.threshold', name),
});

export const stallAudienceOf = (store: KeptStore): StallAudiencePorts => ({
  endpoint: (id) => store.endpoints.get(id),
  subscribers: (names) => [...new Set(names.flatMap((name) => store.wants('funnel.stalled', name)))],
});

/** Ids of those that hear of the alert: what is disabled hears of nothing. */
export function reachedBy(
  store: KeptStore,
  alert: Pick<Alert, 'name' | 'endpoints'> & {readonly rule: {readonly kind: string; readonly funnel?: string}},
): readonly string[] {
  const {rule} = alert;
  const told =
    rule.kind === 'stalled'
      ? stallAudience(alert, funnelNames(rule.funnel!, savedFunnelsOf(store).get(rule.funnel!)), stallAudienceOf(store))
      : stateAudience(alert, stateAudienceOf(store));
  return told.flatMap(({id}) => (store.endpoints.get(id)?.state === 'disabled' ? [] : [id]));
}

/** What a subscription may call the funnel. */
export const funnelNames = (id: string, funnel: {readonly name: string} | undefined): readonly string[] => [
  id,
  funnel?.name ?? id,
];

// Bodies of webhooks: `{type, timestamp, data}` (Standard Webhooks), and the data of stored events.
import {wtf8} from '../../actors/bytes/bytes.js';
import {isoText} from '../../actors/calendar.js';
import {type Condition, passes} from '../../actors/report/rows/condition.js';
import {readCondition} from '../../actors/report/rows/condition-text.js';
import type {PropertyValue} from '../../actors/report/rows/property-values.js';

import {chatBody} from './chat.js';
import type {Endpoint, EndpointKind} from './endpoint.js';
import type {TriggerType} from './trigger.js';

/** A stored event, parsed (docs/api/events.md, History). */
export interface StoredEvent {
  readonly id: string;
  readonly event: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly properties: Readonly<Record<string, PropertyValue>>;
  readonly context?: Readonly<Record<string, PropertyValue>>;
  readonly timestamp: string;
  readonly received_at: string;
  /** True if a join brought it from another partition, where it had this id. */
  readonly joined?: true;
}

/** The user's key in its partition. */
export const userKeyOf = ({userId, anonymousId}: StoredEvent): Uint8Array =>
  wtf8(userId === null ? `a${anonymousId}` : `u${userId}`);

export interface DeliveredEvent {
  /** JSON of the event. */
  readonly text: string;
  readonly userRef: string;
}

const told = ({text, userRef}: DeliveredEvent): string => `{"event":${text},"user_ref":"${userRef}"}`;

/** JSON of `data`. `isBatch`: the endpoint takes several events at once, so a single event is a list, too. */
export const eventsData = (events: readonly DeliveredEvent[], isBatch: boolean): string =>
  isBatch ? `{"events":[${events.map(told).join(',')}]}` : events.map(told).join('');

/** Body of a request. `dataJson`: JSON of an object. */
export function bodyOf(
  kind: Exclude<EndpointKind, 'mail'>,
  type: string,
  timestampMs: number,
  dataJson: string,
): string {
  if (kind !== 'webhook') return chatBody(kind, type as TriggerType, JSON.parse(dataJson) as Record<string, unknown>);
  return `{"type":"${type}","timestamp":"${isoText(timestampMs)}","data":${dataJson}}`;
}

// ---- rules ----

/** Names of events that the endpoint subscribes to; undefined: all. */
export function wantedNames({types}: Pick<Endpoint, 'types'>): readonly string[] | undefined {
  const rules = types.filter(({type}) => type === 'event.tracked');
  return rules.every(({names}) => names !== undefined)
    ? [...new Set(rules.flatMap(({names = []}) => names))]
    : undefined;
}

/** Tells whether one of the endpoint's subscriptions wants an event. */
export function eventRule({types}: Pick<Endpoint, 'types'>): (event: StoredEvent) => boolean {
  const rules = types
    .filter(({type}) => type === 'event.tracked')
    .map(({names, where = []}) => ({
      names: names && new Set(names),
      where: where.map(readCondition).filter((condition) => condition !== undefined),
    }));
  return (event) =>
    rules.some(
      ({names, where}) => (names?.has(event.event) ?? true) && where.every((condition) => holds(condition, event)),
    );
}

const holds = (condition: Condition, event: StoredEvent): boolean =>
  passes(condition, propertyOf(event, condition.property));

/**
 * Value of a property, as reports read it (property-name.ts). A literal key wins over a path; a path that begins with `context` is
 * read there if no property has it.
 */
function propertyOf({properties, context}: StoredEvent, name: string): PropertyValue {
  if (Object.hasOwn(properties, name)) return properties[name];
  const path = name.split('.');
  const [head = ''] = path;
  if (Object.hasOwn(properties, head)) return at(properties, path);
  return head === 'context' && path.length > 1 && context !== undefined ? at(context, path.slice(1)) : undefined;
}

function at(value: unknown, path: readonly string[]): PropertyValue {
  let inner = value;
  for (const key of path) {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner) || !Object.hasOwn(inner, key))
      return undefined;
    inner = (inner as Record<string, unknown>)[key];
  }
  return inner as PropertyValue;
}

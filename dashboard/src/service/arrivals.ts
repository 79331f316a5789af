// Events of the stream: as text, and which of them a filter means.
import {meetsAll} from '../../../actors/report/rows/event-conditions.js';
import type {ArrivedEvent} from '../../../src/edge/dashboard/answers/stream.js';
import {type Condition, writeCondition} from '../address/conditions';

export interface ArrivalFilter {
  readonly event?: string | undefined;
  /** A userId or an anonymousId. */
  readonly user?: string | undefined;
  readonly where?: readonly Condition[] | undefined;
}

/** Parameters of the filter, for the stream and the history. */
export const filterPairs = ({event, user, where = []}: ArrivalFilter): [name: string, value: string][] => [
  ...(event === undefined ? [] : [['event', event] as [string, string]]),
  ...(user === undefined ? [] : [['user', user] as [string, string]]),
  ...where.map((one): [string, string] => ['where', writeCondition(one)]),
];

export const filterText = (filter: ArrivalFilter): string => new URLSearchParams(filterPairs(filter)).toString();

/** Whether an event is of the filter, as far as its first properties say. */
export const isWanted = (
  {event, user_id, anonymous_id, properties, more}: ArrivedEvent,
  filter: ArrivalFilter,
): boolean =>
  (filter.event === undefined || event === filter.event) &&
  (filter.user === undefined || user_id === filter.user || anonymous_id === filter.user) &&
  (more > 0 || meetsAll(filter.where ?? [], {properties: Object.fromEntries(properties)}));

export const whoOf = ({user_id, anonymous_id}: Pick<ArrivedEvent, 'user_id' | 'anonymous_id'>): string =>
  user_id ?? anonymous_id ?? '';

/** `plan pro, seats 3`: one line of them. */
export const propertiesText = ({properties, more}: Pick<ArrivedEvent, 'properties' | 'more'>): string =>
  [...properties.map(([key, value]) => `${key} ${value}`), ...(more > 0 ? [`${more} more`] : [])].join(', ');

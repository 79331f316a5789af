// What the stream tells of events and refusals as they happen.

export interface Arrival {
  readonly event: string;
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly message_id: string | null;
  /** Epoch ms: of the event, and of its receipt. */
  readonly at: number;
  readonly received: number;
  readonly ack_ms: number;
  readonly properties: readonly (readonly [key: string, value: null | boolean | number | string])[];
  /** Properties that are not shown. */
  readonly more: number;
}

export interface Arrivals {
  readonly events: readonly Arrival[];
  readonly count: number;
}

export interface SeenRefusal {
  readonly code: string;
  readonly route?: string;
  readonly field: string | null;
  readonly key_id: string | null;
  readonly count: number;
}

export interface SeenRefusals {
  readonly at: number;
  readonly refusals: readonly SeenRefusal[];
  readonly more: number;
}

export const whoOf = ({user_id, anonymous_id}: Pick<Arrival, 'user_id' | 'anonymous_id'>): string =>
  user_id ?? anonymous_id ?? '';

/** `plan pro, seats 3`: one line of them. */
export const propertiesText = ({properties, more}: Pick<Arrival, 'properties' | 'more'>): string =>
  [...properties.map(([key, value]) => `${key} ${value}`), ...(more > 0 ? [`${more} more`] : [])].join(', ');

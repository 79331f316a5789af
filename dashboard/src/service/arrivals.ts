// An event of the stream as text.
import type {ArrivedEvent} from '../../../src/edge/dashboard/answers/stream.js';

export const whoOf = ({user_id, anonymous_id}: Pick<ArrivedEvent, 'user_id' | 'anonymous_id'>): string =>
  user_id ?? anonymous_id ?? '';

/** `plan pro, seats 3`: one line of them. */
export const propertiesText = ({properties, more}: Pick<ArrivedEvent, 'properties' | 'more'>): string =>
  [...properties.map(([key, value]) => `${key} ${value}`), ...(more > 0 ? [`${more} more`] : [])].join(', ');

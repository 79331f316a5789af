// Conditions on one event as it was sent, with the meaning that names have for rows of chunks (property-values.ts).
import type {Json} from '../../log/json.js';
import {type Condition, passes} from './condition.js';
import {type TraitsObject, traitOf} from './person-traits.js';

export interface SentEvent {
  readonly properties: TraitsObject;
  readonly context?: Json | undefined;
}

/** Whether the event meets all conditions. */
export function meetsAll(conditions: readonly Condition[], {properties, context}: SentEvent): boolean {
  // A property that is called `context` wins over the event's own.
  const all = context === undefined ? properties : {context, ...properties};
  return conditions.every((condition) => passes(condition, traitOf(all, condition.property)));
}

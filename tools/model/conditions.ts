// `where` and `user_where` as a person would read them: one condition, one value.

import {propertyAt, stringForm} from './event-counts.js';
import type {Json, JsonObject, Model, StoredEvent} from './model.js';
import {userKeyOf} from './model.js';

export interface Condition {
  readonly property: string;
  readonly op: string;
  readonly values: readonly string[];
}

export function holds(properties: JsonObject, {property, op, values}: Condition): boolean {
  const value = propertyAt(properties, property);
  const text = stringForm(value);
  const [first] = values;
  const number = typeof value === 'number' ? value : Number.NaN;
  const answers: Record<string, () => boolean> = {
    eq: () => text === first,
    in: () => text !== undefined && values.includes(text),
    contains: () => text?.includes(first!) ?? false,
    gt: () => number > Number(first),
    gte: () => number >= Number(first),
    lt: () => number < Number(first),
    lte: () => number <= Number(first),
    set: () => value !== undefined,
    null: () => value === null,
    has: () => Array.isArray(value) && value.some((element: Json) => stringForm(element) === first),
  };
  const negations: Record<string, string> = {ne: 'eq', nin: 'in', ncontains: 'contains', unset: 'set', nnull: 'null'};
  const negated = negations[op];
  return negated === undefined ? answers[op]!() : !answers[negated]!();
}

export const holdAll = (properties: JsonObject, conditions: readonly Condition[]): boolean =>
  conditions.every((condition) => holds(properties, condition));

/** Traits of the user of an event, as they are now. */
export const traitsOf = (model: Model, event: StoredEvent): JsonObject =>
  Object.fromEntries(model.profiles.get(userKeyOf(event.user))?.traits ?? []);

export interface Did {
  /** Undefined: any event. */
  readonly event?: string;
  readonly where: readonly Condition[];
}

export const didIt = (event: StoredEvent, {event: name, where}: Did): boolean =>
  (name === undefined || event.name === name) && holdAll(event.properties, where);

/** `skipped` of an answer that looked at these events, a condition at a time; nothing where none compares numbers. */
export function skippedIn(looked: readonly (readonly [readonly StoredEvent[], readonly Condition[]])[]): JsonObject {
  const compares = ({op}: Condition): boolean => /^[gl]te?$/.test(op);
  if (!looked.some(([, where]) => where.some(compares))) return {};
  let skipped = 0;
  for (const [events, where] of looked) {
    let left = events;
    for (const condition of where) {
      const values = left.map(({properties}) => propertyAt(properties, condition.property));
      if (compares(condition))
        skipped += values.filter((value) => value !== undefined && typeof value !== 'number').length;
      left = left.filter(({properties}) => holds(properties, condition));
    }
  }
  return {skipped};
}

/** Users by their traits and by what they did, without those for whom all of `except` holds. */
export interface UserFilter extends UserRules {
  readonly except?: UserRules;
}

interface UserRules {
  readonly where: readonly Condition[];
  readonly did: readonly (Did & {readonly fromMs: number; readonly toMs: number; readonly isAbsent: boolean})[];
}

/** Whether the event is of a user who is meant. Undefined: all users are. */
export const isOfMeant = (model: Model, event: StoredEvent, users: UserFilter | undefined): boolean =>
  users === undefined ||
  (meets(model, event, users) && (users.except === undefined || !meets(model, event, users.except)));

/** Whether all of it holds for the user of the event. */
const meets = (model: Model, event: StoredEvent, users: UserRules): boolean =>
  holdAll(traitsOf(model, event), users.where) &&
  users.did.every(({fromMs, toMs, isAbsent, ...did}) => {
    const isDeed = (one: StoredEvent): boolean => fromMs <= one.timeMs && one.timeMs <= toMs && didIt(one, did);
    return model.events.some((one) => userKeyOf(one.user) === userKeyOf(event.user) && isDeed(one)) !== isAbsent;
  });

// GET /v1/names by walking the list once per name.

import {formatTime, isInside, type Range} from './calendar.js';
import {isOfMeant, type UserFilter} from './conditions.js';
import type {JsonObject, Model} from './model.js';
import {userKeyOf} from './model.js';

/** One page with all names; `withUsers`: each has its distinct users in the range. `users`: whose events count. */
export function namesOf(
  model: Model,
  range: Range,
  prefix = '',
  withUsers = false,
  users: UserFilter | undefined = undefined,
): JsonObject {
  const data: JsonObject[] = [];
  for (const name of new Set(model.events.map((event) => event.name))) {
    const ofName = model.events.filter((event) => event.name === name);
    const counted = ofName.filter((event) => isInside(event.timeMs, range) && isOfMeant(model, event, users));
    const count = counted.length;
    const times = ofName.map((event) => event.timeMs);
    if (count === 0 || !name.startsWith(prefix)) continue;
    data.push({
      name,
      count,
      ...(withUsers ? {users: new Set(counted.map(({user}) => userKeyOf(user))).size} : {}),
      first_seen: formatTime(Math.min(...times)),
      last_seen: formatTime(Math.max(...times)),
    });
  }
  data.sort((a, b) => Number(b.count) - Number(a.count) || (String(a.name) < String(b.name) ? -1 : 1));
  return {data, has_more: false, next_cursor: null};
}

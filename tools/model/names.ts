// GET /v1/names by walking the list once per name.

import {formatTime, isInside, type Range} from './calendar.js';
import type {JsonObject, Model} from './model.js';

/** One page with all names. */
export function namesOf(model: Model, range: Range, prefix = ''): JsonObject {
  const data: JsonObject[] = [];
  for (const name of new Set(model.events.map((event) => event.name))) {
    const ofName = model.events.filter((event) => event.name === name);
    const count = ofName.filter((event) => isInside(event.timeMs, range)).length;
    const times = ofName.map((event) => event.timeMs);
    if (count === 0 || !name.startsWith(prefix)) continue;
    data.push({
      name,
      count,
      first_seen: formatTime(Math.min(...times)),
      last_seen: formatTime(Math.max(...times)),
    });
  }
  data.sort((a, b) => Number(b.count) - Number(a.count) || (String(a.name) < String(b.name) ? -1 : 1));
  return {data, has_more: false, next_cursor: null};
}

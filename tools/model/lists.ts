// GET /v1/properties, /v1/traits and their values, by walking the list once per item.

import {isInside, type Range} from './calendar.js';
import {propertyAt, stringForm} from './event-counts.js';
import type {Json, JsonObject, Model} from './model.js';
import {userKeyOf} from './model.js';

export interface Page {
  readonly prefix?: string;
  readonly limit: number;
  readonly passed: number;
}

/** Without the cursor. */
export interface ListAnswer {
  readonly data: readonly JsonObject[];
  readonly distinct?: number;
  readonly has_more: boolean;
}

/** Properties of the events of a name, or of all. */
export const eventObjects = (model: Model, range: Range, event: string | undefined): readonly JsonObject[] =>
  model.events
    .filter(({name, timeMs}) => (event === undefined || name === event) && isInside(timeMs, range))
    .map(({properties}) => properties);

/** Traits of all users, or of those with an event in the range. */
export function userObjects(model: Model, range: Range | undefined): readonly JsonObject[] {
  const active = new Set(
    model.events.filter(({timeMs}) => range === undefined || isInside(timeMs, range)).map(({user}) => userKeyOf(user)),
  );
  const users = range === undefined ? new Set([...active, ...model.profiles.keys()]) : active;
  return [...users].map((user) => Object.fromEntries(model.profiles.get(user)?.traits ?? []));
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export function keysOf(objects: readonly JsonObject[], kind: string, page: Page): ListAnswer {
  const keys = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const items = keys.map((key) => {
    const values = objects.filter((object) => Object.hasOwn(object, key)).map((object) => object[key]!);
    const types: Record<string, number> = {};
    for (const value of values) types[typeOf(value)] = (types[typeOf(value)] ?? 0) + 1;
    return {count: values.length, name: key, fields: {[kind]: key, share: values.length / objects.length, types}};
  });
  return paged(
    items.filter(({name}) => name.startsWith(page.prefix ?? '')),
    page,
  );
}

export function valuesOf(objects: readonly JsonObject[], key: string, page: Page): ListAnswer {
  const found = objects.map((object) => propertyAt(object, key));
  const names = found.map((value) => {
    const text = stringForm(value);
    if (text !== undefined) return `=${text}`;
    return value === undefined ? 'missing' : value === null ? 'null' : 'not_scalar';
  });
  const items = [...new Set(names)].map((name) => {
    const count = names.filter((one) => one === name).length;
    const shown = name.startsWith('=') ? {value: name.slice(1)} : {kind: name};
    return {count, name, fields: {...shown, count}};
  });
  const {prefix} = page;
  const meant = items.filter(({name}) => prefix === undefined || name.startsWith(`=${prefix}`));
  return {...paged(meant, page), distinct: meant.filter(({name}) => name.startsWith('=')).length};
}

function paged(
  items: readonly {readonly count: number; readonly name: string; readonly fields: JsonObject}[],
  {limit, passed}: Page,
): ListAnswer {
  const sorted = [...items].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return {
    data: sorted.slice(passed, passed + limit).map(({fields}) => fields),
    has_more: sorted.length > passed + limit,
  };
}

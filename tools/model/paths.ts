// GET /v1/reports/paths: every user's path as a list of names, and counts over these lists.

import {isInside, parseRange} from './calendar.js';
import {type Condition, holdAll, isOfMeant, skippedIn, type UserFilter} from './conditions.js';
import type {JsonObject, Model, StoredEvent} from './model.js';
import {userKeyOf} from './model.js';

export interface PathsQuery {
  readonly event: string;
  readonly direction: 'after' | 'before';
  readonly from: string;
  readonly to: string;
  readonly where: readonly Condition[];
  readonly users?: UserFilter;
  readonly depth: number;
  readonly limit: number;
  readonly timezone?: string;
}

const node = (name: string | undefined): JsonObject => (name === undefined ? {kind: 'end'} : {event: name});
const isEvent = (one: JsonObject): boolean => one.event !== undefined;

/** Names in the order of their bytes, after them what is no name. */
function compare(a: JsonObject, b: JsonObject): number {
  if (!isEvent(a) || !isEvent(b)) return Number(isEvent(b)) - Number(isEvent(a));
  return Buffer.compare(Buffer.from(a.event as string), Buffer.from(b.event as string));
}

export function pathsOf(model: Model, query: PathsQuery): JsonObject {
  const paths = pathsOfUsers(model, query);
  const edgesOf = (step: number) => {
    const counts = new Map<string, {from: JsonObject; to: JsonObject; users: number}>();
    for (const path of paths.filter(({length}) => length > step)) {
      const [from, to] = [node(path[step]), node(path[step + 1])];
      const key = JSON.stringify([from, to]);
      counts.set(key, {from, to, users: (counts.get(key)?.users ?? 0) + 1});
    }
    const all = [...counts.values()];
    return all.sort((a, b) => b.users - a.users || compare(a.from, b.from) || compare(a.to, b.to));
  };
  const all = Array.from({length: query.depth - 1}, (_, step) => edgesOf(step));
  const shown = all.map((edges) => edges.slice(0, query.limit));
  const steps = Array.from({length: query.depth}, (_, step) => {
    const touched = [...(shown[step - 1] ?? []).map(({to}) => to), ...(shown[step] ?? []).map(({from}) => from)];
    const names = new Set(touched.filter(isEvent).map(({event}) => event as string));
    if (step === 0) names.add(query.event);
    const usersOf = (name: string): number => paths.filter((path) => path[step] === name).length;
    const nodes = [...names]
      .map((name) => ({event: name, users: usersOf(name)}))
      .sort((a, b) => b.users - a.users || compare(a, b));
    const others = paths.filter((path) => path[step] !== undefined && !names.has(path[step]!)).length;
    const ended = paths.filter(({length}) => length === step).length;
    return [
      ...nodes,
      ...(others > 0 ? [{kind: 'other', users: others}] : []),
      ...(ended > 0 ? [{kind: 'end', users: ended}] : []),
    ];
  });
  const edges = all.flatMap((of, step) => {
    const rest = of.slice(query.limit).reduce((sum, {users}) => sum + users, 0);
    const other = {step: step + 1, from: {kind: 'other'}, to: {kind: 'other'}, users: rest};
    return [...shown[step]!.map((edge) => ({step: step + 1, ...edge})), ...(rest > 0 ? [other] : [])];
  });
  return {depth: query.depth, steps, edges, ...skippedIn([[lookedAt(model, query), query.where]])};
}

const lookedAt = (model: Model, query: PathsQuery): StoredEvent[] => {
  const range = parseRange(query.from, query.to, query.timezone);
  const inRange = model.inOrder(model.events).filter(({timeMs}) => isInside(timeMs, range));
  return inRange.filter((event) => isOfMeant(model, event, query.users));
};

function pathsOfUsers(model: Model, query: PathsQuery): string[][] {
  const asked = lookedAt(model, query).filter((event) => holdAll(event.properties, query.where));
  const users = new Set(asked.map(({user}) => userKeyOf(user)));
  return [...users].flatMap((user) => {
    const names = asked.filter((event) => userKeyOf(event.user) === user).map(({name}) => name);
    if (query.direction === 'before') names.reverse();
    const first = names.indexOf(query.event);
    return first < 0 ? [] : [names.slice(first, first + query.depth)];
  });
}

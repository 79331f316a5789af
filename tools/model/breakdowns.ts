// Rows of a breakdown of anything that belongs to an event: the most frequent values, the rest, and what is no value.

import {traitsOf} from './conditions.js';
import {propertyAt, stringForm} from './event-counts.js';
import type {Json, JsonObject, Model, StoredEvent} from './model.js';

export interface AskedBreakdown {
  readonly by: 'property' | 'trait';
  readonly name: string;
  readonly limit: number;
}

/** `things` are counted to choose the rows of each breakdown; `fieldsOf` says what a combination of rows has. */
export function rowsByValue<Thing>(
  model: Model,
  breakdowns: readonly AskedBreakdown[],
  things: readonly Thing[],
  eventOf: (thing: Thing) => StoredEvent,
  fieldsOf: (things: readonly Thing[]) => JsonObject,
  countOf: (things: readonly Thing[]) => number = ({length}) => length,
): JsonObject[] {
  let rows: {names: JsonObject[]; of: readonly Thing[]}[] = [{names: [], of: things}];
  for (const breakdown of breakdowns) {
    const own = rowsOfOne(model, breakdown, things, eventOf, countOf);
    rows = rows.flatMap(({names, of}) =>
      own.map((row) => ({names: [...names, row.name], of: of.filter((thing) => row.of.has(thing))})),
    );
  }
  return rows
    .filter(({of}) => of.length > 0)
    .map(({names, of}) => ({...(names.length === 1 ? names[0]! : {by: names}), ...fieldsOf(of)}));
}

/** Rows of one breakdown, whatever the others are. */
function rowsOfOne<Thing>(
  model: Model,
  {by, name, limit}: AskedBreakdown,
  things: readonly Thing[],
  eventOf: (thing: Thing) => StoredEvent,
  countOf: (things: readonly Thing[]) => number,
): {name: JsonObject; of: ReadonlySet<Thing>}[] {
  const byRow = new Map<string, Thing[]>();
  for (const thing of things) {
    const event = eventOf(thing);
    const row = rowOf(propertyAt(by === 'trait' ? traitsOf(model, event) : event.properties, name));
    byRow.set(row, [...(byRow.get(row) ?? []), thing]);
  }
  const values = [...byRow.keys()].filter((row) => row.startsWith('='));
  const size = (row: string): number => countOf(byRow.get(row)!);
  values.sort((a, b) => size(b) - size(a) || Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const rest = values.slice(limit);
  return [
    ...values.slice(0, limit).map((row) => ({name: {value: row.slice(1)}, of: new Set(byRow.get(row))})),
    {name: {kind: 'other', values: rest.length}, of: new Set(rest.flatMap((row) => byRow.get(row)!))},
    ...['missing', 'null', 'not_scalar'].map((kind) => ({name: {kind}, of: new Set(byRow.get(kind))})),
  ];
}

/** What the answer calls the properties. */
export function brokenBy(breakdowns: readonly AskedBreakdown[]): JsonObject {
  const names = breakdowns.map(({by, name}) => (by === 'trait' ? `trait:${name}` : name));
  return names.length === 1 ? {property: names[0]!} : {properties: names};
}

/** The row that a value is in: `=<text>`, or a kind. */
function rowOf(value: Json | undefined): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  const text = stringForm(value);
  return text === undefined ? 'not_scalar' : `=${text}`;
}

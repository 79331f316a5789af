// Rows of a breakdown of anything that belongs to an event: the most frequent values, the rest, and what is no value.

import {traitsOf} from './conditions.js';
import {propertyAt, stringForm} from './event-counts.js';
import type {Json, JsonObject, Model, StoredEvent} from './model.js';

export interface AskedBreakdown {
  readonly by: 'property' | 'trait';
  readonly name: string;
  readonly limit: number;
}

/** `things` are counted to choose the rows; `fieldsOf` says what a row has. */
export function rowsByValue<Thing>(
  model: Model,
  {by, name, limit}: AskedBreakdown,
  things: readonly Thing[],
  eventOf: (thing: Thing) => StoredEvent,
  fieldsOf: (things: readonly Thing[]) => JsonObject,
  countOf: (things: readonly Thing[]) => number = ({length}) => length,
): JsonObject[] {
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
  const rows: JsonObject[] = values.slice(0, limit).map((row) => ({value: row.slice(1), ...fieldsOf(byRow.get(row)!)}));
  if (rest.length > 0) {
    const others = things.filter((thing) => rest.some((row) => byRow.get(row)!.includes(thing)));
    rows.push({kind: 'other', values: rest.length, ...fieldsOf(others)});
  }
  for (const kind of ['missing', 'null', 'not_scalar']) {
    const found = byRow.get(kind);
    if (found !== undefined) rows.push({kind, ...fieldsOf(found)});
  }
  return rows;
}

/** The row that a value is in: `=<text>`, or a kind. */
function rowOf(value: Json | undefined): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  const text = stringForm(value);
  return text === undefined ? 'not_scalar' : `=${text}`;
}

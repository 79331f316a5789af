// Counts of one event with one property value, by day, in SQL.

import type {FilteredCountQuestion} from '../../engine/questions.js';
import {dayMs} from '../../workload/events.js';
import type {DuckDbPeer} from './peer.js';
import {type Formulation, wordsOf} from './schema-words.js';

/** Bounds must be whole days. */
export function filteredCountFormulations(question: FilteredCountQuestion, peer: DuckDbPeer): Formulation[] {
  const {event, property, value} = question;
  const [text, coded] = [wordsOf('text', peer), wordsOf('coded', peer)];
  const isNumber = property === 'duration_ms';
  const json = isNumber ? `"${property}":${value},` : `"${property}":"${value}"`;
  const code = isNumber ? value : property === 'session' ? `'${value}'` : String(peer.codeOf(property, value));
  const read = (rows: readonly (readonly unknown[])[]): number[] => byDay(question, rows);
  const textSql = (passes: string, day: string): string =>
    `SELECT ${day} AS d, count(*) FROM text WHERE ${text.named(event)} AND ${text.within(question)} AND ${passes} GROUP BY d`;
  const codedSql = (passes: string): string =>
    `SELECT day, count(*) FROM coded WHERE ${coded.named(event)} AND ${passes} AND ${coded.within(question)} GROUP BY day`;
  return [
    {schema: 'text', name: 'extract', sql: textSql(`(properties->>'$.${property}') = '${value}'`, text.day), read},
    // Correct for this workload only: no value contains a quote or another property's text.
    {schema: 'text', name: 'contains', sql: textSql(`contains(properties::VARCHAR, '${json}')`, text.day), read},
    {schema: 'coded', name: 'columns', sql: codedSql(`${property} = ${code}`), read},
    {
      schema: 'coded',
      name: 'property first',
      sql: `SELECT day, count(*) FROM coded WHERE ${property} = ${code} AND ${coded.named(event)} AND ${coded.within(question)} GROUP BY day`,
      read,
    },
    {
      schema: 'coded',
      name: 'histogram',
      sql: `SELECT unnest(map_entries(histogram(day)), recursive := true) FROM coded WHERE ${coded.named(event)} AND ${property} = ${code} AND ${coded.within(question)}`,
      read,
    },
  ];
}

function byDay({fromMs, toMs}: FilteredCountQuestion, rows: readonly (readonly unknown[])[]): number[] {
  const first = Math.floor(fromMs / dayMs);
  const counts = new Array<number>(Math.floor(toMs / dayMs) - first + 1).fill(0);
  for (const [day, count] of rows) counts[Number(day) - first] = Number(count);
  return counts;
}

// Funnels without a window in SQL: from the first entry each step takes the user's earliest event after the step before.

import type {FunnelQuestion} from '../../engine/questions.js';
import {type DuckDbPeer, schemas} from './peer.js';
import {type Formulation, type SchemaWords, wordsOf} from './schema-words.js';

const numbersOfRow = (rows: readonly (readonly unknown[])[]): number[] => rows[0]!.map(Number);

/** Event names must differ (a letter of `letters` stands for a name). */
export function funnelFormulations(question: FunnelQuestion, peer: DuckDbPeer): Formulation[] {
  return schemas.flatMap((schema) => {
    const words = wordsOf(schema, peer);
    const ways = {joins, asof, lists, letters};
    return Object.entries(ways).map(([name, sql]) => ({
      schema,
      name,
      sql: sql(question, words),
      read: numbersOfRow,
    }));
  });
}

/** A scan for each step, joined with the users of the step before. */
function joins({steps, ...range}: FunnelQuestion, {table, user, time, named, within}: SchemaWords): string {
  const reached = steps.map((step, index) => {
    const before = index === 0 ? '' : `JOIN s${index - 1} ON ${user} = who`;
    const later = index === 0 ? '' : `AND ${time} > reached`;
    return `s${index} AS (SELECT ${user} AS who, min(${time}) AS reached FROM ${table} ${before}
      WHERE ${named(step)} AND ${within(range)} ${later} GROUP BY ${user})`;
  });
  return `WITH ${reached.join(', ')} SELECT ${counts(steps)}`;
}

/** As `joins`, with joins to the nearest later row. */
function asof({steps, ...range}: FunnelQuestion, {table, user, time, named, within}: SchemaWords): string {
  const reached = steps.map((step, index) => {
    if (index === 0) {
      return `s0 AS (SELECT ${user} AS who, min(${time}) AS reached FROM ${table}
        WHERE ${named(step)} AND ${within(range)} GROUP BY ${user})`;
    }
    const rows = `(SELECT ${user} AS u, ${time} AS t FROM ${table} WHERE ${named(step)} AND ${within(range)})`;
    return `s${index} AS (SELECT who, t AS reached FROM s${index - 1} ASOF JOIN ${rows} ON who = u AND reached < t)`;
  });
  return `WITH ${reached.join(', ')} SELECT ${counts(steps)}`;
}

const counts = (steps: readonly string[]): string =>
  steps.map((_, index) => `(SELECT count(*) FROM s${index})`).join(', ');

/** One scan: the times of each step as lists by user, then the earliest time after the step before. */
function lists({steps, ...range}: FunnelQuestion, {table, user, time, named, within}: SchemaWords): string {
  const last = steps.length - 1;
  const gathered = steps.map((step, index) => {
    const gather = index === 0 ? 'min' : index === last ? 'max' : 'list';
    return `${gather}(${time}) FILTER (${named(step)}) AS g${index}`;
  });
  const any = steps.map(named).join(' OR ');
  let sql = `SELECT *, g0 AS t0 FROM (SELECT ${gathered.join(', ')} FROM ${table}
    WHERE (${any}) AND ${within(range)} GROUP BY ${user})`;
  for (let index = 1; index <= last; index++) {
    const before = `t${index - 1}`;
    const time =
      index === last
        ? `CASE WHEN g${index} > ${before} THEN g${index} END`
        : `list_min(list_filter(g${index}, lambda x: x > ${before}))`;
    sql = `SELECT *, ${time} AS t${index} FROM (${sql})`;
  }
  return `SELECT ${steps.map((_, index) => `count(t${index})`).join(', ')} FROM (${sql})`;
}

/** One scan: each user's steps as a word, one letter an event, in order of time; a funnel is a pattern. */
function letters({steps, ...range}: FunnelQuestion, {table, user, time, named, within}: SchemaWords): string {
  const letter = (index: number): string => String.fromCharCode(97 + index);
  const cases = steps.map((step, index) => `WHEN ${named(step)} THEN '${letter(index)}'`).join(' ');
  const any = steps.map(named).join(' OR ');
  const reached = steps.map((_, index) => {
    const pattern = steps.slice(0, index + 1).map((__, before) => letter(before));
    return `count(*) FILTER (word LIKE '%${pattern.join('%')}%')`;
  });
  return `SELECT ${reached.join(', ')} FROM (SELECT string_agg(CASE ${cases} END, '' ORDER BY ${time}) AS word
    FROM ${table} WHERE (${any}) AND ${within(range)} GROUP BY ${user})`;
}

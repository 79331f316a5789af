// Questions that rows answer, as a path of the service and in the peer's SQL, with the numbers in their answers.

import type {DuckDbPeer} from '../peers/duckdb/peer.js';
import {type Formulation, type SchemaWords, wordsOf} from '../peers/duckdb/schema-words.js';
import {dayMs, propertyValues} from '../workload/events.js';
import {funnelSteps} from '../workload/expected.js';
import type {TimeRange} from './questions.js';

export interface RowQuestion {
  readonly name: string;
  /** Least ratio of the peer's time to ours. */
  readonly reach: number;
  path(range: TimeRange): string;
  numbersOf(body: unknown): number[];
  waysOf(range: TimeRange, peer: DuckDbPeer): Formulation[];
}

type Rows = readonly (readonly unknown[])[];

const event = 'page_viewed';
const countries = [...propertyValues.country!].sort();

const iso = (timeMs: number): string => encodeURIComponent(new Date(timeMs).toISOString());
const pathOf = (report: string, {fromMs, toMs}: TimeRange, parameters: string): string =>
  `/v1/reports/${report}?from=${iso(fromMs)}&to=${iso(toMs)}&${parameters}`;
const countsPath = (range: TimeRange, parameters: string): string =>
  pathOf('events', range, `event=${event}&interval=day&${parameters}`);

interface Item {
  readonly count: number;
  readonly value?: number | null;
}
interface Series {
  readonly data: readonly Item[];
  readonly total: number;
}
interface BrokenDown extends Series {
  readonly breakdown: {readonly rows: readonly (Series & {readonly value?: string; readonly kind?: string})[]};
}

const valuesOf = (body: unknown): number[] => (body as Series).data.map(({value}) => value ?? 0);
const countsOf = (body: unknown): number[] => (body as Series).data.map(({count}) => count);

/** Numbers of the range's days in a zone that is `shiftMs` ahead of UTC, from the first to the last. */
function byDay({fromMs, toMs}: TimeRange, rows: Rows, shiftMs = 0): number[] {
  const first = Math.floor((fromMs + shiftMs) / dayMs);
  const numbers = new Array<number>(Math.floor((toMs + shiftMs) / dayMs) - first + 1).fill(0);
  for (const [day, number] of rows) numbers[Number(day) - first] = Number(number ?? 0);
  return numbers;
}

/** One statement over both schemas: `property` gives the SQL of a property in each. */
function bothWays(
  peer: DuckDbPeer,
  sqlOf: (
    words: SchemaWords,
    property: (name: string) => string,
    value: (property: string, text: string) => string,
  ) => string,
  read: (rows: Rows) => number[],
): Formulation[] {
  const isNumber = (name: string): boolean => name === 'duration_ms';
  const text = sqlOf(
    wordsOf('text', peer),
    (name) => (isNumber(name) ? `(properties->>'$.${name}')::BIGINT` : `(properties->>'$.${name}')`),
    (_, value) => `'${value}'`,
  );
  const coded = sqlOf(
    wordsOf('coded', peer),
    (name) => name,
    (property, value) => String(peer.codeOf(property, value)),
  );
  return [
    {schema: 'text', name: 'extract', sql: text, read},
    {schema: 'coded', name: 'columns', sql: coded, read},
  ];
}

const kolkataMs = 5.5 * 3_600_000;
/** SQL of the day in a zone that is `shiftMs` ahead of UTC. */
const localDay = (words: SchemaWords, shiftMs: number): string =>
  shiftMs === 0
    ? words.day
    : words.table === 'coded'
      ? `((t + ${shiftMs}) // ${dayMs})`
      : `((epoch_ms(time) + ${shiftMs}) // ${dayMs})`;

const byCountry: RowQuestion = {
  name: 'breakdown by a property of 16 values, by day',
  reach: 5,
  path: (range) => countsPath(range, 'breakdown=country'),
  numbersOf: (body) => {
    const rows = new Map((body as BrokenDown).breakdown.rows.map((row) => [row.value, row]));
    return countries.flatMap((country) => rows.get(country)!.data.map(({count}) => count));
  },
  waysOf: (range, peer) =>
    bothWays(
      peer,
      (words, property) =>
        `SELECT ${property('country')}, ${words.day} AS d, count(*) FROM ${words.table} WHERE ${words.named(event)} AND ${words.within(range)} GROUP BY ALL`,
      (rows) =>
        countries.flatMap((country) => {
          const code = peer.codeOf('country', country);
          const own = rows.filter(
            ([value]) => value === country || (typeof value !== 'string' && Number(value) === code),
          );
          return byDay(
            range,
            own.map(([, day, count]) => [day, count]),
          );
        }),
    ),
};

const byDuration: RowQuestion = {
  name: 'the 25 most frequent of 60,000 values',
  reach: 3,
  path: (range) => pathOf('events', range, `event=${event}&interval=month&breakdown=duration_ms`),
  numbersOf: (body) =>
    (body as BrokenDown).breakdown.rows.filter(({kind}) => kind === undefined).map(({total}) => total),
  waysOf: (range, peer) =>
    bothWays(
      peer,
      (words, property) =>
        `SELECT ${property('duration_ms')} AS v, count(*) AS c FROM ${words.table} WHERE ${words.named(event)} AND ${words.within(range)} GROUP BY v ORDER BY c DESC LIMIT 25`,
      (rows) => rows.map(([, count]) => Number(count)),
    ),
};

/** An aggregate of each day, in UTC or a zone. */
function daily(
  name: string,
  reach: number,
  parameters: string,
  sqlOf: (property: (name: string) => string) => string,
  numbersOf = valuesOf,
  shiftMs = 0,
): RowQuestion {
  const zone = shiftMs === 0 ? '' : '&timezone=Asia/Kolkata';
  return {
    name: shiftMs === 0 ? name : `${name}, days of Kolkata`,
    reach,
    path: (range) => countsPath(range, parameters + zone),
    numbersOf,
    waysOf: (range, peer) =>
      bothWays(
        peer,
        (words, property) =>
          `SELECT ${localDay(words, shiftMs)} AS d, ${sqlOf((one) => (one === 'user' ? words.user : property(one)))} FROM ${words.table} WHERE ${words.named(event)} AND ${words.within(range)} GROUP BY d`,
        (rows) => byDay(range, rows, shiftMs),
      ),
  };
}

/** Two conditions, one of them a negation. */
const filtered = (shiftMs: number): RowQuestion => ({
  name: `two conditions, one negated, by day${shiftMs === 0 ? '' : ', days of Kolkata'}`,
  reach: shiftMs === 0 ? 5 : 3,
  path: (range) =>
    countsPath(range, `where=device+eq+mobile&where=plan+ne+free${shiftMs === 0 ? '' : '&timezone=Asia/Kolkata'}`),
  numbersOf: countsOf,
  waysOf: (range, peer) =>
    bothWays(
      peer,
      (words, property, value) =>
        `SELECT ${localDay(words, shiftMs)} AS d, count(*) FROM ${words.table} WHERE ${words.named(event)} AND ${words.within(range)} AND ${property('device')} = ${value('device', 'mobile')} AND ${property('plan')} <> ${value('plan', 'free')} GROUP BY d`,
      (rows) => byDay(range, rows, shiftMs),
    ),
});

const usersDaily = (reach: number, shiftMs: number): RowQuestion =>
  daily(
    'distinct users of an event, by day',
    reach,
    'measure=users',
    (sql) => `count(DISTINCT ${sql('user')})`,
    valuesOf,
    shiftMs,
  );
const sumDaily = (reach: number, shiftMs: number): RowQuestion =>
  daily(
    'sum of a number, by day',
    reach,
    'measure=sum&property=duration_ms',
    (sql) => `sum(${sql('duration_ms')})`,
    valuesOf,
    shiftMs,
  );

const weekMs = 7 * dayMs;
/** SQL of the number of the week, from Monday. */
const weekOf = (timeMs: string): string => `((${timeMs} + ${3 * dayMs}) // ${weekMs})`;
const epochMs = (words: SchemaWords): string => (words.table === 'coded' ? 't' : 'epoch_ms(time)');

interface Cohorts {
  readonly cohorts: readonly {readonly date: string; readonly cells: readonly {readonly count: number}[]}[];
}

const retentionPeriods = 12;

/** People by the week of their first sign-up, and those active in the weeks after it. */
const retained: RowQuestion = {
  name: 'retention by week over 12 weeks',
  reach: 8,
  path: (range) =>
    pathOf(
      'retention',
      range,
      `start=signed_up&any_return=true&cohort=first&interval=week&periods=${retentionPeriods}`,
    ),
  numbersOf: (body) => (body as Cohorts).cohorts.flatMap(({cells}) => cells.slice(1).map(({count}) => count)),
  waysOf: (range, peer) =>
    bothWays(
      peer,
      (words) => `
        WITH s AS (SELECT ${words.user} AS u, min(${epochMs(words)}) AS t0 FROM ${words.table} WHERE ${words.named('signed_up')} GROUP BY u),
        r AS (SELECT DISTINCT ${words.user} AS u, ${weekOf(epochMs(words))} AS w FROM ${words.table} WHERE ${words.within(range)})
        SELECT ${weekOf('t0')} AS c, w - c AS k, count(*) FROM s JOIN r USING (u)
        WHERE w > c AND k < ${retentionPeriods} AND t0 BETWEEN ${range.fromMs} AND ${range.toMs} GROUP BY ALL`,
      (rows) => {
        const [first, last] = [range.fromMs, range.toMs].map((ms) => Math.floor((ms + 3 * dayMs) / weekMs)) as [
          number,
          number,
        ];
        const counts = new Map(rows.map(([c, k, count]) => [`${c} ${k}`, Number(count)]));
        const numbers: number[] = [];
        for (let c = first; c <= last; c++)
          for (let k = 1; k < retentionPeriods; k++) numbers.push(counts.get(`${c} ${k}`) ?? 0);
        return numbers;
      },
    ),
};

interface Lifecycle {
  readonly data: readonly {readonly new: number; readonly returning: number; readonly resurrecting: number}[];
}

/** Users over all events: new on a day, there the day before, or back again. */
const lifecycle: RowQuestion = {
  name: 'lifecycle by day over 90 days',
  reach: 5,
  path: (range) => pathOf('lifecycle', range, 'any_event=true&interval=day'),
  numbersOf: (body) =>
    (body as Lifecycle).data.flatMap(({new: fresh, returning, resurrecting}) => [fresh, returning, resurrecting]),
  waysOf: (range, peer) =>
    bothWays(
      peer,
      (words) => `
        WITH d AS (SELECT DISTINCT ${words.user} AS u, ${words.day} AS d FROM ${words.table}),
        p AS (SELECT u, d, lag(d) OVER (PARTITION BY u ORDER BY d) AS b FROM d)
        SELECT d, count(*) FILTER (b IS NULL), count(*) FILTER (b = d - 1), count(*) FILTER (b < d - 1) FROM p GROUP BY d`,
      (rows) => {
        const columns = [1, 2, 3].map((column) =>
          byDay(
            range,
            rows.map((row) => [row[0], row[column]]),
          ),
        );
        return columns[0]!.flatMap((fresh, day) => [fresh, columns[1]![day]!, columns[2]![day]!]);
      },
    ),
};

/** A funnel with a condition on its second step. */
const filteredFunnel: RowQuestion = {
  name: 'funnel of 3 with a condition on a step',
  reach: 8,
  path: (range) =>
    pathOf(
      'funnel',
      range,
      `${funnelSteps.map((step) => `steps%5B%5D=${step}`).join('&')}&where%5B2%5D=device+eq+mobile`,
    ),
  numbersOf: (body) => (body as {steps: readonly Item[]}).steps.map(({count}) => count),
  waysOf: (range, peer) =>
    bothWays(
      peer,
      (words, property, value) => {
        const [first, second, third] = funnelSteps.map((step) => words.named(step));
        const {user, time, table} = words;
        const within = words.within(range);
        const isMobile = `${property('device')} = ${value('device', 'mobile')}`;
        return `
          WITH a AS (SELECT ${user} AS u, min(${time}) AS t1 FROM ${table} WHERE ${first} AND ${within} GROUP BY u),
          b AS (SELECT u, min(${time}) AS t2 FROM ${table} JOIN a ON u = ${user} WHERE ${second} AND ${isMobile} AND ${within} AND ${time} > t1 GROUP BY u),
          c AS (SELECT u FROM ${table} JOIN b ON u = ${user} WHERE ${third} AND ${within} AND ${time} > t2 GROUP BY u)
          SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b), (SELECT count(*) FROM c)`;
      },
      ([row]) => row!.map(Number),
    ),
};

export const rowQuestions: readonly RowQuestion[] = [
  byCountry,
  byDuration,
  usersDaily(10, 0),
  sumDaily(3, 0),
  // The nearest rank: what `quantile_disc` picks is another value where n * 0.9 is whole.
  daily(
    'p90 of a number, by day',
    3,
    'measure=p90&property=duration_ms',
    (sql) => `list_sort(list(${sql('duration_ms')}))[ceil(count(*) * 90 / 100)::BIGINT]`,
  ),
  filtered(0),
  retained,
  lifecycle,
  filteredFunnel,
  usersDaily(3, kolkataMs),
  sumDaily(3, kolkataMs),
  filtered(kolkataMs),
];

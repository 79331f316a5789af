// The peer's reports: what its table and indexes are for. Answers have the shape of ours, so that they can be compared.

import type {Client} from 'pg';

/** Created before anything is stored. A B-tree for counts by event, one for a user's history, and a BRIN for ranges of time. */
export const schema = `
  CREATE TABLE events (
    ts timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    event text NOT NULL,
    user_id text,
    anonymous_id text,
    properties jsonb NOT NULL
  );
  CREATE INDEX events_event_ts ON events (event, ts);
  CREATE INDEX events_user_ts ON events (user_id, ts);
  CREATE INDEX events_ts ON events USING brin (ts);
`;

interface Answer {
  readonly data: readonly {readonly date: string; readonly count: number}[];
  readonly total: number;
}

const day = `to_char(date_trunc('day', ts), 'YYYY-MM-DD')`;
const inRange = `ts >= $1::date AND ts < $2::date + 1`;
const person = `coalesce('u' || user_id, 'a' || anonymous_id)`;
/** Every day of the range, those without events too. */
const everyDay = (counts: string): string => `
  SELECT to_char(days.day, 'YYYY-MM-DD') AS date, coalesce(counts.count, 0)::int AS count
  FROM generate_series($1::date, $2::date, '1 day') AS days (day)
  LEFT JOIN (${counts}) AS counts ON counts.date = to_char(days.day, 'YYYY-MM-DD')
  ORDER BY 1`;

export async function countsByDay(client: Client, event: string, from: string, to: string): Promise<Answer> {
  const counts = `SELECT ${day} AS date, count(*) AS count FROM events WHERE ${inRange} AND event = $3 GROUP BY 1`;
  const {rows} = await client.query<Answer['data'][number]>(everyDay(counts), [from, to, event]);
  return {data: rows, total: rows.reduce((sum, {count}) => sum + count, 0)};
}

export async function dailyActiveUsers(client: Client, from: string, to: string): Promise<Answer> {
  const counts = `SELECT ${day} AS date, count(DISTINCT ${person}) AS count FROM events WHERE ${inRange} GROUP BY 1`;
  const {rows} = await client.query<Answer['data'][number]>(everyDay(counts), [from, to]);
  const whole = `SELECT count(DISTINCT ${person})::int AS total FROM events WHERE ${inRange}`;
  const {rows: totals} = await client.query<{total: number}>(whole, [from, to]);
  return {data: rows, total: totals[0]!.total};
}

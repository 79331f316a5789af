// Distinct users by day, or by the trailing 7 or 30 days, in SQL.

import {type ActiveQuestion, activeDays} from '../../engine/questions.js';
import {dayMs} from '../../workload/events.js';
import {type DuckDbPeer, schemas} from './peer.js';
import {type Formulation, type SchemaWords, wordsOf} from './schema-words.js';

/** Bits of a mask: HUGEINT has a sign. */
const maskBits = 127;

/** Bounds must be whole days. */
export function activeFormulations(question: ActiveQuestion, peer: DuckDbPeer): Formulation[] {
  return schemas.flatMap((schema) => {
    const days = new Days(question);
    const words = wordsOf(schema, peer);
    const byDay = (rows: readonly (readonly unknown[])[]): number[] => days.ofRows(rows);
    const ways: Formulation[] = [{schema, name: 'distinct', sql: distinct(days, words), read: byDay}];
    if (days.windowDays === 1) ways.push({schema, name: 'pairs', sql: pairs(days, words), read: byDay});
    if (days.seenCount <= maskBits) {
      const read = (rows: readonly (readonly unknown[])[]): number[] => rows[0]!.map(Number);
      ways.push({schema, name: 'masks', sql: masks(days, words), read});
      ways.push({schema, name: 'masks joined', sql: masksJoined(days, words), read: byDay});
    }
    return ways;
  });
}

/** The days of one answer, and those that its first windows look back on. */
class Days {
  readonly first: number;
  readonly last: number;
  readonly windowDays: number;
  readonly firstSeen: number;

  constructor({fromMs, toMs, metric}: ActiveQuestion) {
    this.first = fromMs / dayMs;
    this.last = (toMs + 1) / dayMs - 1;
    this.windowDays = activeDays[metric];
    this.firstSeen = this.first - this.windowDays + 1;
  }

  get seenCount(): number {
    return this.last - this.firstSeen + 1;
  }

  /** Condition for rows that count for any of the days. */
  within({within}: SchemaWords): string {
    return within({fromMs: this.firstSeen * dayMs, toMs: (this.last + 1) * dayMs - 1});
  }

  ofRows(rows: readonly (readonly unknown[])[]): number[] {
    const counts = new Array<number>(this.last - this.first + 1).fill(0);
    for (const [day, count] of rows) counts[Number(day) - this.first] = Number(count);
    return counts;
  }
}

function distinct(days: Days, words: SchemaWords): string {
  const {table, user, day} = words;
  if (days.windowDays === 1) {
    return `SELECT ${day} AS d, count(DISTINCT ${user}) FROM ${table} WHERE ${days.within(words)} GROUP BY d`;
  }
  return `SELECT d + k AS e, count(DISTINCT u)
    FROM (SELECT DISTINCT ${user} AS u, ${day} AS d FROM ${table} WHERE ${days.within(words)}), range(${days.windowDays}) r(k)
    WHERE d + k BETWEEN ${days.first} AND ${days.last} GROUP BY e`;
}

function pairs(days: Days, words: SchemaWords): string {
  const {table, user, day} = words;
  return `SELECT d, count(*) FROM (SELECT DISTINCT ${user} AS u, ${day} AS d FROM ${table} WHERE ${days.within(words)}) GROUP BY d`;
}

/** One scan: each user's days as bits of one integer; then a mask a day over all users. */
function masks(days: Days, words: SchemaWords): string {
  const window = (1n << BigInt(days.windowDays)) - 1n;
  const counts = Array.from({length: days.last - days.first + 1}, (_, shift) => {
    const mask = window << BigInt(shift);
    return `count(*) FILTER (m & ${mask}::HUGEINT <> 0)`;
  });
  return `SELECT ${counts.join(', ')} FROM ${userMasks(days, words)}`;
}

/** As `masks`, with the masks as a table. */
function masksJoined(days: Days, words: SchemaWords): string {
  const window = (1n << BigInt(days.windowDays)) - 1n;
  return `SELECT d, count(*) FROM ${userMasks(days, words)},
    (SELECT ${days.first} + k AS d, (${window}::HUGEINT << k::INTEGER) AS mask FROM range(${days.last - days.first + 1}) r(k))
    WHERE m & mask <> 0 GROUP BY d`;
}

function userMasks(days: Days, words: SchemaWords): string {
  const {table, user, day} = words;
  return `(SELECT bit_or(1::HUGEINT << (${day} - ${days.firstSeen})::INTEGER) AS m
    FROM ${table} WHERE ${days.within(words)} GROUP BY ${user})`;
}

// Explanation of a number: how it is counted, and lists of exactly what was counted. Each kind of report has those of its numbers.
//   EX1. A list that would not be exactly what was counted is replaced by the reason.
import type {NumberPlace} from '../../../src/asks/question/flat.js';
import {type Condition, conditionText} from '../address/conditions.js';
import type {Span} from '../address/report-address.js';
import {homeZone} from '../address/zone.js';
import {count} from '../charts/format.js';
import type {Freshness} from '../service/freshness.js';
import {segmentName} from '../service/known-segments.js';

/** A row of a breakdown, by its value or by what it has instead. */
export interface NamedRow {
  readonly value?: string | undefined;
  readonly kind?: 'other' | 'missing' | 'null' | 'not_scalar' | undefined;
  /** In place of both, of several breakdowns. */
  readonly by?: readonly NamedRow[] | undefined;
}

/** `plan is pro`, `the user's trait plan is not set`. `rowNames`: of each breakdown, in words. */
export const rowCondition = (
  by: readonly {readonly property?: string | undefined; readonly trait?: string | undefined}[],
  rowNames: readonly string[],
): string =>
  by
    .map(
      ({property, trait}, at) => `${trait === undefined ? property : `the user's trait ${trait}`} is ${rowNames[at]}`,
    )
    .join(' and ');

/** The row of a breakdown that a number is in. */
export const rowPoint = (row: NamedRow | undefined): Pick<NumberPlace['point'], 'value' | 'kind' | 'by'> =>
  row?.by === undefined ? namePoint(row) : {by: row.by.map(namePoint)};

const namePoint = (row: NamedRow | undefined) => (row?.value === undefined ? {kind: row?.kind} : {value: row.value});

export interface Explanation {
  /** The number, in words. */
  readonly title: string;
  /** Sentences on how it is counted. */
  readonly how: readonly string[];
  /** Question of Events, History, that lists exactly these events. */
  readonly events?: string | undefined;
  readonly people?: NumberPlace | undefined;
  /** Why no list says who was counted. EX1 */
  readonly noPeople?: string | undefined;
  /** Freshness of the report that has the number. */
  readonly freshness: Freshness | undefined;
}

// -- Words -------------------------------------------------------------------------------------------------------------

export const anyEvent = 'of any name';

/** `events signup where plan is pro`, `events of any name`. */
export function eventsText(event: string | null, where: readonly Condition[]): string {
  const conditions = where.length === 0 ? '' : ` where ${where.map(conditionText).join(' and ')}`;
  return `events ${event ?? anyEvent}${conditions}`;
}

/** Whose events count. */
export interface OfUsers {
  readonly user_where: readonly Condition[];
  /** Id of a segment. */
  readonly segment?: string | null;
  /** Id of a segment whose users do not count. */
  readonly not_segment?: string | null;
}

/** `, of users of Paying whose trait plan is pro, without users of Staff`; empty for all users. */
export function ofUsersText({user_where: where, segment, not_segment: others}: OfUsers): string {
  const traits = where.length === 0 ? '' : ` whose trait ${where.map(conditionText).join(' and ')}`;
  const of = segment || traits ? `, of users${segment ? ` of ${segmentName(segment)}` : ''}${traits}` : '';
  return `${of}${others ? `, without users of ${segmentName(others)}` : ''}`;
}

export const eachOnce = 'Each event counts once, however often it was sent with its messageId.';
export const devicesToo = 'A device that is known to be a user counts as that user.';

export const zoneOf = ({zone}: Pick<Span, 'zone'>): string => zone ?? homeZone();

/**
 * How much of a list of people is shown: `12 people`, `1,234 people, the first 50 of them`, `the first 50 people`. `total` undefined: it
 * is not known how many they are.
 */
export function listedText(shown: number, hasMore: boolean, total: number | undefined): string {
  const people = (number: number): string => `${count(number)} ${number === 1 ? 'person' : 'people'}`;
  if (!hasMore) return people(shown);
  return total === undefined ? `the first ${people(shown)}` : `${people(total)}, the first ${count(shown)} of them`;
}

/** `123 users`, `1 user`. */
export const counted = (text: string, one: string, isOne: boolean): string => `${text} ${one}${isOne ? '' : 's'}`;

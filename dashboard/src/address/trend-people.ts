// Who is behind a number of Trends: the same events as a funnel of one step, which lists its users.

import {readAddress} from './codec.js';
import {type Condition, conditionsMax} from './conditions.js';
import {funnelForm, funnelUsersPath} from './funnel-address.js';
import type {Span} from './report-address.js';
import type {AskedSeries, Common} from './trends-address.js';

/** A row of a breakdown, by its value or by what it has instead. */
export interface NamedRow {
  readonly value?: string | undefined;
  readonly kind?: 'other' | 'missing' | 'null' | 'not_scalar' | undefined;
}

/** Conditions that the events, or the users, of a row meet. Undefined: no condition says that. */
function rowConditions(name: string, row: NamedRow, rows: readonly NamedRow[]): readonly Condition[] | undefined {
  if (row.value !== undefined) return [{property: name, op: 'eq', values: [row.value]}];
  if (row.kind === 'missing') return [{property: name, op: 'unset', values: []}];
  // Values that are no texts pass `set`: where they have a row, `other` is not all that is left.
  if (row.kind !== 'other' || rows.some(({kind}) => kind === 'null' || kind === 'not_scalar')) return undefined;
  const values = rows.flatMap(({value}) => (value === undefined ? [] : [value]));
  return [
    {property: name, op: 'nin', values},
    {property: name, op: 'set', values: []},
  ];
}

const traitHead = 'trait:';

/** `row` undefined: all of the series. Undefined where no question says who it is. */
export function trendPeoplePath(
  {event, where}: AskedSeries,
  {user_where, by}: Common,
  row: NamedRow | undefined,
  rows: readonly NamedRow[],
  span: Span,
): string | undefined {
  const isTrait = by?.startsWith(traitHead) === true;
  const name = isTrait ? by.slice(traitHead.length) : by;
  const more = row === undefined || name === null ? [] : rowConditions(name, row, rows);
  if (more === undefined) return undefined;
  const ofEvents = isTrait ? where : [...where, ...more];
  const ofUsers = isTrait ? [...user_where, ...more] : user_where;
  if (Math.max(ofEvents.length, ofUsers.length) > conditionsMax) return undefined;
  const {question} = readAddress(funnelForm, '');
  return funnelUsersPath({...question, step: [event], where: [ofEvents], user_where: ofUsers}, span, 1, 'reached');
}

// Paths of the lists that pickers choose from: properties of events, traits of users, and their values.
import type {Days} from './range.js';
import {queryOf} from './report-address.js';

/** Source of keys: events of these days, of one name or of all; or the users' current traits. */
export type Keys =
  | {readonly of: 'events'; readonly event: string | undefined; readonly days: Days}
  | {readonly of: 'users'};

export function keysPath(keys: Keys, limit: number, prefix?: string): string {
  const more = [['limit', String(limit)] as const, ['prefix', prefix || null] as const];
  if (keys.of === 'users') return `v1/traits?${query(more)}`;
  return `v1/properties?${queryOf(keys.days, [['event', keys.event], ...more])}`;
}

export function valuesPath(keys: Keys, key: string, limit: number, prefix?: string): string {
  const more = [['limit', String(limit)] as const, ['prefix', prefix || null] as const];
  if (keys.of === 'users') return `v1/traits/values?${query([['trait', key], ...more])}`;
  return `v1/properties/values?${queryOf(keys.days, [['property', key], ['event', keys.event], ...more])}`;
}

function query(parameters: readonly (readonly [name: string, value: string | null])[]): string {
  const known = parameters.filter((one): one is readonly [string, string] => one[1] !== null);
  return new URLSearchParams(known.map(([name, value]) => [name, value])).toString();
}

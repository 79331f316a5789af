// Lists as tables: a row for each item of the page. What a JSON page says of the next one is a header.
import {jsonTypes} from '../../../actors/report/rows/key-types.js';
import type {ReportQuery} from '../../asks/report.js';
import type {NamesAnswer, PropertiesAnswer, TraitsAnswer, ValuesAnswer} from '../answers/lists.js';
import type {UsersAnswer} from '../answers/users.js';
import type {Header} from '../failure.js';
import type {Cell, Column, Table} from './table.js';

type Row = readonly Cell[];
type Listing = Extract<
  ReportQuery,
  {report: 'names' | 'properties' | 'property_values' | 'traits' | 'trait_values' | 'user_list'}
>;

export const isListing = (query: ReportQuery): query is Listing =>
  ['names', 'properties', 'property_values', 'traits', 'trait_values', 'user_list'].includes(query.report);

/** `answer`: the value of the JSON answer. */
export function listTable(query: Listing, answer: unknown): Table {
  switch (query.report) {
    case 'names':
      return nameTable(query, answer as NamesAnswer);
    case 'properties':
      return propertyTable(query, answer as PropertiesAnswer);
    case 'property_values':
    case 'trait_values':
      return valueTable(answer as ValuesAnswer);
    case 'traits':
      return traitTable(answer as TraitsAnswer);
    case 'user_list':
      return userTable(query, answer as UsersAnswer);
  }
}

/** Header with the `next_cursor` of the JSON answer, if more rows follow. */
export function nextCursorIn(json: string): readonly Header[] {
  const {next_cursor: cursor} = JSON.parse(json) as {readonly next_cursor: string | null};
  return cursor === null ? [] : [['Next-Cursor', cursor]];
}

type Listed = Extract<Listing, {report: 'names' | 'properties'}>;

const hiddenColumn = ({hidden}: Listed): readonly Column[] => (hidden?.areShown ? [['hidden', 'flag']] : []);
const hiddenCells = ({hidden}: Listed, isHidden: true | undefined): Row => (hidden?.areShown ? [isHidden ?? null] : []);

const nameTable = (query: Extract<Listing, {report: 'names'}>, {data}: NamesAnswer): Table => ({
  columns: [
    ['name', 'text'],
    ['count', 'count'],
    ...(query.withUsers ? [['users', 'count'] as const] : []),
    ['first_seen', 'time'],
    ['last_seen', 'time'],
    ...hiddenColumn(query),
  ],
  rows: data.map(({name, count, users, first_seen: first, last_seen: last, hidden}) => [
    name,
    count,
    ...(query.withUsers ? [users ?? null] : []),
    first,
    last,
    ...hiddenCells(query, hidden),
  ]),
});

type Types = PropertiesAnswer['data'][number]['types'];

/** A column for each type. */
const typeColumns = jsonTypes.map((type): Column => [type, 'count']);
const typeCells = (types: Types): Row => jsonTypes.map((type) => types[type] ?? 0);

const propertyTable = (query: Extract<Listing, {report: 'properties'}>, {data}: PropertiesAnswer): Table => ({
  columns: [['property', 'text'], ['share', 'number'], ...typeColumns, ...hiddenColumn(query)],
  rows: data.map(({property, share, types, hidden}) => [
    property,
    share,
    ...typeCells(types),
    ...hiddenCells(query, hidden),
  ]),
});

const traitTable = ({data}: TraitsAnswer): Table => ({
  columns: [['trait', 'text'], ['share', 'number'], ...typeColumns],
  rows: data.map(({trait, share, types}) => [trait, share, ...typeCells(types)]),
});

const valueTable = ({data}: ValuesAnswer): Table => ({
  columns: [
    ['value', 'text'],
    ['kind', 'text'],
    ['count', 'count'],
  ],
  rows: data.map(({value, kind, count}) => [value ?? null, kind ?? null, count]),
});

/** Traits as JSON: users have different ones. */
const userTable = ({sort}: Extract<Listing, {report: 'user_list'}>, {data}: UsersAnswer): Table => ({
  columns: [
    ['id', 'text'],
    ['kind', 'text'],
    ...(sort ? [['value', 'number'] as const] : []),
    ['created_at', 'time'],
    ['last_seen', 'time'],
    ['traits', 'text'],
  ],
  rows: data.map(({id, kind, value, created_at: created, last_seen: seen, traits}) => [
    id,
    kind,
    ...(sort ? [value ?? null] : []),
    created,
    seen,
    JSON.stringify(traits),
  ]),
});

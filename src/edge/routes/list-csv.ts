// Lists as CSV: a row for each item of the page. What a JSON page says of the next one is a header.
import {jsonTypes} from '../../../actors/report/rows/key-types.js';
import type {ReportQuery} from '../../asks/report.js';
import type {NamesAnswer, PropertiesAnswer, TraitsAnswer, ValuesAnswer} from '../answers/lists.js';
import type {UsersAnswer} from '../answers/users.js';
import type {Header} from '../failure.js';
import type {Cell} from './csv.js';

type Row = readonly Cell[];
type Listing = Extract<
  ReportQuery,
  {report: 'names' | 'properties' | 'property_values' | 'traits' | 'trait_values' | 'user_list'}
>;

export const isListing = (query: ReportQuery): query is Listing =>
  ['names', 'properties', 'property_values', 'traits', 'trait_values', 'user_list'].includes(query.report);

/** `answer`: the value of the JSON answer. */
export function listRows(query: Listing, answer: unknown): readonly Row[] {
  switch (query.report) {
    case 'names':
      return nameRows(query, answer as NamesAnswer);
    case 'properties':
      return propertyRows(query, answer as PropertiesAnswer);
    case 'property_values':
    case 'trait_values':
      return valueRows(answer as ValuesAnswer);
    case 'traits':
      return traitRows(answer as TraitsAnswer);
    case 'user_list':
      return userRows(query, answer as UsersAnswer);
  }
}

/** Header with the `next_cursor` of the JSON answer, if more rows follow. */
export function nextCursorIn(json: string): readonly Header[] {
  const {next_cursor: cursor} = JSON.parse(json) as {readonly next_cursor: string | null};
  return cursor === null ? [] : [['Next-Cursor', cursor]];
}

type Listed = Extract<Listing, {report: 'names' | 'properties'}>;

const hiddenTitles = ({hidden}: Listed): readonly string[] => (hidden?.areShown ? ['hidden'] : []);
const hiddenCells = ({hidden}: Listed, isHidden: true | undefined): Row =>
  hidden?.areShown ? [isHidden ? 'true' : null] : [];

const nameRows = (query: Extract<Listing, {report: 'names'}>, {data}: NamesAnswer): Row[] => [
  ['name', 'count', ...(query.withUsers ? ['users'] : []), 'first_seen', 'last_seen', ...hiddenTitles(query)],
  ...data.map(({name, count, users, first_seen: first, last_seen: last, hidden}) => [
    name,
    count,
    ...(query.withUsers ? [users ?? null] : []),
    first,
    last,
    ...hiddenCells(query, hidden),
  ]),
];

type Types = PropertiesAnswer['data'][number]['types'];

/** A column for each type. */
const typeCells = (types: Types): Row => jsonTypes.map((type) => types[type] ?? 0);

const propertyRows = (query: Extract<Listing, {report: 'properties'}>, {data}: PropertiesAnswer): Row[] => [
  ['property', 'share', ...jsonTypes, ...hiddenTitles(query)],
  ...data.map(({property, share, types, hidden}) => [
    property,
    share,
    ...typeCells(types),
    ...hiddenCells(query, hidden),
  ]),
];

const traitRows = ({data}: TraitsAnswer): Row[] => [
  ['trait', 'share', ...jsonTypes],
  ...data.map(({trait, share, types}) => [trait, share, ...typeCells(types)]),
];

const valueRows = ({data}: ValuesAnswer): Row[] => [
  ['value', 'kind', 'count'],
  ...data.map(({value, kind, count}) => [value ?? null, kind ?? null, count]),
];

/** Traits as JSON: users have different ones. */
const userRows = ({sort}: Extract<Listing, {report: 'user_list'}>, {data}: UsersAnswer): Row[] => [
  ['id', 'kind', ...(sort ? ['value'] : []), 'created_at', 'last_seen', 'traits'],
  ...data.map(({id, kind, value, created_at: created, last_seen: seen, traits}) => [
    id,
    kind,
    ...(sort ? [value ?? null] : []),
    created,
    seen,
    JSON.stringify(traits),
  ]),
];

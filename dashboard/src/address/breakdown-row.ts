// A row of a breakdown as conditions that its events, or its users, meet.
import type {Condition} from './conditions.js';

/** A row of a breakdown, by its value or by what it has instead. */
export interface NamedRow {
  readonly value?: string | undefined;
  readonly kind?: 'other' | 'missing' | 'null' | 'not_scalar' | undefined;
}

export interface RowIn {
  /** Property, or `trait:` and the name of a trait. */
  readonly by: string;
  readonly row: NamedRow;
  /** All rows of the answer: `other` is what none of them is. */
  readonly rows: readonly NamedRow[];
}

const traitHead = 'trait:';
export const isOfTrait = (by: string): boolean => by.startsWith(traitHead) && by !== traitHead;
/** Name of the property or trait. */
export const nameOf = (by: string): string => (isOfTrait(by) ? by.slice(traitHead.length) : by);

/** The breakdown of a question by a property or trait. */
export const breakdownBy = (by: string | null | undefined, limit: number) =>
  by ? [{...(isOfTrait(by) ? {trait: nameOf(by)} : {property: by}), limit}] : undefined;

/** Conditions on a property or a trait. Undefined: no condition says that. */
function conditionsOf({by, row, rows}: RowIn): readonly Condition[] | undefined {
  const property = nameOf(by);
  if (row.value !== undefined) return [{property, op: 'eq', values: [row.value]}];
  if (row.kind === 'missing') return [{property, op: 'unset', values: []}];
  if (row.kind === 'null') return [{property, op: row.kind, values: []}];
  // Lists and objects pass `set` and `nnull`: where they have a row, `other` is not all that is left.
  if (row.kind !== 'other' || rows.some(({kind}) => kind === 'not_scalar')) return undefined;
  const values = rows.flatMap(({value}) => (value === undefined ? [] : [value]));
  return [
    {property, op: 'nin', values},
    {property, op: 'set', values: []},
    {property, op: 'nnull', values: []},
  ];
}

interface Narrowed {
  readonly where: readonly Condition[];
  readonly userWhere: readonly Condition[];
}

/** `all` with what a row says of its events or users. Undefined: no condition says that. */
export function narrowedTo(all: Narrowed, of: RowIn | undefined): Narrowed | undefined {
  if (of === undefined) return all;
  const more = conditionsOf(of);
  if (more === undefined) return undefined;
  return isOfTrait(of.by)
    ? {where: all.where, userWhere: [...all.userWhere, ...more]}
    : {where: [...all.where, ...more], userWhere: all.userWhere};
}

/** `plan is pro`, `the user's trait plan is not set`. `rowName`: the row's value in words. */
export const rowCondition = ({by}: RowIn, rowName: string): string =>
  `${isOfTrait(by) ? `the user's trait ${nameOf(by)}` : by} is ${rowName}`;

/** Why no list has the users of a row that no condition says. */
export const noListOfRow = 'No list of these users: it cannot ask for lists and objects.';

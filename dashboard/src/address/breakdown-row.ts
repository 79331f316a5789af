// A breakdown by a property or a trait, and its rows.

/** A row of a breakdown, by its value or by what it has instead. */
export interface NamedRow {
  readonly value?: string | undefined;
  readonly kind?: 'other' | 'missing' | 'null' | 'not_scalar' | undefined;
}

const traitHead = 'trait:';
export const isOfTrait = (by: string): boolean => by.startsWith(traitHead) && by !== traitHead;
/** Name of the property or trait. */
export const nameOf = (by: string): string => (isOfTrait(by) ? by.slice(traitHead.length) : by);

/** The breakdown of a question by a property or trait. */
export const breakdownBy = (by: string | null | undefined, limit: number) =>
  by ? [{...(isOfTrait(by) ? {trait: nameOf(by)} : {property: by}), limit}] : undefined;

/** `plan is pro`, `the user's trait plan is not set`. `rowName`: the row's value in words. */
export const rowCondition = (by: string, rowName: string): string =>
  `${isOfTrait(by) ? `the user's trait ${nameOf(by)}` : by} is ${rowName}`;

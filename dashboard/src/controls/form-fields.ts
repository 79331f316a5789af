// Fields of a form as the API takes them: numbers out of what is typed, and the fields that an edit changed.

export type Fields = Readonly<Record<string, unknown>>;

/** The number that a text is. Another text stays as it is: the answer of the service names its field. */
export function typedNumber(text: string): number | string {
  const typed = text.trim();
  return typed === '' || Number.isNaN(Number(typed)) ? typed : Number(typed);
}

/** As `typedNumber`; null for an empty text. `scale`: the number is divided by it. */
export function optionalNumber(text: string, scale = 1): number | string | null {
  const value = typedNumber(text);
  if (value === '') return null;
  return typeof value === 'number' ? value / scale : value;
}

/** Fifteen digits, so that the scale leaves no trace. */
export const numberText = (value: number | undefined, scale = 1): string =>
  value === undefined ? '' : String(Number((value * scale).toPrecision(15)));

/** The fields of `after` that `before` has not, or with another value. */
export const changedFields = (before: Fields, after: Fields): Fields =>
  Object.fromEntries(
    Object.entries(after).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field])),
  );

export const isEmpty = (fields: Fields): boolean => Object.keys(fields).length === 0;

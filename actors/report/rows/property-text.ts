// The text of a property's value. A file of its own: the dashboard reads conditions, and needs no reader of rows for that.
import type {PropertyValue} from './property-values.js';

/** The text of a text, number or boolean, for conditions, breakdowns and lists; undefined for other values. */
export const textOf = (value: PropertyValue): string | undefined =>
  value === undefined || value === null || typeof value === 'object' ? undefined : String(value);

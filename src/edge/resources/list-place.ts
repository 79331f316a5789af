// The place of an item in a list of a resource: its sort keys, then its id. A cursor is the text of one.
import {jsonOrUndefined} from '../../json.js';

export type Place = readonly [...keys: number[], id: string];

const textCharsMax = 256;

/** Whether `a` comes after `b` in a list. Both have as many keys. */
export function isAfter(a: Place, b: Place): boolean {
  const at = a.findIndex((key, i) => key !== b[i]);
  return at >= 0 && a[at]! > b[at]!;
}

export const placeText = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/** Undefined unless the text is a place with `keyCount` sort keys. */
export function readPlace(text: string, keyCount: number): Place | undefined {
  if (text.length > textCharsMax || !/^[\w-]+$/.test(text)) return undefined;
  const place = jsonOrUndefined(Buffer.from(text, 'base64url').toString());
  if (!Array.isArray(place) || place.length !== keyCount + 1) return undefined;
  const isPlace = typeof place.at(-1) === 'string' && place.slice(0, -1).every(Number.isFinite);
  return isPlace ? (place as unknown as Place) : undefined;
}

// Cursors of GET /v1/reports/funnel/users: the last user of a page, in the order of partitions and user indexes.
//     A cursor is only a place in a list that its reader may read: its form is checked, and it is not signed. `list` identifies
//     the list: a digest of its parameters.
import {jsonOrUndefined} from './json.js';

/** `user` is a user index, which belongs to one user permanently. */
export interface FunnelUserPlace {
  readonly partition: number;
  readonly user: number;
  /** The held value, if the funnel holds one: a user is listed with each of its values. */
  readonly value?: string;
}

/** A held value may be as long as an event. */
const cursorCharsMax = 200_000;

export function funnelUsersCursorText(list: string, {partition, user, value}: FunnelUserPlace): string {
  return Buffer.from(JSON.stringify([list, partition, user, value ?? null])).toString('base64url');
}

/** Parses a cursor; undefined for a text that is no cursor of this list. */
export function readFunnelUsersCursor(text: string, list: string): FunnelUserPlace | undefined {
  if (text.length > cursorCharsMax || !/^[\w-]+$/.test(text)) return undefined;
  const fields = jsonOrUndefined(Buffer.from(text, 'base64url').toString());
  if (!Array.isArray(fields) || fields.length !== 4) return undefined;
  const [ofList, partition, user, value] = fields;
  if (ofList !== list || !Number.isSafeInteger(partition) || !Number.isSafeInteger(user)) return undefined;
  if (partition < 0 || user < 0 || !(value === null || typeof value === 'string')) return undefined;
  return {partition, user, ...(value === null ? {} : {value})};
}

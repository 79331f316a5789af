// Cursors of lists ranked by counts: the range of a list, and the number of items on its earlier pages.
//   LC1. A cursor is only a place in a list that its reader may read: its form is checked, and it is not signed.
//   LC2. It counts items and names none, as a value may have 64 KiB. Pages of one position fit together; between two positions
//        items may change places.
import {createHash} from 'node:crypto';
import type {ListQuery} from './asks/lists.js';
import {jsonOrUndefined} from './json.js';

interface ListRange {
  /** Inclusive, epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
}

export interface ListCursor {
  /** Undefined: of all time. */
  readonly range: ListRange | undefined;
  /** Items on earlier pages. */
  readonly passed: number;
  /** Identity of the list, from `listOf`. */
  readonly list: string;
}

const cursorCharsMax = 256;

/** Identity of a list: equal for all its pages, whatever their range. */
export function listOf(query: ListQuery): string {
  const {limit, passed, ...asked} = query;
  const fields = Object.entries(asked).filter(([name]) => !['fromMs', 'toMs', 'active', 'hidden'].includes(name));
  const text = JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

const rangeOf = (query: ListQuery): ListRange | undefined => ('fromMs' in query ? query : query.active);

export function listCursorText(query: ListQuery, passed: number): string {
  const range = rangeOf(query);
  const fields = [range?.fromMs ?? null, range?.toMs ?? null, passed, listOf(query)];
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

/** Parses a cursor; undefined for a text that is no cursor. */
export function readListCursor(text: string): ListCursor | undefined {
  if (text.length > cursorCharsMax || !/^[\w-]+$/.test(text)) return undefined;
  const fields = jsonOrUndefined(Buffer.from(text, 'base64url').toString());
  if (!Array.isArray(fields) || fields.length !== 4) return undefined;
  const [fromMs, toMs, passed, list] = fields;
  const isWhole = fromMs === null && toMs === null;
  if (!isWhole && !(Number.isSafeInteger(fromMs) && Number.isSafeInteger(toMs) && fromMs <= toMs)) return undefined;
  if (!Number.isSafeInteger(passed) || passed < 1 || typeof list !== 'string') return undefined;
  return {range: isWhole ? undefined : {fromMs, toMs}, passed, list};
}

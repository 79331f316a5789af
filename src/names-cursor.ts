// Cursors of GET /v1/names: the range of a list, and the last name of a page.
//   A cursor is only a place in a list that its reader may read: its form is checked, and it is not signed.
import {isName} from './ingest/validate.js';
import {jsonOrUndefined} from './json.js';

export interface NamesCursor {
  /** Inclusive, epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly prefix?: string | undefined;
  readonly after: {readonly count: number; readonly name: string};
}

/** A name of 256 characters and a prefix of the same length, each character escaped. */
const cursorCharsMax = 8_192;

export function namesCursorText({fromMs, toMs, prefix, after}: NamesCursor): string {
  const fields = [fromMs, toMs, prefix ?? null, after.count, after.name];
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

/** Undefined for a text that has not the form of a cursor. */
export function readNamesCursor(text: string): NamesCursor | undefined {
  if (text.length > cursorCharsMax || !/^[\w-]+$/.test(text)) return undefined;
  const fields = jsonOrUndefined(Buffer.from(text, 'base64url').toString());
  if (!Array.isArray(fields) || fields.length !== 5) return undefined;
  const [fromMs, toMs, prefix, count, name] = fields;
  if (!Number.isSafeInteger(fromMs) || !Number.isSafeInteger(toMs) || fromMs > toMs) return undefined;
  if (!Number.isSafeInteger(count) || count < 1 || !isName(name)) return undefined;
  if (prefix !== null && !isName(prefix)) return undefined;
  return {fromMs, toMs, after: {count, name}, ...(prefix === null ? {} : {prefix})};
}

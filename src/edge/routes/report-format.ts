// `format`: a report or list as JSON, CSV or Parquet.
//   RF1. A table has the tag of its JSON answer with an end of its own: representations of one answer (RFC 9110, 8.8.3.3).
import {optional, word} from '../query/parameters.js';

export type TableFormat = 'csv' | 'parquet';

export const formatForm = {
  format: optional(word<'json' | TableFormat>(['json', 'csv', 'parquet']), {
    description:
      'A table with a row for each bucket, step, cell or item of a list (of a breakdown for those of each value). `csv`: RFC ' +
      "4180, with a `'` before a text that a spreadsheet would compute. Default: `json`.",
  }),
};

const endOf = (format: TableFormat): string => `-${format}"`;

/** RF1 */
export const tableTag = (etag: string, format: TableFormat): string => etag.slice(0, -1) + endOf(format);

/** The tags of JSON answers whose table the client has; undefined: none. */
export function jsonTags(ifNoneMatch: string | undefined, format: TableFormat): string | undefined {
  if (ifNoneMatch === undefined || ifNoneMatch.trim() === '*') return ifNoneMatch;
  const [tags, end]: [readonly string[], string] = [ifNoneMatch.match(/"[^"]*"/g) ?? [], endOf(format)];
  const ofTable = tags.filter((tag) => tag.endsWith(end)).map((tag) => `${tag.slice(0, -end.length)}"`);
  return ofTable.length === 0 ? undefined : ofTable.join(', ');
}

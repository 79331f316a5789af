// `text=utf8`: lines of JSON for stores that take no text with half of a surrogate pair, or with U+0000.
import {replaceUnstorable} from '../../../actors/bytes/storable-texts.js';
import {optional, word} from '../query/parameters.js';

export const textForm = {
  text: optional(word<'exact' | 'utf8'>(['exact', 'utf8']), {
    description:
      '`utf8`: in keys and values, U+FFFD takes the place of U+0000 and of each lone half of a surrogate pair, for stores that ' +
      'take neither, such as PostgreSQL. Two keys of an object may become equal. Default: `exact`, all texts as they were sent.',
  }),
};

export type LineText = 'exact' | 'utf8' | undefined;

/** Changes the JSON texts of `lines` in place. @returns a view of the same bytes. */
export function linesAs(text: LineText, lines: Uint8Array): Buffer {
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
  if (text === 'utf8') replaceUnstorable(bytes);
  return bytes;
}

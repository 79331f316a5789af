// Times of exports that may have no zone, as texts that the service takes.
//   LT1. A time without a zone is never guessed: the operator says which zone it is of, or the import ends with a sentence.
//   LT2. A local time that occurs twice, when clocks go back, is taken for its first occurrence; one that does not occur, for the
//        end of the gap.

import {isoText} from '../../../actors/calendar.js';
import {parseTimestamp} from '../../../actors/log/timestamp.js';
import type {Zone} from '../../zone.js';
import {SourceFault} from './source-fault.js';

const withZone = /(?:z|[+-]\d\d(?::?\d\d)?| utc)$/i;
const withTime = /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/i;

/** The time with a zone; a text that is no time is returned as it is. @throws SourceFault for a time without a zone. LT1 */
export function zonedText(text: string, zone: Zone | undefined, field: string): string {
  if (withTime.test(text) && withZone.test(text.slice(16)))
    return text.replace(/ utc$/i, 'Z').replace(/[+-]\d\d$/, '$&:00');
  const localMs = parseTimestamp(text);
  if (Number.isNaN(localMs)) return text;
  if (zone === undefined) {
    throw new SourceFault(`${field} has times without a zone (${text}): --timezone says which one, as --timezone UTC.`);
  }
  return isoText(zone.firstAt(localMs)); // LT2
}

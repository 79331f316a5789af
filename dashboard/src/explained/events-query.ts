// The question of Events, History, that lists exactly the events of a number.
import {boundsText, inUtc, type Span} from '../address/report-address.js';

/** Events of one name or of any, without conditions: History takes none. */
export function eventsQuery(event: string | null, span: Span): string {
  const [from, to] = boundsText(span);
  const {zone = inUtc[1]} = span;
  return new URLSearchParams({
    show: 'history',
    ...(event !== null && {event}),
    from,
    to,
    ...(zone !== inUtc[1] && {zone}),
  }).toString();
}

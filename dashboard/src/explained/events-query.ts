// The question of Events, History, that lists exactly the events of a number.

import {boundsText, type Span} from '../address/report-address.js';
import {homeZone, utc} from '../address/zone.js';

/** Events of one name or of any, without conditions: History takes none. */
export function eventsQuery(event: string | null, span: Span): string {
  const [from, to] = boundsText(span);
  const {zone = homeZone()} = span;
  return new URLSearchParams({
    show: 'history',
    ...(event !== null && {event}),
    from,
    to,
    ...(zone !== utc && {zone}),
  }).toString();
}

// Which days a page compares its own with.
import {beginsBefore} from '../address/compared';
import type {Days} from '../address/range';
import {datesText, dayName} from '../charts/format';

export interface AgainstProps {
  readonly days: Days;
  readonly past: Days;
  /** The first day with data, where it is known: there is nothing to compare with before. */
  readonly since: number | undefined;
  readonly today: number;
}

export function Against({days, past, since, today}: AgainstProps) {
  return (
    <p class="against">
      {beginsBefore(past, since)
        ? `Compared with nothing: no data before ${dayName(since!, today)}`
        : `Compared with ${datesText(past, today)}${(days.from - past.from) % 7 === 0 ? ', on the same weekdays' : ''}`}
    </p>
  );
}

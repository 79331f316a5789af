// What is to know about the days of a page: where the events are, if not in these days; or else with which days they are compared.
import type {NamesAnswer} from '../../../src/edge/answers/lists.js';
import {beginsBefore} from '../address/compared';
import type {Days, Range} from '../address/range';
import {namesMax, namesQuestion} from '../address/report-address';
import {wallMs} from '../address/zone';
import {count, datesText, dayName} from '../charts/format';
import type {DayPlace} from '../controls/range';
import type {Freshness} from '../service/freshness';
import {useReports} from '../service/reports';
import {
  countOf,
  everyDay,
  liesElsewhere,
  liesMostlyBefore,
  newestOf,
  type StoredDays,
  storedDays,
} from '../service/stored-days';
import {today as utcDay} from '../service/today';
import './day-notes.css';

export interface DayNotesProps {
  readonly days: Days;
  /** Undefined: the page compares nothing. */
  readonly past: Days | undefined;
  /** The first day with data, where it is known: there is nothing to compare with before. */
  readonly since: number | undefined;
  readonly place: DayPlace;
  readonly onRange: (range: Range) => void;
  readonly freshness: Freshness | undefined;
}

export function DayNotes({days, past, since, place: {zone, today}, onRange, freshness}: DayNotesProps) {
  const all = useReports(undefined, [namesQuestion(everyDay(utcDay.value), namesMax)]).shown?.reports[0]?.value as
    | NamesAnswer
    | undefined;
  const stored = all && storedDays(all, (ms) => wallMs(zone, ms));
  const isElsewhere = stored !== undefined && liesElsewhere(stored, days);
  const isLast = stored !== undefined && !isElsewhere && days.from > stored.from && days.to >= stored.to;
  const asksWithin = namesQuestion({...days, zone}, namesMax);
  const asked = useReports(undefined, isLast ? [asksWithin] : undefined);
  const names = isLast ? asked.shown?.of<NamesAnswer>(asksWithin).value : undefined;
  const within = names && countOf(names);
  if (isElsewhere) {
    const text = `No event lies in these days. There are events of ${datesText(stored, today)}.`;
    return <Elsewhere {...{text, stored, today, onRange}} />;
  }
  if (stored !== undefined && within !== undefined && liesMostlyBefore(stored, days, within)) {
    const before = {from: stored.from, to: days.from - 1};
    const text = `These days have ${within === 1 ? 'one event' : `${count(within)} events`}. ${count(stored.count - within)} more lie before them, ${datesText(before, today)}.`;
    return <Elsewhere {...{text, stored, today, onRange}} />;
  }
  const keptFrom = freshness?.keptFrom;
  return (
    <>
      {keptFrom !== undefined && <p class="against">Events before {keptFrom.slice(0, 10)} have expired</p>}
      {past !== undefined && (
        <p class="against">
          {beginsBefore(past, since)
            ? `Nothing to compare with: the first event is of ${dayName(since!, today)}`
            : `Compared with ${datesText(past, today)}${(days.from - past.from) % 7 === 0 ? ', on the same weekdays' : ''}`}
        </p>
      )}
    </>
  );
}

function Elsewhere({
  text,
  stored,
  today,
  onRange,
}: {
  readonly text: string;
  readonly stored: StoredDays;
  readonly today: number;
  readonly onRange: (range: Range) => void;
}) {
  const newest = newestOf(stored);
  const isWhole = newest.from === stored.from;
  return (
    <div class="elsewhere" role="status">
      <p>{text}</p>
      <div class="actions">
        {stored.to < today && (
          <button type="button" class="button primary" onClick={() => onRange({kind: 'days', ...newest})}>
            Show the newest, {datesText(newest, today)}
          </button>
        )}
        {!(isWhole && stored.to < today) && (
          <button
            type="button"
            class="button"
            onClick={() => onRange({kind: 'days', from: stored.from, to: stored.to})}
          >
            Show all of them
          </button>
        )}
      </div>
    </div>
  );
}

// A person's events by day. A row opens its properties as a table.

import {useState} from 'preact/hooks';
import {useLocation} from 'preact-iso';
import type {StoredEvent} from '../../../../src/edge/answers/events.js';
import {pageAddress} from '../../address/base';
import {type Condition, writeCondition} from '../../address/conditions';
import {clockText, longDayText} from '../../charts/format';
import {PropertiesLine, PropertiesTable} from '../../controls/properties';
import type {History} from '../../service/person-history';
import {FaultBox, Loading} from '../../shell/states';

const stepMax = 50;

export function EventList({history, onMore}: {readonly history: History; readonly onMore: () => void}) {
  const [shownMax, setShownMax] = useState(stepMax);
  const shown = history.events.slice(0, shownMax);
  const hasOlder = shownMax < history.events.length || history.hasMore;
  const showOlder = (): void => {
    if (shownMax + stepMax > history.events.length && history.hasMore) onMore();
    setShownMax(shownMax + stepMax);
  };
  if (history.isReading && shown.length === 0) return <Loading lines={6} />;
  return (
    <div class="event-days">
      {byDay(shown).map(([day, events]) => (
        <section key={day} aria-label={day}>
          <h3>{day}</h3>
          {events.map((event) => (
            <Event key={event.id} event={event} />
          ))}
        </section>
      ))}
      {history.fault !== undefined && <FaultBox fault={history.fault} onAgain={onMore} />}
      {hasOlder && history.fault === undefined && (
        <button type="button" class="button" disabled={history.isReading} onClick={showOlder}>
          Older events
        </button>
      )}
      {!hasOlder && shown.length > 0 && <p class="faint">These are all.</p>}
    </div>
  );
}

function Event({event}: {readonly event: StoredEvent}) {
  const [isOpen, setOpen] = useState(false);
  const {route} = useLocation();
  const seconds = Date.parse(event.timestamp) / 1_000;
  /** The same events of everybody. */
  const filter = (condition: Condition): void => {
    const asked = new URLSearchParams({show: 'history', event: event.event, where: writeCondition(condition)});
    route(`${pageAddress('/events')}?${asked}`);
  };
  return (
    <details class="event-row" onToggle={({currentTarget}) => setOpen(currentTarget.open)}>
      <summary>
        <time dateTime={event.timestamp}>{clockText(seconds)}</time>
        <span class="event">{event.event}</span>
        <span class="of">
          {event.joined === true && (
            <span class="joined" title={`Sent with the anonymousId ${event.anonymousId} alone, which is this user`}>
              anonymous
            </span>
          )}
          <PropertiesLine properties={event.properties} />
        </span>
      </summary>
      {isOpen && (
        <div class="event-whole">
          <PropertiesTable properties={event.properties} whole={event} onFilter={filter} />
        </div>
      )}
    </details>
  );
}

function byDay(events: readonly StoredEvent[]): [day: string, events: StoredEvent[]][] {
  const days: [string, StoredEvent[]][] = [];
  for (const event of events) {
    const day = longDayText(Date.parse(event.timestamp) / 1_000);
    if (days.at(-1)?.[0] === day) days.at(-1)![1].push(event);
    else days.push([day, [event]]);
  }
  return days;
}

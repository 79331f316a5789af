// Events as they arrive.
import type {StoredEvent} from '../../../../src/edge/answers/events.js';
import {dayOfMs} from '../../address/range';
import type {PersonId} from '../../address/report-address';
import {clockText, datesText, momentText, propertiesText} from '../../charts/format';
import {propertiesText as arrivedText} from '../../service/arrivals';
import {useLiveArrivals} from '../../service/live-arrivals';
import {storedBefore, useNewestStored} from '../../service/newest-stored';
import {personOf, useTitles} from '../../service/titles';
import {today} from '../../service/today';
import {Card} from '../../shell/card';
import {Icon} from '../../shell/icon';
import {useKeys} from '../../shell/keys';
import {FaultBox, Loading} from '../../shell/states';
import '../../design/feed.css';

const shownMax = 9;

interface Line {
  readonly key: string;
  /** Epoch ms: of its receipt. */
  readonly ms: number;
  readonly event: string;
  readonly who: PersonId;
  readonly what: string;
}

export function Arrivals() {
  const {events: stored = [], fault, again} = useNewestStored(shownMax);
  const arrivals = useLiveArrivals(shownMax);
  useKeys({p: arrivals.hold});
  const arrived: Line[] = arrivals.shown.map((one) => ({
    key: `a${one.number}`,
    ms: one.received,
    event: one.event,
    who: personOf(one.user_id, one.anonymous_id),
    what: arrivedText(one),
  }));
  const lines = [...arrived, ...storedBefore(stored, arrivals.shown).map(lineOf)].slice(0, shownMax);
  const titleOf = useTitles(lines.map(({who}) => who));
  return (
    <Card
      span={4}
      title="Arriving now"
      note={arrivals.note}
      tools={
        <button
          type="button"
          class="quiet"
          aria-pressed={arrivals.isHeld}
          aria-label={arrivals.isHeld ? 'Resume' : 'Hold'}
          onClick={arrivals.hold}
        >
          <Icon name={arrivals.isHeld ? 'Play' : 'Pause'} />
        </button>
      }
    >
      {lines.length === 0 && fault !== undefined && <FaultBox fault={fault} onAgain={again} />}
      {lines.length === 0 && fault === undefined && <Loading lines={7} />}
      {lines.length > 0 && (
        <ul class="feed" aria-label="Newest events" {...arrivals.still}>
          {lines.map(({key, ms, event, who, what}) => (
            <li key={key}>
              <time dateTime={new Date(ms).toISOString()} title={`${momentText(ms)} UTC`}>
                {shortMoment(ms)}
              </time>
              <span class="event">{event}</span>
              <span class="of">
                {titleOf(who)} <span class={titleOf(who) && 'faint'}>{who.id}</span> <i>{what}</i>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

const lineOf = ({id, event, userId, anonymousId, received_at, properties}: StoredEvent): Line => ({
  key: id,
  ms: Date.parse(received_at),
  event,
  who: personOf(userId, anonymousId),
  what: propertiesText(properties),
});

/** The time of an event of today, the date of an older one. */
const shortMoment = (ms: number): string =>
  dayOfMs(ms) === today.value ? clockText(ms / 1_000) : datesText({from: dayOfMs(ms), to: dayOfMs(ms)}, today.value);

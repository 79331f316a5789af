// Events as they arrive.
import {useState} from 'preact/hooks';
import type {HistoryAnswer, StoredEvent} from '../../../../src/edge/answers/events.js';
import {dayOfMs} from '../../address/range';
import {clockText, datesText, momentText, propertiesText} from '../../charts/format';
import {propertiesText as arrivedText, whoOf} from '../../service/arrivals';
import {useAsked} from '../../service/asked';
import {useLiveArrivals} from '../../service/live-arrivals';
import {Card} from '../../shell/card';
import {Icon} from '../../shell/icon';
import {useKeys} from '../../shell/keys';
import {FaultBox, Loading} from '../../shell/states';
import {today} from '../../shell/today';

const shownMax = 9;

interface Line {
  readonly key: string;
  /** Epoch ms: of its receipt. */
  readonly ms: number;
  readonly event: string;
  readonly who: string;
  readonly what: string;
}

export function Arrivals() {
  // Stored events fill the list until the first one arrives. Those of a clock that is ahead would stand before all others.
  const [untilNow] = useState(() => new Date().toISOString());
  const [stored, again] = useAsked<HistoryAnswer>(`v1/events?to=${untilNow}&limit=${shownMax}`);
  const arrivals = useLiveArrivals(shownMax);
  useKeys({p: arrivals.hold});
  const {value, fault} = stored.value;
  const arrived: Line[] = arrivals.shown.map((one) => ({
    key: `a${one.number}`,
    ms: one.received,
    event: one.event,
    who: whoOf(one),
    what: arrivedText(one),
  }));
  const firstMs = Math.min(...arrived.map(({ms}) => ms));
  const before = (value?.data ?? []).map(lineOf).filter(({ms}) => ms < firstMs);
  const lines = [...arrived, ...before.sort((a, b) => b.ms - a.ms)].slice(0, shownMax);
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
          aria-label={arrivals.isHeld ? 'Go on' : 'Hold'}
          onClick={arrivals.hold}
        >
          <Icon name={arrivals.isHeld ? 'play' : 'pause'} />
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
                {who} <i>{what}</i>
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
  who: userId ?? anonymousId ?? '',
  what: propertiesText(properties),
});

/** The time of an event of today, the date of an older one. */
const shortMoment = (ms: number): string =>
  dayOfMs(ms) === today.value ? clockText(ms / 1_000) : datesText({from: dayOfMs(ms), to: dayOfMs(ms)}, today.value);

// Events as they arrive. A role that sees no events gets the names that came up last.
import type {HistoryAnswer, NamesAnswer, StoredEvent} from '../../../../src/edge/answers.js';
import {dayOfMs} from '../../address/range';
import {clockText, count, datesText, momentText, propertiesText} from '../../charts/format';
import {Moment} from '../../controls/moment';
import {propertiesText as arrivedText, whoOf} from '../../service/arrivals';
import {useAsked} from '../../service/asked';
import {useLiveArrivals} from '../../service/live-arrivals';
import type {Asking} from '../../service/reports';
import {Card} from '../../shell/card';
import {Icon} from '../../shell/icon';
import {useKeys} from '../../shell/keys';
import {ReportBody} from '../../shell/report-body';
import {FaultBox, Loading} from '../../shell/states';
import {today} from '../../shell/today';

const shownMax = 9;

export interface ArrivalsProps {
  readonly mayRead: boolean;
  readonly names: Asking<unknown>;
}

export function ArrivalsCard({mayRead, names}: ArrivalsProps) {
  return mayRead ? <Arrivals /> : <NewNames names={names} />;
}

interface Line {
  readonly key: string;
  /** Epoch ms: of its receipt. */
  readonly ms: number;
  readonly event: string;
  readonly who: string;
  readonly what: string;
}

function Arrivals() {
  // Stored events fill the list until the first one arrives.
  const [stored, again] = useAsked<HistoryAnswer>(`v1/events?limit=${shownMax}`);
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

function NewNames({names}: {readonly names: Asking<unknown>}) {
  const answer = names.shown?.reports[0]?.value as NamesAnswer | undefined;
  const newest = [...(answer?.data ?? [])].sort((a, b) => (a.first_seen < b.first_seen ? 1 : -1)).slice(0, shownMax);
  return (
    <Card span={4} title="Newest names" note="by their first event">
      <ReportBody asking={names} reports={names.shown?.reports ?? []} lines={7}>
        {() => (
          <table class="grid-table">
            <thead>
              <tr>
                <th>Event</th>
                <th class="number">Count</th>
                <th class="number">First seen</th>
              </tr>
            </thead>
            <tbody>
              {newest.map((one) => (
                <tr key={one.name}>
                  <td class="name">{one.name}</td>
                  <td class="number">{count(one.count)}</td>
                  <td class="number plain">
                    <Moment iso={one.first_seen} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </ReportBody>
    </Card>
  );
}

// The newest events, live; whoever may not see events gets the names that came up last.

import {useEffect} from 'preact/hooks';
import type {HistoryAnswer, NamesAnswer} from '../../../../src/edge/answers.js';
import {dayOfMs} from '../../address/range';
import {clockText, count, datesText, momentText, propertiesText} from '../../charts/format';
import {Moment} from '../../controls/moment';
import {useAsked} from '../../service/asked';
import type {Asking} from '../../service/reports';
import {Card} from '../../shell/card';
import {now} from '../../shell/now';
import {ReportBody} from '../../shell/report-body';
import {FaultBox, Loading} from '../../shell/states';
import {today} from '../../shell/today';

const shownMax = 9;
const everyMs = 5_000;

export function NewestEvents({mayRead, names}: {readonly mayRead: boolean; readonly names: Asking<unknown>}) {
  return mayRead ? <Newest /> : <NewNames names={names} />;
}

function Newest() {
  const [asked, ask] = useAsked<HistoryAnswer>(`v1/events?limit=${shownMax}`);
  const turn = Math.floor(now.value / everyMs);
  useEffect(() => {
    if (document.visibilityState === 'visible') ask();
  }, [turn]);
  const {value, fault} = asked.value;
  return (
    <Card span={4} title="Newest events" note="live, by their own time">
      {fault !== undefined && <FaultBox fault={fault} onAgain={ask} />}
      {value === undefined && fault === undefined && <Loading lines={7} />}
      {value !== undefined && fault === undefined && (
        <ul class="feed">
          {value.data.map(({id, event, userId, anonymousId, properties, timestamp}) => (
            <li key={id}>
              <time dateTime={timestamp} title={`${momentText(Date.parse(timestamp))} UTC`}>
                {shortMoment(Date.parse(timestamp))}
              </time>
              <span class="event">{event}</span>
              <span class="of">
                {userId ?? anonymousId} <i>{propertiesText(properties)}</i>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

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

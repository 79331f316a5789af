// Progress of the first event that comes while this page is open: accepted, in the history, in reports. Refusals are listed
// with the field at fault.

import {useSignal} from '@preact/signals';
import {useEffect, useState} from 'preact/hooks';
import type {HistoryAnswer} from '../../../../src/edge/answers/events.js';
import type {PublishedReports} from '../../../../src/edge/dashboard/answers/load.js';
import type {
  ArrivedEvent,
  ArrivedSample,
  SeenRefusal,
  SeenRefusals,
} from '../../../../src/edge/dashboard/answers/stream.js';
import {pageAddress} from '../../address/base';
import {questionAddress} from '../../address/page-question';
import {agoText, clockText, duration} from '../../charts/format';
import {propertiesText, whoOf} from '../../service/arrivals';
import {read} from '../../service/client';
import {now} from '../../service/now';
import {streamState, useTopic} from '../../service/stream';
import {Card} from '../../shell/card';
import {Icon} from '../../shell/icon';
import '../../design/feed.css';

const refusalsMax = 6;
const againMs = 1_000;

interface Refused extends SeenRefusal {
  readonly at: number;
}

export function Progress() {
  const arrival = useSignal<ArrivedEvent | undefined>(undefined);
  const published = useSignal<PublishedReports | undefined>(undefined);
  const refused = useSignal<readonly Refused[]>([]);
  const inHistoryMs = useInHistory(arrival.value);
  useTopic<ArrivedSample>('arrivals', ({events}) => {
    arrival.value ??= events[0];
  });
  useTopic<PublishedReports>('published', (news) => {
    published.value = news;
  });
  useTopic<SeenRefusals>('refusals', ({at, refusals}) => {
    refused.value = [...refusals.map((one) => ({...one, at})), ...refused.value].slice(0, refusalsMax);
  });
  const event = arrival.value;
  const isReported = event !== undefined && Date.parse(published.value?.as_of ?? '') >= event.received;
  return (
    <Card span={5} title="What becomes of it" note={<Listening />}>
      <ol class="first-steps">
        <Step number={1} isDone={event !== undefined} title="Accepted">
          {event === undefined ? (
            'Waiting for an event. Once it is here it is on disk, and counted once.'
          ) : (
            <>
              <b>{event.event}</b> of {whoOf(event)}
              {event.properties.length > 0 && <>, {propertiesText(event)}</>}
              <br />
              {clockText(event.received / 1_000)} UTC, on disk within {event.ack_ms} ms
            </>
          )}
        </Step>
        <Step number={2} isDone={inHistoryMs !== undefined} title="In the history">
          {inHistoryMs === undefined ? (
            'Single events can be read as soon as they are accepted.'
          ) : (
            <a class="link" href={`${pageAddress('/events')}?show=history`}>
              Read {event?.event} in the history
            </a>
          )}
        </Step>
        <Step number={3} isDone={isReported} title="In reports">
          {isReported ? <Report event={event.event} /> : <Due event={event} published={published.value} />}
        </Step>
      </ol>
      {refused.value.length > 0 && (
        <div class="first-refused">
          <h3>Refused</h3>
          <ul class="feed" aria-live="polite">
            {refused.value.map((one) => (
              <li key={`${one.at} ${one.code} ${one.field} ${one.key_id}`} class="refused">
                <time>{agoText(one.at, now.value)}</time>
                <span class="event">{one.code}</span>
                <span class="of">
                  {one.count > 1 && `${one.count} times `}
                  {one.field !== null && <>in {one.field} </>}
                  <i>{one.route ?? 'no such path'}</i>
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Card>
  );
}

function Listening() {
  if (streamState.value === 'open') {
    return (
      <span class="listening">
        <span class="dot" /> listening
      </span>
    );
  }
  return (
    <span class="listening">
      <span class="dot off" /> {streamState.value === 'none' ? 'this browser cannot listen' : 'connecting'}
    </span>
  );
}

function Step({
  number,
  isDone,
  title,
  children,
}: {
  readonly number: number;
  readonly isDone: boolean;
  readonly title: string;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <li class={isDone ? 'done' : ''}>
      <span class="step" aria-hidden="true">
        {isDone ? <Icon name="Check" /> : number}
      </span>
      <div role="status">
        <strong>
          {title}
          {isDone && <span class="visually-hidden">: done</span>}
        </strong>
        <p>{children}</p>
      </div>
    </li>
  );
}

/** Time at which the publication with the event is due. */
function Due({
  event,
  published,
}: {
  readonly event: ArrivedEvent | undefined;
  readonly published: PublishedReports | undefined;
}) {
  if (published === undefined) return <>Reports are published every few minutes.</>;
  if (event === undefined) return <>Within {duration(published.refresh_seconds)} of being accepted.</>;
  const promisedMs = event.received + published.refresh_seconds * 1_000;
  const dueMs = Math.min(promisedMs, published.next_by === null ? promisedMs : Date.parse(published.next_by));
  const seconds = Math.ceil((dueMs - now.value) / 1_000);
  return <>{seconds > 0 ? `In at most ${duration(seconds)}.` : 'Any moment now.'}</>;
}

const Report = ({event}: {readonly event: string}) => (
  <a class="link" href={pageAddress(questionAddress<'counts'>('/trends', {events: [{event}]}))}>
    Your first report
  </a>
);

/** Asked until it is there, which is at once but for a partition that is behind. @returns when it was seen. */
function useInHistory(arrival: ArrivedEvent | undefined): number | undefined {
  const [seenMs, setSeen] = useState<number>();
  useEffect(() => {
    if (arrival === undefined) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const who = arrival.user_id === null ? 'anonymousId' : 'userId';
    const query = new URLSearchParams({[who]: whoOf(arrival), event: arrival.event, limit: '20'});
    const ask = async (): Promise<void> => {
      const answer = await read<HistoryAnswer>(`v1/events?${query}`);
      if (isOver) return;
      const isThere =
        answer.kind === 'value' && answer.value.data.some(({timestamp}) => Date.parse(timestamp) === arrival.at);
      if (isThere) setSeen(Date.now());
      else timer = setTimeout(() => void ask(), againMs);
    };
    void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [arrival]);
  return seenMs;
}

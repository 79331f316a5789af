// Events as they arrive: a sample that people can read, and how many there really were. It stands still while somebody
// points at it, has the focus in it, or holds it.

import {useSignal} from '@preact/signals';
import {useState} from 'preact/hooks';
import type {ArrivedEvent, ArrivedSample} from '../../../../src/edge/dashboard/answers.js';
import {clockText, count} from '../../charts/format';
import {propertiesText, whoOf} from '../../service/arrivals';
import {streamState, useTopic} from '../../service/stream';
import {Card} from '../../shell/card';
import {Icon} from '../../shell/icon';
import {Empty} from '../../shell/states';
import {EventsTable} from './events-table';
import {FilterFields} from './filter-fields';

const keptMax = 200;
const meanOfSeconds = 5;

interface Shown extends ArrivedEvent {
  readonly number: number;
}

let numbers = 0;

export function Arriving() {
  const [filter, setFilter] = useState<{event?: string; user?: string}>({});
  const [isHeld, setHeld] = useState(false);
  const [isPointed, setPointed] = useState(false);
  const shown = useSignal<readonly Shown[]>([]);
  const waiting = useSignal<readonly Shown[]>([]);
  const missed = useSignal(0);
  const rates = useSignal<readonly {readonly count: number; readonly ms: number}[]>([]);
  const isStill = isHeld || isPointed;

  const show = (): void => {
    shown.value = [...waiting.value, ...shown.value].slice(0, keptMax);
    waiting.value = [];
    missed.value = 0;
  };
  useTopic<ArrivedSample>(
    'arrivals',
    ({events, count: all}) => {
      // A tab beside this one may have another filter: then the stream has all.
      const ours = events.filter(
        (one) =>
          (filter.event === undefined || one.event === filter.event) &&
          (filter.user === undefined || one.user_id === filter.user || one.anonymous_id === filter.user),
      );
      const isAll = ours.length === events.length;
      const number = isAll ? all : ours.length;
      const newest = ours.map((one) => ({...one, number: (numbers += 1)})).reverse();
      waiting.value = [...newest, ...waiting.value].slice(0, keptMax);
      missed.value += number;
      rates.value = [...rates.value, {count: number, ms: Date.now()}].slice(-meanOfSeconds);
      if (!isStill) show();
    },
    filter,
  );
  const point = (is: boolean): void => {
    setPointed(is);
    if (!is && !isHeld) show();
  };
  const hold = (): void => {
    if (isHeld) show();
    setHeld(!isHeld);
  };
  return (
    <Card
      span={12}
      title="Arriving now"
      note={<Note isStill={isStill} missed={missed.value} rates={rates.value} />}
      tools={
        <button type="button" class="quiet" aria-pressed={isHeld} aria-label={isHeld ? 'Go on' : 'Hold'} onClick={hold}>
          <Icon name={isHeld ? 'play' : 'pause'} />
        </button>
      }
    >
      <FilterFields
        fields={[
          {name: 'event', label: 'Event'},
          {name: 'user', label: 'User or anonymous id'},
        ]}
        values={filter}
        onChange={(values) => {
          setFilter(values);
          shown.value = [];
          waiting.value = [];
        }}
      />
      {shown.value.length === 0 ? (
        <Empty title={streamState.value === 'open' ? 'Listening' : 'Connecting'}>
          Events appear here within a second of being accepted: ten a second at most, whatever comes, with their number.
        </Empty>
      ) : (
        <section
          class="table-frame"
          aria-label="Arriving events"
          onPointerEnter={() => point(true)}
          onPointerLeave={() => point(false)}
          onFocusCapture={() => point(true)}
          onBlurCapture={() => point(false)}
        >
          <EventsTable time="Received">
            {shown.value.map((one) => (
              <tr key={one.number}>
                <td class="faint">{clockText(one.received / 1_000)}</td>
                <td class="event">{one.event}</td>
                <td>
                  <button
                    type="button"
                    class="link"
                    title="Only of this user"
                    onClick={() => setFilter({...filter, user: whoOf(one)})}
                  >
                    {whoOf(one)}
                  </button>
                  {one.user_id === null && <span class="faint"> anonymous</span>}
                </td>
                <td class="of">{propertiesText(one)}</td>
              </tr>
            ))}
          </EventsTable>
        </section>
      )}
    </Card>
  );
}

function Note({
  isStill,
  missed,
  rates,
}: {
  readonly isStill: boolean;
  readonly missed: number;
  readonly rates: readonly {readonly count: number; readonly ms: number}[];
}) {
  if (streamState.value === 'none') return <>this browser cannot listen: see History</>;
  if (streamState.value !== 'open') return <>stream lost, trying again</>;
  if (isStill) return <>paused, {count(missed)} more</>;
  const recent = rates.filter(({ms}) => Date.now() - ms < (meanOfSeconds + 1) * 1_000);
  const all = recent.reduce((sum, one) => sum + one.count, 0) / meanOfSeconds;
  return <>{all > 10 ? `10 of ${count(Math.round(all))} a second` : 'all of them'}</>;
}

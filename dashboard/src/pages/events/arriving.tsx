// Events as they arrive: a sample of readable size, and the number of all. It begins with the newest stored events. The list pauses
// under the pointer, with the focus in it, and by its button.

import {useState} from 'preact/hooks';
import type {StoredEvent} from '../../../../src/edge/answers/events.js';
import {pageAddress} from '../../address/base';
import type {Condition} from '../../address/conditions';
import {dayOfMs} from '../../address/range';
import type {PersonId} from '../../address/report-address';
import {clockText, count, momentText} from '../../charts/format';
import {ConditionList} from '../../controls/condition-list';
import {PersonName} from '../../controls/person-name';
import {PropertiesLine} from '../../controls/properties';
import {filterPairs} from '../../service/arrivals';
import {useLiveArrivals} from '../../service/live-arrivals';
import {storedBefore, useNewestStored} from '../../service/newest-stored';
import {streamState} from '../../service/stream';
import {personOf, useTitles} from '../../service/titles';
import {today} from '../../service/today';
import {Card} from '../../shell/card';
import {Icon} from '../../shell/icon';
import {useKeys} from '../../shell/keys';
import {Empty, FaultBox, Loading} from '../../shell/states';
import {EventsTable} from './events-table';
import {FilterFields, recentDays} from './filter-fields';

const keptMax = 200;
const storedMax = 50;
type Filter = {readonly event?: string; readonly user?: string};
type Shown = Parameters<typeof PropertiesLine>[0];

export function Arriving() {
  const [fields, setFields] = useState<Filter>({});
  const [where, setWhere] = useState<readonly Condition[]>([]);
  const filter = {...fields, where};
  const arrivals = useLiveArrivals(keptMax, filter);
  const {shown, isHeld} = arrivals;
  const {events: stored, fault, again} = useNewestStored(storedMax, filter);
  const before = storedBefore(stored ?? [], shown).slice(0, keptMax - shown.length);
  const show = (changed: Filter, chosen = where): void => {
    setFields(changed);
    setWhere(chosen);
    arrivals.clear();
  };
  const showOnly = (user: string): void => show({...fields, user});
  useKeys({p: arrivals.hold});
  const titleOf = useTitles([
    ...shown.map((one) => personOf(one.user_id, one.anonymous_id)),
    ...before.map((one) => personOf(one.userId, one.anonymousId)),
  ]);
  return (
    <Card
      span={12}
      title="Arriving now"
      note={arrivals.note}
      tools={
        <button
          type="button"
          class="quiet"
          aria-pressed={isHeld}
          aria-label={isHeld ? 'Resume' : 'Hold'}
          onClick={arrivals.hold}
        >
          <Icon name={isHeld ? 'Play' : 'Pause'} />
        </button>
      }
    >
      <FilterFields
        fields={[
          {name: 'event', label: 'Event'},
          {name: 'user', label: 'User or anonymous id'},
        ]}
        values={fields}
        onChange={(values) => show(values)}
      >
        <ConditionList
          conditions={where}
          keys={{of: 'events', event: fields.event, days: recentDays(today.value)}}
          of="of the events"
          onChange={(chosen) => show(fields, chosen)}
        />
      </FilterFields>
      {fault !== undefined && <FaultBox fault={fault} onAgain={again} />}
      {shown.length > 0 || before.length > 0 ? (
        <section class="table-frame" aria-label="Arriving events" {...arrivals.still}>
          <EventsTable time="Received">
            {shown.map((one) => (
              <Row
                key={one.number}
                ms={one.received}
                event={one.event}
                person={personOf(one.user_id, one.anonymous_id)}
                titleOf={titleOf}
                properties={Object.fromEntries(one.properties)}
                more={one.more}
                onUser={showOnly}
              />
            ))}
            {before.length > 0 && (
              <tr class="stored-from-here">
                <td colSpan={4}>
                  {shown.length === 0 && 'Nothing has arrived yet. '}Stored before, the newest {count(before.length)}.{' '}
                  <a class="link" href={historyOf(fields, where, before[0]!)}>
                    Show all of them
                  </a>
                </td>
              </tr>
            )}
            {before.map(({id, event, userId, anonymousId, received_at: at, properties}) => (
              <Row
                key={id}
                ms={Date.parse(at)}
                event={event}
                person={personOf(userId, anonymousId)}
                titleOf={titleOf}
                properties={properties}
                onUser={showOnly}
              />
            ))}
          </EventsTable>
        </section>
      ) : stored === undefined && fault === undefined ? (
        <Loading lines={8} />
      ) : (
        <Empty title={streamState.value === 'open' ? 'Listening' : 'Connecting'}>
          {fault === undefined &&
            `No ${Object.keys(fields).length + where.length === 0 ? 'event' : 'such event'} is stored yet. `}
          Events appear here within a second of being accepted: ten a second at most, whatever comes, with their number.
        </Empty>
      )}
    </Card>
  );
}

/** Address of the same events in the history, which has a field for each kind of id. `first`: one of them. */
function historyOf({event, user}: Filter, where: readonly Condition[], first: StoredEvent): string {
  const asked = new URLSearchParams([['show', 'history'], ...filterPairs({event, where})]);
  if (user !== undefined) asked.set(first.userId === null ? 'anonymousId' : 'userId', user);
  return `${pageAddress('/events')}?${asked}`;
}

function Row({
  ms,
  event,
  person,
  titleOf,
  properties,
  more,
  onUser,
}: Shown & {
  /** Epoch ms: of its receipt. */
  readonly ms: number;
  readonly event: string;
  readonly person: PersonId;
  readonly titleOf: ReturnType<typeof useTitles>;
  readonly onUser: (user: string) => void;
}) {
  return (
    <tr>
      <td class="faint">{dayOfMs(ms) === today.value ? clockText(ms / 1_000) : momentText(ms)}</td>
      <td class="event">
        <span title={event}>{event}</span>
      </td>
      <td class="user">
        <PersonName person={person} title={titleOf(person)}>
          {(text) => (
            <button type="button" class="link" title={`Only of ${person.id}`} onClick={() => onUser(person.id)}>
              {text}
            </button>
          )}
        </PersonName>
      </td>
      <td class="of">
        <PropertiesLine properties={properties} more={more} />
      </td>
    </tr>
  );
}

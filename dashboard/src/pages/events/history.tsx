// Stored events, newest first, in pages that never shift: the question is in the address.

import {useEffect, useState} from 'preact/hooks';
import {useLocation} from 'preact-iso';
import type {HistoryAnswer, StoredEvent} from '../../../../src/edge/answers/events.js';
import {dashboardPath, pageAddress} from '../../address/base';
import {addressAsking} from '../../address/codec';
import {type Condition, conditions} from '../../address/conditions';
import {peopleForm} from '../../address/report-address';
import {utc} from '../../address/zone';
import {momentText} from '../../charts/format';
import {ConditionList} from '../../controls/condition-list';
import {PersonName} from '../../controls/person-name';
import {PropertiesLine, PropertiesTable} from '../../controls/properties';
import {TableFrame} from '../../controls/table-frame';
import {type Fault, read} from '../../service/client';
import {personOf, useTitles} from '../../service/titles';
import {today} from '../../service/today';
import {Card} from '../../shell/card';
import {Icon} from '../../shell/icon';
import {ReportTools} from '../../shell/page-tools';
import {Empty, FaultBox, Loading} from '../../shell/states';
import {EventsTable} from './events-table';
import {FilterFields, recentDays} from './filter-fields';

const names = ['event', 'userId', 'anonymousId', 'from', 'to', 'zone'] as const;
type Name = (typeof names)[number];
const fieldsIn = (zone: string) =>
  [
    {name: 'event', label: 'Event'},
    {name: 'userId', label: 'User id'},
    {name: 'anonymousId', label: 'Anonymous id'},
    {name: 'from', label: `From (${zone})`, isTime: true},
    {name: 'to', label: `To (${zone})`, isTime: true},
  ] as const;
type Filter = Partial<Record<Name, string>>;

const pageEvents = 50;

export function History() {
  const {query, route, url} = useLocation();
  const filter = Object.fromEntries(
    names.flatMap((name) => (query[name] ? [[name, query[name]] as const] : [])),
  ) as Filter;
  const where =
    conditions.read(new URLSearchParams(url.split('?')[1]).getAll('where').filter(conditions.isPart!)) ?? [];
  const ofWhere = conditions.write(where).map((text) => ['where', text]);
  const show = (values: Filter, chosen: readonly Condition[] = where): void => {
    const asked = [
      ['show', 'history'],
      ...Object.entries(values),
      ...conditions.write(chosen).map((one) => ['where', one]),
    ];
    route(`${pageAddress('/events')}?${new URLSearchParams(asked as [string, string][])}`);
  };
  const [events, setEvents] = useState<readonly StoredEvent[]>();
  const [cursor, setCursor] = useState<string | null>(null);
  const [fault, setFault] = useState<Fault>();
  const [open, setOpen] = useState<string>();
  const {zone = utc, ...asked} = filter;
  const isExported = asked.userId === undefined && asked.anonymousId === undefined;
  const question = new URLSearchParams([
    ...Object.entries(asked),
    ...ofWhere,
    ['limit', String(pageEvents)],
    ['timezone', zone],
  ]).toString();

  const titleOf = useTitles((events ?? []).map((one) => personOf(one.userId, one.anonymousId)));

  const ask = async (after: string | null, isCurrent: () => boolean): Promise<void> => {
    const more = after === null ? '' : `&cursor=${encodeURIComponent(after)}`;
    const answer = await read<HistoryAnswer>(`v1/events?${question}${more}`);
    if (!isCurrent()) return;
    setFault(answer.kind === 'fault' ? answer.fault : undefined);
    if (answer.kind === 'fault') return;
    setEvents((before) => [...(after === null ? [] : (before ?? [])), ...answer.value.data]);
    setCursor(answer.value.next_cursor);
  };
  useEffect(() => {
    let isCurrent = true;
    setOpen(undefined);
    void ask(null, () => isCurrent);
    return () => {
      isCurrent = false;
    };
  }, [question]);

  return (
    <Card
      span={12}
      title="History"
      note="live: what was accepted is here"
      tools={
        isExported && (
          <>
            <ReportTools paths={[exportPath(asked, ofWhere, zone), ...changesPaths]} help={changesHelp} />
            <a
              class="button"
              href={`${dashboardPath}/api/${exportPath(asked, ofWhere, zone)}`}
              download="events.ndjson"
              title="These events, as lines of JSON"
            >
              <Icon name="Download" />
              Download all
            </a>
          </>
        )
      }
    >
      <FilterFields fields={fieldsIn(zone)} values={filter} onChange={(values) => show(values)}>
        <ConditionList
          conditions={where}
          keys={{of: 'events', event: asked.event, days: recentDays(today.value)}}
          of="of the events"
          onChange={(chosen) => show(filter, chosen)}
        />
      </FilterFields>
      {fault !== undefined && <FaultBox fault={fault} onAgain={() => void ask(null, () => true)} />}
      {events === undefined && fault === undefined && <Loading lines={6} />}
      {events !== undefined && events.length === 0 && fault === undefined && (
        <Empty title="No event matches">Names and ids are compared letter by letter.</Empty>
      )}
      {events !== undefined && events.length > 0 && (
        <TableFrame label="History in a table">
          <EventsTable time="Time">
            {events.map((one) => (
              <EventRows
                key={one.id}
                event={one}
                title={titleOf(personOf(one.userId, one.anonymousId))}
                isOpen={open === one.id}
                onOpen={() => setOpen(open === one.id ? undefined : one.id)}
                onFilter={(values) => show({...filter, ...values})}
                onCondition={(condition) => show(filter, [...where, condition])}
              />
            ))}
          </EventsTable>
        </TableFrame>
      )}
      {cursor !== null && events !== undefined && (
        <button type="button" class="button more-events" onClick={() => void ask(cursor, () => true)}>
          Show {pageEvents} more
        </button>
      )}
    </Card>
  );
}

/** All of these events as lines. */
const exportPath = (asked: Filter, where: readonly string[][], zone: string): string =>
  `v1/export?${new URLSearchParams([...Object.entries(asked), ...where, ['timezone', zone]])}`;
/** For a copy that is kept elsewhere: all changes, the first page and those after it. */
const changesPaths = ['v1/changes?limit=1000', 'v1/changes?limit=1000&after=NEXT'];
const changesHelp = 'NEXT is the "next" of the page of changes before.';

function EventRows({
  event: one,
  title,
  isOpen,
  onOpen,
  onFilter,
  onCondition,
}: {
  readonly event: StoredEvent;
  /** What the person is called. */
  readonly title: string | undefined;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onFilter: (values: Filter) => void;
  readonly onCondition: (condition: Condition) => void;
}) {
  const person = personOf(one.userId, one.anonymousId);
  return (
    <>
      <tr class={isOpen ? 'open' : ''}>
        <td class="faint">{momentText(Date.parse(one.timestamp))}</td>
        <td class="event">
          <button type="button" class="plain-link" title={one.event} aria-expanded={isOpen} onClick={onOpen}>
            {one.event}
          </button>
        </td>
        <td class="user">
          <PersonName person={person} title={title}>
            {(text) => (
              <a class="link" href={pageAddress('/people') + addressAsking(peopleForm, {[person.kind]: person.id})}>
                {text}
              </a>
            )}
          </PersonName>
        </td>
        <td class="of">
          <PropertiesLine properties={one.properties} />
        </td>
      </tr>
      {isOpen && (
        <tr class="opened">
          <td colSpan={4}>
            <PropertiesTable properties={one.properties} whole={one} onFilter={onCondition} />
            <div class="buttons">
              <button type="button" class="button" onClick={() => onFilter({event: one.event})}>
                Only {one.event}
              </button>
              {one.userId != null && (
                <button type="button" class="button" onClick={() => onFilter({userId: one.userId!})}>
                  Only of this user
                </button>
              )}
              {one.userId == null && one.anonymousId != null && (
                <button type="button" class="button" onClick={() => onFilter({anonymousId: one.anonymousId!})}>
                  Only of this visitor
                </button>
              )}
            </div>
          </td>
        </tr>
      )}
    </>
  );
}

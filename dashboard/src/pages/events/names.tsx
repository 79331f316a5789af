// Which events, properties and values there are: a list each, from the left to the right. Each leads to its trend.
import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';
import type {NamesAnswer, PropertiesAnswer, TraitsAnswer, ValuesAnswer} from '../../../../src/edge/answers/lists.js';
import {pageAddress} from '../../address/base';
import {nameOrNone, type QuestionOf, word} from '../../address/codec';
import {type Condition, writeCondition} from '../../address/conditions';
import {breakdownBy, type Draft, questionAddress} from '../../address/page-question';
import {daysOf} from '../../address/range';
import {
  type Keys,
  keysQuestion,
  namesQuestion,
  not_segment,
  range,
  valuesQuestion,
  zone,
} from '../../address/report-address';
import {homeZone} from '../../address/zone';
import type {Cell} from '../../charts/csv';
import {count, datesText, percent} from '../../charts/format';
import {rowText} from '../../charts/series-lines';
import {Moment} from '../../controls/moment';
import {RangeControl} from '../../controls/range';
import {TableFrame} from '../../controls/table-frame';
import {useDescribedNames} from '../../service/described-names';
import {useReports} from '../../service/reports';
import {may} from '../../service/session';
import {useAddress} from '../../service/use-address';
import {AddressProblems} from '../../shell/address-problems';
import {Card} from '../../shell/card';
import {FreshnessPill} from '../../shell/freshness';
import {Icon} from '../../shell/icon';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {Empty} from '../../shell/states';
import {WithoutSwitch} from '../../shell/without-switch';
import {todayIn} from '../../shell/zone-day';
import {AboutName, DescriptionForm} from './about-name';
import '../../design/reports.css';
import './names.css';

const listedMax = 200;

/** Which names, properties and values there are. */
const namesForm = {
  /** Tab of the page. */
  show: word<'names', null>(['names'], null),
  /** Whose properties are listed: those of events, or the traits of users. */
  of: word<'events' | 'users', 'events'>(['events', 'users'], 'events'),
  /** Null: events of any name. */
  event: nameOrNone('the name of an event, of 1 to 256 characters'),
  /** Property or trait whose values are listed; null: none. */
  property: nameOrNone('the name of a property'),
  range,
  zone,
  not_segment,
} as const;
type NamesQuestion = QuestionOf<typeof namesForm>;

export function Names() {
  const {question, problems, ask} = useAddress(namesForm);
  const {of, event, property, range} = question;
  const zone = question.zone ?? homeZone();
  const today = todayIn(zone);
  const days = {...daysOf(range, today), zone};
  const keys: Keys = of === 'users' ? {of} : {of, event: event ?? undefined, days};
  const [begin, setBegin] = useState('');
  const names = useReports(undefined, [namesQuestion({...days, not_segment: question.not_segment}, listedMax, begin)]);
  const answer = names.shown?.reports[0]?.value as NamesAnswer | undefined;
  const most = answer?.data[0]?.count ?? 1;
  const described = useDescribedNames();
  const retired = new Set(described.filter(({state}) => state === 'retired').map((one) => one.event));
  const listed = new Set(answer?.data.map(({name}) => name));
  const planned = described
    .filter((one) => one.state === 'planned' && one.event.startsWith(begin) && !listed.has(one.event))
    .map((one) => one.event);
  const [isPlanning, setPlanning] = useState(false);
  return (
    <>
      <div class="names-tools span-12">
        <RangeControl range={range} place={{zone, today}} onRange={(chosen) => ask({range: chosen})} />
        <WithoutSwitch notSegment={question.not_segment} onChange={(not_segment) => ask({not_segment})} />
        <FreshnessPill freshness={names.shown?.freshness} />
      </div>
      <AddressProblems problems={problems} onDrop={() => ask({})} />
      <Card
        span={4}
        title="Names of events"
        note={answer && `${count(answer.data.length)}${answer.has_more ? ' and more' : ''}, ${datesText(days, today)}`}
        tools={
          answer !== undefined && (
            <ListTools
              file="names"
              path={names.shown!.reports[0]!.path}
              rows={() => [
                ['name', 'count', 'first_seen', 'last_seen'],
                ...answer.data.map((one) => [one.name, one.count, one.first_seen, one.last_seen]),
              ]}
            />
          )
        }
      >
        <input
          class="names-begin"
          data-search
          aria-label="Beginning of the name"
          placeholder="Beginning of a name"
          autocomplete="off"
          spellcheck={false}
          maxLength={256}
          value={begin}
          onInput={({currentTarget}) => setBegin(currentTarget.value)}
        />
        <ReportBody asking={names} reports={names.shown?.reports ?? []}>
          {() => (
            <List label="Names of events" heads={['Event', 'Count', 'Last']}>
              <Row
                name="Traits of users"
                isChosen={of === 'users'}
                onChoose={() => ask({of: 'users', event: null, property: null})}
              />
              <Row
                name="Any event"
                isChosen={of === 'events' && event === null}
                onChoose={() => ask({of: 'events', event: null, property: null})}
              />
              {answer!.data.map((one) => (
                <Row
                  key={one.name}
                  name={one.name}
                  share={one.count / most}
                  isChosen={one.name === event}
                  onChoose={() => ask({of: 'events', event: one.name, property: null})}
                >
                  <td class="number">{count(one.count)}</td>
                  <td class="number faint">{retired.has(one.name) ? 'retired' : <Moment iso={one.last_seen} />}</td>
                </Row>
              ))}
              {planned.map((name) => (
                <Row
                  key={name}
                  name={name}
                  isChosen={name === event}
                  onChoose={() => ask({of: 'events', event: name, property: null})}
                >
                  <td class="number">–</td>
                  <td class="number faint">planned</td>
                </Row>
              ))}
            </List>
          )}
        </ReportBody>
        {answer?.data.length === 0 && <p class="help">No event in these days begins so.</p>}
        {may('analyst') && (
          <button type="button" class="link" onClick={() => setPlanning(true)}>
            Plan an event
          </button>
        )}
        {isPlanning && <DescriptionForm onClose={() => setPlanning(false)} />}
      </Card>
      <Properties question={question} keys={keys} onChoose={(chosen) => ask({property: chosen})} />
      {property !== null && <Values question={question} keys={keys} property={property} />}
    </>
  );
}

function Properties({
  question,
  keys,
  onChoose,
}: {
  readonly question: NamesQuestion;
  readonly keys: Keys;
  readonly onChoose: (property: string) => void;
}) {
  const {of, event, property} = question;
  const asking = useReports(undefined, [keysQuestion(keys, listedMax)]);
  const report = asking.shown?.reports[0];
  const answer = report?.value as PropertiesAnswer | TraitsAnswer | undefined;
  const rows = (answer?.data ?? []).map((one) => ({...one, name: 'trait' in one ? one.trait : one.property}));
  const ofUsers = of === 'users';
  return (
    <Card
      span={4}
      title={ofUsers ? 'Traits of users' : `Properties of ${event ?? 'any event'}`}
      note={answer && `${count(rows.length)}${answer.has_more ? ' and more' : ''}`}
      tools={
        report && (
          <ListTools
            file="properties"
            trend={ofUsers ? undefined : trendOf(question)}
            path={report.path}
            rows={() => [
              ['name', 'share', 'types'],
              ...rows.map(({name, share, types}) => [name, share, Object.keys(types).join(' ')]),
            ]}
          />
        )
      }
    >
      {!ofUsers && event !== null && <AboutName key={event} event={event} />}
      <ReportBody asking={asking} reports={asking.shown?.reports ?? []}>
        {() =>
          rows.length === 0 ? (
            <Empty title={ofUsers ? 'No user has a trait' : 'No property'}>
              {ofUsers ? 'A call of identify sets traits.' : 'Events of these days carry no properties.'}
            </Empty>
          ) : (
            <List
              label="Properties"
              heads={[ofUsers ? 'Trait' : 'Property', ofUsers ? 'Of users' : 'Of events', 'Types']}
              look={rows.some(({types}) => Object.keys(types).length > 1) ? 'names-mixed' : ''}
            >
              {rows.map(({name, share, types}) => (
                <Row key={name} name={name} share={share} isChosen={name === property} onChoose={() => onChoose(name)}>
                  <td class="number">{percent(share)}</td>
                  <td class="number faint names-types">{Object.keys(types).join(', ')}</td>
                </Row>
              ))}
            </List>
          )
        }
      </ReportBody>
    </Card>
  );
}

function Values({
  question,
  keys,
  property,
}: {
  readonly question: NamesQuestion;
  readonly keys: Keys;
  readonly property: string;
}) {
  const {of} = question;
  const asking = useReports(undefined, [valuesQuestion(keys, property, listedMax)]);
  const report = asking.shown?.reports[0];
  const answer = report?.value as ValuesAnswer | undefined;
  const rows = answer?.data ?? [];
  const most = rows[0]?.count ?? 1;
  const ofUsers = of === 'users';
  return (
    <Card
      span={4}
      title={`Values of ${property}`}
      note={answer && `${count(answer.distinct)} different`}
      tools={
        report && (
          <ListTools
            file="values"
            trend={trendOf(question, {breakdown: breakdownBy(ofUsers ? `trait:${property}` : property)})}
            path={report.path}
            rows={() => [['value', 'count'], ...rows.map((one) => [rowText(one), one.count])]}
          />
        )
      }
    >
      <ReportBody asking={asking} reports={asking.shown?.reports ?? []}>
        {() => (
          <List label="Values" heads={['Value', ofUsers ? 'Users' : 'Events']}>
            {rows.map((one) => {
              const condition = conditionOf(property, one);
              const where = condition && [writeCondition(condition)];
              const trend = where && trendOf(question, ofUsers ? {users: {where}} : {where});
              return (
                <Row key={rowText(one)} name={rowText(one)} share={one.count / most} address={trend}>
                  <td class="number">{count(one.count)}</td>
                </Row>
              );
            })}
          </List>
        )}
      </ReportBody>
      {answer?.has_more && <p class="help">The {count(rows.length)} most frequent ones.</p>}
    </Card>
  );
}

type Value = ValuesAnswer['data'][number];
/** Undefined: no condition says it. */
function conditionOf(property: string, {value, kind}: Value): Condition | undefined {
  if (kind === 'missing') return {property, op: 'unset', values: []};
  if (kind === 'null') return {property, op: 'null', values: []};
  return kind === undefined && value !== '' ? {property, op: 'eq', values: [value!]} : undefined;
}

/** `where`: of the event. */
const trendOf = (
  {event, range, zone, not_segment}: NamesQuestion,
  {where, ...asked}: Partial<Draft<'counts'>> & {readonly where?: string[]} = {},
): string =>
  pageAddress(
    questionAddress<'counts'>(
      '/trends',
      {events: [{event: event ?? undefined, where}], ...asked},
      {range, zone: zone ?? homeZone(), not_segment},
    ),
  );

function ListTools({
  file,
  path,
  trend,
  rows,
}: {
  readonly file: string;
  readonly path: string;
  /** Address of the trend that the list is of. */
  readonly trend?: string | undefined;
  readonly rows: () => readonly (readonly Cell[])[];
}) {
  return (
    <>
      <ReportTools paths={[path]} csv={{file, rows}} />
      {trend !== undefined && (
        <a class="quiet" href={trend} title="Show the trend" aria-label="Show the trend">
          <Icon name="trends" />
        </a>
      )}
    </>
  );
}

function List({
  label,
  heads,
  look = '',
  children,
}: {
  readonly label: string;
  readonly heads: readonly string[];
  /** More classes. */
  readonly look?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <TableFrame label={`${label} in a table`}>
      <table class={`grid-table names-table ${look}`}>
        <thead>
          <tr>
            {heads.map((head, at) => (
              <th key={head} class={at === 0 ? '' : 'number'}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </TableFrame>
  );
}

function Row({
  name,
  share = 0,
  isChosen,
  onChoose,
  address,
  children,
}: {
  readonly name: string;
  /** Length of its bar. */
  readonly share?: number;
  /** Undefined: it leads elsewhere, if anywhere. */
  readonly isChosen?: boolean;
  readonly onChoose?: () => void;
  readonly address?: string | undefined;
  readonly children?: ComponentChildren;
}) {
  const look = {class: 'bar-cell', title: name, style: {'--share': `${(100 * share).toFixed(1)}%`}};
  return (
    <tr class={isChosen ? 'names-chosen' : ''}>
      <td class="name" colSpan={children === undefined ? 3 : 1}>
        {onChoose !== undefined ? (
          <button type="button" {...look} aria-pressed={isChosen} onClick={onChoose}>
            <span>{name}</span>
          </button>
        ) : address !== undefined ? (
          <a {...look} href={address}>
            <span>{name}</span>
          </a>
        ) : (
          <span {...look}>
            <span>{name}</span>
          </span>
        )}
      </td>
      {children}
    </tr>
  );
}

// Paths: what users do after an event, or before it, step by step.

import {useState} from 'preact/hooks';
import type {PathsAnswer} from '../../../../src/edge/answers/engagement.js';
import {type PathsQuestion, pathsForm, pathsPath} from '../../address/engagement-address';
import {daysOf} from '../../address/range';
import type {Span} from '../../address/report-address';
import {useAddress} from '../../address/use-address';
import {count, datesText, percent} from '../../charts/format';
import {flowOf, type PathPlace, pathColumns, pathCsv} from '../../charts/path-columns';
import {UserConditions} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {EventPicker} from '../../controls/event-picker';
import {Field, Options} from '../../controls/options';
import {useSuggestedEvent} from '../../controls/suggested-event';
import {ZoneField} from '../../controls/zone-field';
import type {PathNumber} from '../../explained/path';
import {type Shown, useReports} from '../../service/reports';
import {Card} from '../../shell/card';
import {type Behind, Explained} from '../../shell/explained';
import {CsvButton, CurlButton} from '../../shell/page-tools';
import {Question} from '../../shell/question';
import {ReportBody} from '../../shell/report-body';
import {ReportHead} from '../../shell/report-head';
import {Empty, FaultBox, Loading} from '../../shell/states';
import {todayIn} from '../../shell/zone-day';
import '../../design/reports.css';
import '../trends/trends.css';
import './paths.css';

export function Paths() {
  const {question, problems, ask} = useAddress(pathsForm);
  const place = {zone: question.zone, today: todayIn(question.zone)};
  const days = {...daysOf(question.range, place.today), zone: question.zone};
  const {event, direction} = question;
  const suggesting = useSuggestedEvent(event !== null, days, (name) => ask({event: name}, true));
  const asking = useReports<Asked>(
    {question, days, dates: datesText(days, place.today)},
    event === null ? undefined : [pathsPath(question, event, days)],
  );
  const {shown} = asking;
  const report = shown?.reports[0];
  const answer = report?.value as PathsAnswer | undefined;
  const total = answer?.steps[0]?.[0]?.users ?? 0;
  return (
    <>
      <ReportHead
        title="Paths"
        freshness={shown?.freshness}
        problems={problems}
        range={question.range}
        place={place}
        ask={({range}) => ask({...(range && {range})})}
      />
      <div class="builder">
        <Question>
          <section class="card builder-form" aria-label="What is asked">
            <header>
              <h2>Question</h2>
            </header>
            <div class="builder-rows">
              <Options
                label="What users do"
                value={direction}
                options={[
                  ['after', 'After they did it for the first time'],
                  ['before', 'Before they did it for the last time'],
                ]}
                onChoose={(chosen) => ask({direction: chosen})}
              />
              <Field label="The event">
                <EventPicker
                  key={event}
                  label="Event"
                  name={event ?? undefined}
                  days={days}
                  onChoose={(name) => ask({event: name})}
                />
              </Field>
              <Field label="Events on paths">
                <ConditionList
                  conditions={question.where}
                  keys={{of: 'events', event: undefined, days}}
                  of="of the events"
                  add="+ filter"
                  onChange={(chosen) => ask({where: chosen})}
                />
              </Field>
              <UserConditions conditions={question.user_where} onChange={(chosen) => ask({user_where: chosen})} />
              <ZoneField zone={question.zone} onChoose={(zone) => ask({zone})} />
              <Options
                label="Steps"
                value={String(question.depth)}
                options={['2', '3', '4', '5', '6'].map((one) => [one, one] as const)}
                onChoose={(depth) => ask({depth: Number(depth)})}
              />
              <Options
                label="Ways shown of each step"
                value={String(question.top)}
                options={topsWith(question.top).map((one) => [String(one), `The ${one} most frequent`] as const)}
                onChoose={(top) => ask({top: Number(top)})}
              />
            </div>
          </section>
        </Question>
        <div class="row builder-result">
          <Card
            span={12}
            title="Ways"
            note={`one path a user, ${datesText(days, place.today)}, ${question.zone}`}
            sum={
              answer !== undefined && (
                <>
                  <b>
                    <Explained
                      text={count(total)}
                      of="users"
                      behind={placeOf(shown!, {users: total, total, step: 1, name: shown!.question.question.event!})}
                    />
                  </b>{' '}
                  users
                </>
              )
            }
            tools={
              answer !== undefined && (
                <>
                  <CurlButton paths={[report!.path]} />
                  <CsvButton file="paths" rows={() => pathCsv(answer)} />
                </>
              )
            }
          >
            {suggesting.fault !== undefined ? (
              <FaultBox fault={suggesting.fault} onAgain={suggesting.again} />
            ) : suggesting.isNone ? (
              <Empty title="No event in these days">Choose other days, or send the first event.</Empty>
            ) : event === null ? (
              <Loading lines={8} />
            ) : (
              <ReportBody asking={asking} reports={shown?.reports ?? []} lines={8}>
                {() => <Columns key={report!.path} answer={answer!} shown={shown!} />}
              </ReportBody>
            )}
          </Card>
        </div>
      </div>
    </>
  );
}

const tops = [5, 8, 15, 30, 50];
const topsWith = (top: number): number[] => (tops.includes(top) ? tops : [...tops, top].sort((a, b) => a - b));

interface Chosen {
  readonly step: number;
  readonly key: string;
}

interface Asked {
  readonly question: PathsQuestion;
  readonly days: Span;
  /** The days in words. */
  readonly dates: string;
}

/** Explanation of the users of a place. */
const placeOf =
  (
    {question: {question, days, dates}, freshness}: Shown<Asked>,
    place: Pick<PathNumber, 'users' | 'total' | 'step' | 'name'>,
  ): Behind =>
  ({pathBehind}) => {
    return pathBehind({...place, question, event: question.event!, days, when: dates, freshness});
  };

function Columns({answer, shown: asked}: {readonly answer: PathsAnswer; readonly shown: Shown<Asked>}) {
  const {question} = asked.question;
  const [chosen, setChosen] = useState<Chosen>();
  const isBefore = question.direction === 'before';
  const columns = pathColumns(answer);
  const total = columns[0]?.[0]?.users ?? 0;
  if (total === 0)
    return <Empty title={`Nobody did ${question.event} in these days`}>Choose other days, or another event.</Empty>;
  const flow = chosen === undefined ? undefined : flowOf(answer, chosen.step, chosen.key);
  const shown = columns.map((places, at) => {
    const step = at + 1;
    if (chosen === undefined || flow === undefined || step === chosen.step) return {step, places, all: undefined};
    if (step !== chosen.step + 1 && step !== chosen.step - 1) return {step, places, all: undefined};
    const [users, other] = step > chosen.step ? [flow.next, flow.nextElse] : [flow.before, flow.beforeElse];
    return {step, places: places.map((place) => ({...place, users: users.get(place.key) ?? 0})), all: other};
  });
  return (
    <>
      <ol class={isBefore ? 'path-columns before' : 'path-columns'} style={{'--steps': columns.length}}>
        {shown.map(({step, places, all}) => (
          <li key={step}>
            <h3>{stepName(step, isBefore)}</h3>
            <ul>
              {places.map((place) => (
                <Place
                  key={place.key}
                  place={place}
                  total={total}
                  isChosen={chosen?.step === step && chosen.key === place.key}
                  isFaint={all !== undefined && place.users === 0}
                  isBefore={isBefore}
                  onChoose={() =>
                    setChosen(chosen?.step === step && chosen.key === place.key ? undefined : {step, key: place.key})
                  }
                />
              ))}
              {all !== undefined && all > 0 && (
                <li class="path-else">
                  <span>by ways not shown</span>
                  <span class="number">{count(all)}</span>
                </li>
              )}
            </ul>
          </li>
        ))}
      </ol>
      {chosen !== undefined && <ChosenPlace chosen={chosen} columns={columns} total={total} shown={asked} />}
      <p class="page-note under-chart">
        {isBefore
          ? `Each user has one path: it goes back from their last ${question.event} in these days.`
          : `Each user has one path: it begins with their first ${question.event} in these days.`}{' '}
        Sessions play no part. Press an event to see where its users {isBefore ? 'came from' : 'went'}; shares are of
        the {count(total)} users.
      </p>
    </>
  );
}

function stepName(step: number, isBefore: boolean): string {
  if (step === 1) return isBefore ? 'They did' : 'They began with';
  const away = step - 1;
  if (isBefore) return away === 1 ? 'Just before' : `${away} steps before`;
  return away === 1 ? 'Then' : `${away} steps later`;
}

/** The place that was pressed, in a sentence whose number is explained. */
function ChosenPlace({
  chosen: {step, key},
  columns,
  total,
  shown,
}: {
  readonly chosen: Chosen;
  readonly columns: readonly (readonly PathPlace[])[];
  readonly total: number;
  readonly shown: Shown<Asked>;
}) {
  const place = columns[step - 1]?.find((one) => one.key === key);
  if (place === undefined) return null;
  const isBefore = shown.question.question.direction === 'before';
  const name = nameOf(place, isBefore);
  const {users} = place;
  return (
    <p class="page-note under-chart">
      <Explained
        text={count(users)}
        of={`${name} at step ${step}`}
        behind={placeOf(shown, {users, total, step, name})}
      />{' '}
      of {count(total)} users: {name} at step {step}.
    </p>
  );
}

const nameOf = ({event, kind}: PathPlace, isBefore: boolean): string =>
  event ?? kindNames[isBefore ? 'before' : 'after'][kind!];

const kindNames = {
  after: {other: 'Other events', end: 'Nothing more'},
  before: {other: 'Other events', end: 'Nothing before'},
} as const;

function Place({
  place,
  total,
  isChosen,
  isFaint,
  isBefore,
  onChoose,
}: {
  readonly place: PathPlace;
  readonly total: number;
  readonly isChosen: boolean;
  readonly isFaint: boolean;
  readonly isBefore: boolean;
  readonly onChoose: () => void;
}) {
  const {kind, users} = place;
  const name = nameOf(place, isBefore);
  const figures = (
    <>
      <span class="name">{name}</span>
      <span class="number">{count(users)}</span>
      <span class="number share">{percent(users / total)}</span>
    </>
  );
  const look = `path-place ${kind === undefined ? '' : 'kind'} ${isFaint ? 'none' : ''}`;
  return (
    <li style={{'--share': `${((100 * users) / total).toFixed(1)}%`}}>
      {kind === 'other' ? (
        <div class={look}>{figures}</div>
      ) : (
        <button type="button" class={look} aria-pressed={isChosen} title={name} onClick={onChoose}>
          {figures}
        </button>
      )}
    </li>
  );
}

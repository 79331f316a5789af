// The steps of paths as columns: an event that is pressed shows where its users went, or came from.

import {useState} from 'preact/hooks';
import type {PathsAnswer} from '../../../../src/edge/answers/engagement.js';
import type {Draft} from '../../address/page-question';
import type {Span} from '../../address/report-address';
import {count, percent} from '../../charts/format';
import {flowOf, type PathPlace, pathColumns} from '../../charts/path-columns';
import type {Shown} from '../../service/reports';
import {type Behind, Explained} from '../../shell/explained';
import {Empty} from '../../shell/states';
import {type PathNumber, pathBehind, turnOf} from './behind';
import './paths.css';

export interface PathsAsked {
  readonly question: Draft<'paths'>;
  readonly days: Span;
  /** The days in words. */
  readonly dates: string;
}

interface Chosen {
  readonly step: number;
  readonly key: string;
}

/** Explanation of the users of a place. */
export const placeOf =
  (
    {question: {question, days, dates}, freshness}: Shown<PathsAsked>,
    place: Pick<PathNumber, 'users' | 'total' | 'step' | 'name' | 'kind'>,
  ): Behind =>
  () =>
    pathBehind({...place, question, days, when: dates, freshness});

export function Columns({answer, shown: asked}: {readonly answer: PathsAnswer; readonly shown: Shown<PathsAsked>}) {
  const {event, isBefore} = turnOf(asked.question.question);
  const [chosen, setChosen] = useState<Chosen>();
  const columns = pathColumns(answer);
  const total = columns[0]?.[0]?.users ?? 0;
  if (total === 0)
    return <Empty title={`Nobody did ${event} in these days`}>Choose other days, or another event.</Empty>;
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
                  <span>by paths that are not shown</span>
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
          ? `Each user has one path: it goes back from their last ${event} in these days.`
          : `Each user has one path: it begins with their first ${event} in these days.`}{' '}
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
  readonly shown: Shown<PathsAsked>;
}) {
  const place = columns[step - 1]?.find((one) => one.key === key);
  if (place === undefined) return null;
  const {isBefore} = turnOf(shown.question.question);
  const name = nameOf(place, isBefore);
  const {users} = place;
  return (
    <p class="page-note under-chart">
      <Explained
        text={count(users)}
        of={`${name} at step ${step}`}
        behind={placeOf(shown, {users, total, step, name, kind: place.kind})}
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

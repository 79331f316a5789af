// The series that Trends shows: a row each, with its event, what is shown of it, and the conditions that its events meet.
import {useState} from 'preact/hooks';
import {isOfNumbers, labelAt, type Measure, measures, coloursMax as seriesMax} from '../../../../src/asks/address.js';
import {conditionsOf, membersOf} from '../../address/page-question';
import type {Days} from '../../address/range';
import type {Keys} from '../../address/report-address';
import {ConditionList} from '../../controls/condition-list';
import {EventPicker} from '../../controls/event-picker';
import {PropertyPicker} from '../../controls/property-picker';
import {Icon} from '../../shell/icon';
import {eventText, measureOf, type Series} from './series';

const measureNames: Readonly<Record<Measure, string>> = {
  total: 'Total',
  users: 'Distinct users',
  sum: 'Sum of a property',
  avg: 'Average of a property',
  min: 'Smallest of a property',
  max: 'Largest of a property',
  p50: 'Median of a property',
  p90: '90th percentile of a property',
  p95: '95th percentile of a property',
  p99: '99th percentile of a property',
};

export function SeriesForm({
  series,
  days,
  hasLetters,
  onChange,
}: {
  readonly series: readonly Series[];
  readonly days: Days;
  /** Formulas name the events by letters. */
  readonly hasLetters: boolean;
  readonly onChange: (series: Series[]) => void;
}) {
  const [isAdding, setAdding] = useState(false);
  const hasNew = isAdding || series.length === 0;
  const put = (at: number, changed: Partial<Series>): void =>
    onChange(series.map((one, index) => (index === at ? {...one, ...changed} : one)));
  const add = (event?: string): void => {
    setAdding(false);
    onChange([...series, {event}]);
  };
  return (
    <section class="card builder-form" aria-label="Events to show">
      <header>
        <h2>Events</h2>
        <span class="note">
          {series.length} of {seriesMax}
        </span>
      </header>
      <ol class="builder-rows">
        {series.map((one, at) => {
          const keys: Keys = {of: 'events', event: one.event, days};
          return (
            <li key={at} class={`tone-${at + 1}`}>
              <div class="builder-row">
                <span class="swatch" aria-hidden="true" />
                {hasLetters && <b>{labelAt(at)}</b>}
                {one.event === undefined ? (
                  <span class="any-event">Any event</span>
                ) : (
                  <EventPicker
                    label={`Event ${at + 1}`}
                    name={one.event}
                    days={days}
                    onChoose={(name) => put(at, {event: name})}
                  />
                )}
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Remove ${eventText(one.event)}`}
                  title="Remove"
                  onClick={() => onChange(series.filter((_, index) => index !== at))}
                >
                  <Icon name="Close" />
                </button>
              </div>
              <div class="builder-more">
                <MeasureFields at={at} series={one} keys={keys} onChange={(measure) => put(at, {measure})} />
                <ConditionList
                  conditions={conditionsOf(one.where)}
                  keys={keys}
                  of={`of event ${at + 1}`}
                  onChange={(where) => put(at, {where: membersOf(where)})}
                />
              </div>
            </li>
          );
        })}
        {hasNew && series.length < seriesMax && (
          <li class={`tone-${series.length + 1}`}>
            <div class="builder-row">
              <span class="swatch" aria-hidden="true" />
              <EventPicker
                key={series.length}
                label={`Event ${series.length + 1}`}
                name={undefined}
                days={days}
                isFirstFocus={isAdding}
                onChoose={add}
              />
              {isAdding && (
                <button type="button" class="quiet" aria-label="Add no event" onClick={() => setAdding(false)}>
                  <Icon name="Close" />
                </button>
              )}
            </div>
          </li>
        )}
      </ol>
      {series.length < seriesMax && (
        <div class="builder-adds">
          {!hasNew && (
            <button type="button" class="button" onClick={() => setAdding(true)}>
              <Icon name="Plus" />
              Event
            </button>
          )}
          <button type="button" class="button" onClick={() => add()}>
            <Icon name="Plus" />
            Any event
          </button>
        </div>
      )}
    </section>
  );
}

/** A measure of numbers waits here for its property. */
function MeasureFields({
  at,
  series,
  keys,
  onChange,
}: {
  readonly at: number;
  readonly series: Series;
  readonly keys: Keys;
  readonly onChange: (measure: Series['measure']) => void;
}) {
  const [waiting, setWaiting] = useState<Measure>();
  const measure = waiting ?? measureOf(series);
  const property = series.measure?.property;
  return (
    <>
      <select
        aria-label={`Shown of event ${at + 1}`}
        value={measure}
        onChange={({currentTarget}) => {
          const chosen = currentTarget.value as Measure;
          if (isOfNumbers(chosen) && property === undefined) setWaiting(chosen);
          else {
            setWaiting(undefined);
            onChange({of: chosen, property: isOfNumbers(chosen) ? property : undefined});
          }
        }}
      >
        {measures.map((one) => (
          <option key={one} value={one}>
            {measureNames[one]}
          </option>
        ))}
      </select>
      {isOfNumbers(measure) && (
        <PropertyPicker
          label={`Measured property of event ${at + 1}`}
          keys={keys}
          isNumber
          value={property}
          isFirstFocus={waiting !== undefined}
          onChoose={(chosen) => {
            setWaiting(undefined);
            onChange({of: measure, property: chosen});
          }}
        />
      )}
    </>
  );
}

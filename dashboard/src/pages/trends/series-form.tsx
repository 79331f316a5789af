// The series that Trends shows: a row each, with its event, what is shown of it, and the conditions that its events meet.
import {useState} from 'preact/hooks';
import type {Keys} from '../../address/list-paths';
import type {Days} from '../../address/range';
import {seriesMax} from '../../address/report-address';
import {type AskedSeries, counted} from '../../address/trends-address';
import {ConditionList} from '../../controls/condition-list';
import {EventPicker} from '../../controls/event-picker';
import {Icon} from '../../shell/icon';

export function SeriesForm({
  series,
  days,
  onChange,
}: {
  readonly series: readonly AskedSeries[];
  readonly days: Days;
  readonly onChange: (series: readonly AskedSeries[]) => void;
}) {
  const [isAdding, setAdding] = useState(false);
  const hasNew = isAdding || series.length === 0;
  const put = (at: number, changed: Partial<AskedSeries>): void =>
    onChange(series.map((one, index) => (index === at ? {...one, ...changed} : one)));
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
                <EventPicker
                  label={`Event ${at + 1}`}
                  name={one.event}
                  days={days}
                  onChoose={(name) => put(at, {event: name})}
                />
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Remove ${one.event}`}
                  title="Remove"
                  onClick={() => onChange(series.filter((_, index) => index !== at))}
                >
                  <Icon name="close" />
                </button>
              </div>
              <div class="builder-more">
                <ConditionList
                  conditions={one.where}
                  keys={keys}
                  of={`of event ${at + 1}`}
                  add="Filter"
                  onChange={(where) => put(at, {where})}
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
                onChoose={(event) => {
                  setAdding(false);
                  onChange([...series, {event, ...counted, where: []}]);
                }}
              />
              {isAdding && (
                <button type="button" class="quiet" aria-label="Add no event" onClick={() => setAdding(false)}>
                  <Icon name="close" />
                </button>
              )}
            </div>
          </li>
        )}
      </ol>
      {!hasNew && series.length < seriesMax && (
        <button type="button" class="button builder-add" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          Event
        </button>
      )}
    </section>
  );
}

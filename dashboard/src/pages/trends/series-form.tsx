// The events that Trends shows: a row each, with its name and perhaps a property that it must have.
import {useState} from 'preact/hooks';
import type {Days} from '../../address/range';
import {type AskedSeries, isFilter, seriesMax} from '../../address/report-address';
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
        {series.map(({event, filter}, at) => (
          <li key={`${at}/${event}`} class={`tone-${at + 1}`}>
            <div class="builder-row">
              <span class="swatch" aria-hidden="true" />
              <EventPicker
                label={`Event ${at + 1}`}
                name={event}
                days={days}
                onChoose={(name) => put(at, {event: name})}
              />
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${event}`}
                title="Remove"
                onClick={() => onChange(series.filter((_, index) => index !== at))}
              >
                <Icon name="close" />
              </button>
            </div>
            <FilterField at={at} filter={filter} onChange={(changed) => put(at, {filter: changed})} />
          </li>
        ))}
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
                  onChange([...series, {event, filter: null}]);
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

function FilterField({
  at,
  filter,
  onChange,
}: {
  readonly at: number;
  readonly filter: string | null;
  readonly onChange: (filter: string | null) => void;
}) {
  const [isOpen, setOpen] = useState(filter !== null);
  const [text, setText] = useState(filter ?? '');
  if (!isOpen) {
    return (
      <button type="button" class="link builder-filter" onClick={() => setOpen(true)}>
        Only with a property
      </button>
    );
  }
  const isWrong = text !== '' && !isFilter(text);
  const take = (): void => {
    if (isWrong) return;
    const taken = text === '' ? null : text;
    if (taken === null) setOpen(false);
    if (taken !== filter) onChange(taken);
  };
  return (
    <form
      class="builder-filter"
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
    >
      <input
        aria-label={`Property of event ${at + 1}, as property=value`}
        placeholder="plan=pro"
        autocomplete="off"
        spellcheck={false}
        value={text}
        aria-invalid={isWrong}
        onInput={({currentTarget}) => setText(currentTarget.value)}
        onBlur={take}
      />
      {isWrong && <p class="help">Write it as property=value; a dot leads into nested ones.</p>}
    </form>
  );
}

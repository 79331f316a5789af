// What all series of Trends have in common: whose events they are, by what they are broken down, and in which zone they count.
import type {Condition} from '../../address/conditions';
import type {Days, Interval} from '../../address/range';
import type {TrendsQuestion} from '../../address/trends-address';
import {ConditionList} from '../../controls/condition-list';
import {Field, Options} from '../../controls/options';
import {BreakdownPicker} from '../../controls/property-picker';
import type {ZonePickerProps} from '../../controls/zone-picker';
import {Icon} from '../../shell/icon';
import {later} from '../../shell/later';

const ZonePicker = later<ZonePickerProps>(() =>
  import('../../controls/zone-picker').then(({ZonePicker: Part}) => Part),
);

type Common = Pick<TrendsQuestion, 'user_where' | 'by' | 'zone' | 'weeks'>;

export function CommonForm({
  common,
  event,
  days,
  interval,
  onChange,
}: {
  readonly common: Common;
  /** The event whose properties are listed; undefined: those of all events. */
  readonly event: string | undefined;
  readonly days: Days;
  readonly interval: Interval;
  readonly onChange: (changed: Partial<Common>) => void;
}) {
  const {by} = common;
  return (
    <section class="card builder-form" aria-label="All events">
      <header>
        <h2>All of them</h2>
      </header>
      <div class="builder-fields">
        <UserConditions conditions={common.user_where} onChange={(user_where) => onChange({user_where})} />
        <ByField by={by} event={event} days={days} onChange={(chosen) => onChange({by: chosen})} />
        <Field label="Time zone">
          <ZonePicker zone={common.zone} onChoose={(zone) => onChange({zone})} />
        </Field>
        {interval === 'week' && (
          <Options
            label="Weeks begin on"
            value={common.weeks ?? 'monday'}
            options={[
              ['monday', 'Monday'],
              ['sunday', 'Sunday'],
            ]}
            onChoose={(day) => onChange({weeks: day === 'sunday' ? day : null})}
          />
        )}
      </div>
    </section>
  );
}

export function UserConditions({
  conditions,
  onChange,
}: {
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}) {
  return (
    <Field label="Of users whose trait">
      <ConditionList
        conditions={conditions}
        keys={{of: 'users'}}
        of="of the users"
        add={conditions.length === 0 ? 'Everybody counts: add a filter' : 'Filter'}
        onChange={onChange}
      />
    </Field>
  );
}

export function ByField({
  by,
  event,
  days,
  onChange,
}: {
  readonly by: string | null;
  readonly event: string | undefined;
  readonly days: Days;
  readonly onChange: (by: string | null) => void;
}) {
  return (
    <Field label="Broken down by">
      <div class="builder-row">
        <BreakdownPicker
          label="Broken down by"
          keys={{of: 'events', event, days}}
          value={by ?? undefined}
          onChoose={onChange}
        />
        {by !== null && (
          <button
            type="button"
            class="quiet"
            title="Remove"
            aria-label="Not broken down"
            onClick={() => onChange(null)}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
    </Field>
  );
}

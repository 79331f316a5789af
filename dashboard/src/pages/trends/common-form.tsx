// What all series of Trends have in common: whose events they are, by what they are broken down, and in which zone they count.
import type {Days, Interval} from '../../address/range';
import type {TrendsQuestion} from '../../address/trends-address';
import {ByField, UserConditions} from '../../controls/common-fields';
import {Field, Options} from '../../controls/options';
import type {ZonePickerProps} from '../../controls/zone-picker';
import {later} from '../../shell/later';

const ZonePicker = later<ZonePickerProps>(() =>
  import('../../controls/zone-picker').then(({ZonePicker: Part}) => Part),
);

type Common = Pick<TrendsQuestion, 'user_where' | 'by' | 'zone' | 'weeks'>;

export interface CommonFormProps {
  readonly common: Common;
  /** The event whose properties are listed; undefined: those of all events. */
  readonly event: string | undefined;
  readonly days: Days;
  readonly interval: Interval;
  readonly onChange: (changed: Partial<Common>) => void;
}

export function CommonForm({common, event, days, interval, onChange}: CommonFormProps) {
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

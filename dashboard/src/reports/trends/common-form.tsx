// Form of what all series of Trends share: the users, the breakdown, the zone.
import type {Days, Interval} from '../../address/range';
import type {TrendsQuestion} from '../../address/trends-address';
import {ByField, UserConditions} from '../../controls/common-fields';
import {Field, Options} from '../../controls/options';
import type {ZonePickerProps} from '../../controls/zone-picker';
import {later} from '../../shell/later';

const ZonePicker = later<ZonePickerProps>(() =>
  import('../../controls/zone-picker').then(({ZonePicker: Part}) => Part),
);

type Common = Pick<TrendsQuestion, 'user_where' | 'by' | 'zone' | 'weeks' | 'divide'>;

export interface CommonFormProps {
  readonly common: Common;
  /** The series in words, in their order. */
  readonly labels: readonly string[];
  /** The event whose properties are listed; undefined: those of all events. */
  readonly event: string | undefined;
  readonly days: Days;
  readonly interval: Interval;
  readonly onChange: (changed: Partial<Common>) => void;
}

export function CommonForm({common, labels, event, days, interval, onChange}: CommonFormProps) {
  const {by} = common;
  return (
    <section class="card builder-form" aria-label="All events">
      <header>
        <h2>For all of them</h2>
      </header>
      <div class="builder-fields">
        <UserConditions conditions={common.user_where} onChange={(user_where) => onChange({user_where})} />
        <ByField by={by} event={event} days={days} onChange={(chosen) => onChange({by: chosen})} />
        {labels.length > 1 && (
          <Options
            label="Divide by"
            value={common.divide === null || common.divide > labels.length ? '' : String(common.divide)}
            options={[['', 'nothing'], ...labels.map((label, at) => [String(at + 1), label] as const)]}
            onChoose={(number) => onChange({divide: number === '' ? null : Number(number)})}
          />
        )}
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

// The fields of Trends: the series, and what all of them share: the users, the breakdown, the zone.
import {intervalOf} from '../../address/report-address';
import {labelsOf, seriesOf, type TrendsQuestion, withSeries} from '../../address/trends-address';
import {ByField, UsersField} from '../../controls/common-fields';
import {Options} from '../../controls/options';
import {ZoneField} from '../../controls/zone-field';
import type {FieldsProps} from '../report';
import {SeriesForm} from './series-form';

export function Fields({question, days, onChange}: FieldsProps<TrendsQuestion>) {
  const {divide} = question;
  const series = seriesOf(question);
  const labels = labelsOf(series);
  return (
    <>
      <SeriesForm
        series={series}
        days={days}
        // The others have other numbers once one is gone.
        onChange={(changed) =>
          onChange({...withSeries(changed), ...(changed.length < series.length && {divide: null})})
        }
      />
      <section class="card builder-form" aria-label="All events">
        <header>
          <h2>For all of them</h2>
        </header>
        <div class="builder-fields">
          <UsersField question={question} onChange={onChange} />
          <ByField
            by={question.by}
            event={series.length === 1 ? (series[0]!.event ?? undefined) : undefined}
            days={days}
            onChange={(by) => onChange({by})}
          />
          {labels.length > 1 && (
            <Options
              label="Divide by"
              value={divide === null || divide > labels.length ? '' : String(divide)}
              options={[['', 'nothing'], ...labels.map((label, at) => [String(at + 1), label] as const)]}
              onChoose={(number) => onChange({divide: number === '' ? null : Number(number)})}
            />
          )}
          <ZoneField zone={question.zone} onChoose={(zone) => onChange({zone})} />
          {intervalOf(question.every, days) === 'week' && (
            <Options
              label="Weeks begin on"
              value={question.weeks ?? 'monday'}
              options={[
                ['monday', 'Monday'],
                ['sunday', 'Sunday'],
              ]}
              onChoose={(day) => onChange({weeks: day === 'sunday' ? day : null})}
            />
          )}
        </div>
      </section>
    </>
  );
}

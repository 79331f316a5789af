// The fields of Trends: the series, and what all of them share: the users, the breakdown, the zone.
import {breakdownsMax} from '../../../../actors/limits.js';
import {breakdownsBy, bysOf, conditionsOf, membersOf, ofUsers, usersWith} from '../../address/page-question';
import {intervalOf} from '../../address/report-address';
import {homeZone} from '../../address/zone';
import {ByField, UsersField} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {Field, Options} from '../../controls/options';
import {ZoneField} from '../../controls/zone-field';
import type {FieldsProps} from '../report';
import {FormulaForm} from './formula-form';
import {canLook, lookOf, looks} from './look';
import {fittingFormulas, type Series, type TrendsDraft} from './series';
import {SeriesForm} from './series-form';

export function Fields({question, days, onChange}: FieldsProps<TrendsDraft>) {
  const {events: series = [], formulas = [], where, users, interval} = question;
  const put = (events: Series[]): void => onChange({events, formulas: fittingFormulas(formulas, series, events)});
  return (
    <>
      <SeriesForm series={series} days={days} hasLetters={formulas.length > 0} onChange={put} />
      {series.length > 0 && (
        <FormulaForm formulas={formulas} events={series.length} onChange={(changed) => onChange({formulas: changed})} />
      )}
      <section class="card builder-form" aria-label="All events">
        <header>
          <h2>Applies to all</h2>
        </header>
        <div class="builder-fields">
          <Options
            label="Show as"
            value={lookOf(question)}
            options={looks.filter(([word]) => canLook(question, word))}
            onChoose={(look) => onChange({view: {look: look === 'lines' ? undefined : look}})}
          />
          {where !== undefined && (
            <Field label="Only events that match">
              <ConditionList
                conditions={conditionsOf(where)}
                keys={{of: 'events', event: undefined, days}}
                of="of all events"
                onChange={(chosen) => onChange({where: membersOf(chosen)})}
              />
            </Field>
          )}
          <UsersField
            question={ofUsers(question)}
            onChange={(changed) => onChange({users: usersWith(users, changed)})}
          />
          <ByField
            by={bysOf(question)}
            countMax={breakdownsMax}
            event={series.length === 1 ? series[0]!.event : undefined}
            days={days}
            onChange={(by) => onChange({breakdown: breakdownsBy(by)})}
          />
          <ZoneField zone={question.timezone ?? homeZone()} onChoose={(timezone) => onChange({timezone})} />
          {intervalOf(interval ?? null, days) === 'week' && (
            <Options
              label="Weeks begin on"
              value={question.week_start}
              options={[
                ['monday', 'Monday'],
                ['sunday', 'Sunday'],
              ]}
              onChoose={(day) => onChange({week_start: day})}
            />
          )}
        </div>
      </section>
    </>
  );
}

// The fields of Trends: the series, and what all of them share: the users, the breakdown, the zone.
import {divisorOf, quotients} from '../../../../src/asks/address.js';
import {breakdownBy, byOf, conditionsOf, membersOf, ofUsers, usersWith} from '../../address/page-question';
import {intervalOf} from '../../address/report-address';
import {utc} from '../../address/zone';
import {ByField, UsersField} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {Field, Options} from '../../controls/options';
import {ZoneField} from '../../controls/zone-field';
import type {FieldsProps} from '../report';
import {canLook, lookOf, looks} from './look';
import {labelsOf, type Series, type TrendsDraft} from './series';
import {SeriesForm} from './series-form';

export function Fields({question, days, onChange}: FieldsProps<TrendsDraft>) {
  const {events: series = [], where, users, interval} = question;
  const divisor = divisorOf(question);
  const labels = labelsOf(series);
  const put = (events: Series[]): void => {
    // The others have other numbers once one is gone.
    const isDivided = divisor !== undefined && events.length >= series.length;
    onChange({events, formulas: isDivided ? quotients(divisor, events.length) : []});
  };
  return (
    <>
      <SeriesForm series={series} days={days} onChange={put} />
      <section class="card builder-form" aria-label="All events">
        <header>
          <h2>For all of them</h2>
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
            by={byOf(question)}
            event={series.length === 1 ? series[0]!.event : undefined}
            days={days}
            onChange={(by) => onChange({breakdown: breakdownBy(by)})}
          />
          {labels.length > 1 && (
            <Options
              label="Divide by"
              value={divisor === undefined ? '' : String(divisor)}
              options={[['', 'nothing'], ...labels.map((label, at) => [String(at), label] as const)]}
              onChoose={(at) => onChange({formulas: at === '' ? [] : quotients(Number(at), series.length)})}
            />
          )}
          <ZoneField zone={question.timezone ?? utc} onChoose={(timezone) => onChange({timezone})} />
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

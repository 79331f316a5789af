// The rules of a funnel's paths: window, order, exclusions, whose entries count, and by what it is broken down.
import {useState} from 'preact/hooks';
import {exclusionsMax} from '../../../../actors/limits.js';
import {type Exclusion, fitting} from '../../../../src/asks/address.js';
import {breakdownsBy, bysOf, conditionsOf, membersOf, ofUsers, usersWith} from '../../address/page-question';
import type {Days} from '../../address/range';
import {homeZone} from '../../address/zone';
import {ByField, UsersField} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {EventPicker} from '../../controls/event-picker';
import {Field, Options} from '../../controls/options';
import {PropertyPicker} from '../../controls/property-picker';
import {ZoneField} from '../../controls/zone-field';
import {Icon} from '../../shell/icon';
import type {FieldsProps} from '../report';
import type {FunnelDraft} from './funnel-question';
import {WindowControl} from './window-control';

export function RulesForm({question, days, onChange}: FieldsProps<FunnelDraft>) {
  const {steps, where, users, window, order, in_range: inRange, breakdown, hold} = question;
  const [entry] = breakdown ?? [];
  const first = steps[0]?.event;
  return (
    <section class="card builder-form" aria-label="Rules of the funnel">
      <header>
        <h2>Rules</h2>
      </header>
      <div class="builder-fields">
        <WindowControl window={window} onChange={(changed) => onChange({window: changed})} />
        <Options
          label="Order of the steps"
          value={order ?? 'in order'}
          options={[
            ['in order', 'In this order, others between'],
            ['strict', 'In this order, nothing between'],
            ['any', 'In any order'],
          ]}
          onChoose={(chosen) => onChange({order: chosen === 'in order' ? undefined : chosen})}
        />
        {window !== undefined && (
          <Options
            label="The days apply to"
            value={inRange ?? 'all'}
            options={[
              ['all', 'every step'],
              ['entry', 'the first step alone'],
            ]}
            onChoose={(chosen) => onChange({in_range: chosen === 'all' ? undefined : chosen})}
          />
        )}
        {order === undefined && steps.length > 1 && (
          <Exclusions
            exclusions={fitting(question).exclude ?? []}
            stepCount={steps.length}
            days={days}
            onChange={(exclude) => onChange({exclude})}
          />
        )}
        {where !== undefined && (
          <Field label="Applies to all steps">
            <ConditionList
              conditions={conditionsOf(where)}
              keys={{of: 'events', event: undefined, days}}
              of="of all steps"
              onChange={(chosen) => onChange({where: membersOf(chosen)})}
            />
          </Field>
        )}
        <UsersField question={ofUsers(question)} onChange={(changed) => onChange({users: usersWith(users, changed)})} />
        <ByField
          by={bysOf(question)}
          event={first}
          days={days}
          onChange={(chosen) => onChange({breakdown: breakdownsBy(chosen)})}
        />
        {entry?.property !== undefined && steps.length > 1 && (
          <Options
            label="Its value is taken from"
            value={String(entry.at ?? 1)}
            options={[
              ...steps.map(({event}, at) => [String(at + 1), `step ${at + 1}, ${event}`] as const),
              ['first', 'the first step that has one'] as const,
              ['last', 'the last step that has one'] as const,
            ]}
            onChoose={(chosen) => {
              const at = chosen === 'first' || chosen === 'last' ? chosen : Number(chosen);
              onChange({breakdown: [{...entry, at: at === 1 ? undefined : at}]});
            }}
          />
        )}
        <Field label="Hold property constant">
          <div class="builder-row">
            <PropertyPicker
              label="Property held constant"
              keys={{of: 'events', event: first, days}}
              value={hold}
              onChoose={(chosen) => onChange({hold: chosen})}
            />
            {hold !== undefined && (
              <button
                type="button"
                class="quiet"
                title="Remove"
                aria-label="No property must be the same"
                onClick={() => onChange({hold: undefined})}
              >
                <Icon name="Close" />
              </button>
            )}
          </div>
        </Field>
        <ZoneField zone={question.timezone ?? homeZone()} onChoose={(timezone) => onChange({timezone})} />
      </div>
    </section>
  );
}

function Exclusions({
  exclusions,
  stepCount,
  days,
  onChange,
}: {
  readonly exclusions: readonly Exclusion[];
  readonly stepCount: number;
  readonly days: Days;
  readonly onChange: (exclusions: Exclusion[]) => void;
}) {
  const [isAdding, setAdding] = useState(false);
  const put = (at: number, changed: Partial<Exclusion>): void =>
    onChange(exclusions.map((one, index) => (index === at ? {...one, ...changed} : one)));
  const places = Array.from({length: stepCount - 1}, (_, at) => [at + 1, at + 2] as const);
  return (
    <Field label="Events that must not come between">
      <div class="conditions">
        {exclusions.map(({event, where, between}, at) => (
          <div key={at} class="condition">
            <div class="condition-of">
              <EventPicker
                label={`Excluded event ${at + 1}`}
                name={event}
                days={days}
                onChoose={(name) => put(at, {event: name})}
              />
              <button
                type="button"
                class="quiet"
                title="Remove"
                aria-label={`Do not exclude ${event}`}
                onClick={() => onChange(exclusions.filter((_, index) => index !== at))}
              >
                <Icon name="Close" />
              </button>
            </div>
            {stepCount > 2 && (
              <select
                aria-label={`Where ${event} is excluded`}
                value={between?.join('-') ?? 'all'}
                onChange={({currentTarget: {value}}) =>
                  put(at, {between: value === 'all' ? undefined : (value.split('-').map(Number) as [number, number])})
                }
              >
                <option value="all">Between any two</option>
                {places.map(([first, last]) => (
                  <option key={first} value={`${first}-${last}`}>
                    Between {first} and {last}
                  </option>
                ))}
                {between !== undefined && between[1] > between[0] + 1 && (
                  <option value={between.join('-')}>
                    Between {between[0]} and {between[1]}
                  </option>
                )}
              </select>
            )}
            <ConditionList
              conditions={conditionsOf(where)}
              keys={{of: 'events', event, days}}
              of={`of excluded event ${at + 1}`}
              onChange={(chosen) => put(at, {where: membersOf(chosen)})}
            />
          </div>
        ))}
        {isAdding && (
          <EventPicker
            key={exclusions.length}
            label={`Excluded event ${exclusions.length + 1}`}
            name={undefined}
            days={days}
            isFirstFocus
            onChoose={(event) => {
              setAdding(false);
              onChange([...exclusions, {event}]);
            }}
          />
        )}
        {!isAdding && exclusions.length < exclusionsMax && (
          <button type="button" class="link condition-add" onClick={() => setAdding(true)}>
            Exclude an event
          </button>
        )}
      </div>
    </Field>
  );
}

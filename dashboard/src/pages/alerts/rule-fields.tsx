// The rule of an alert, as fields: each kind has its own.
import type {savedFunnelsAnswer} from '../../../../src/edge/answers/saved-funnels.js';
import type {Days} from '../../address/range';
import {UserConditions} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {EventPicker} from '../../controls/event-picker';
import {NumberField} from '../../controls/number-field';
import {Field, Options} from '../../controls/options';
import {Icon} from '../../shell/icon';
import {today} from '../../shell/today';
import type {AlertDraft} from './alert-draft';
import {type LagKind, lagWords} from './alert-words';

export type SavedFunnels = (typeof savedFunnelsAnswer)['_output']['data'];

export interface FieldsProps {
  readonly draft: AlertDraft;
  readonly edit: (change: Partial<AlertDraft>) => void;
}

export interface RuleProps extends FieldsProps {
  readonly funnels: SavedFunnels;
}

const listedDays = 30;
const lags = Object.entries(lagWords) as [LagKind, string][];

export function RuleFields({draft, edit, funnels}: RuleProps) {
  switch (draft.kind) {
    case 'threshold':
    case 'absence':
      return <EventFields draft={draft} edit={edit} />;
    case 'funnel_drop':
      return <FunnelFields draft={draft} edit={edit} funnels={funnels} />;
    case 'stalled':
      return <StallFields draft={draft} edit={edit} funnels={funnels} />;
    case 'lag':
      return <LagFields draft={draft} edit={edit} />;
  }
}

function EventFields({draft, edit}: FieldsProps) {
  const days: Days = {from: today.peek() - listedDays + 1, to: today.peek()};
  const {kind, count, event, where, userWhere, minutes, side, bound} = draft;
  return (
    <>
      <Field label="Events of the name">
        <div class="with-button alert-event">
          <EventPicker label="Event" name={event} days={days} onChoose={(name) => edit({event: name})} />
          {event !== undefined && (
            <button
              type="button"
              class="quiet"
              title="Of any name"
              aria-label="Events of any name"
              onClick={() => edit({event: undefined})}
            >
              <Icon name="close" />
            </button>
          )}
        </div>
        {event === undefined && <p class="help">None is chosen: events of any name count.</p>}
      </Field>
      <div class="alert-fields">
        {kind === 'threshold' && (
          <>
            <Options label="Number of" value={count} options={countWords} onChoose={(one) => edit({count: one})} />
            <Options label="Is" value={side} options={sideWords} onChoose={(one) => edit({side: one})} />
            <NumberField label="Bound" value={bound} onType={(text) => edit({bound: text})} />
          </>
        )}
        <NumberField
          label={kind === 'threshold' ? 'Minutes to count' : 'Minutes without an event'}
          value={minutes}
          onType={(text) => edit({minutes: text})}
        />
      </div>
      <Field label="Only events with">
        <ConditionList
          conditions={where}
          keys={{of: 'events', event, days}}
          of="of the events"
          add={where.length === 0 ? 'Whatever they say: add a filter' : 'Filter'}
          onChange={(conditions) => edit({where: conditions})}
        />
      </Field>
      <UserConditions conditions={userWhere} onChange={(conditions) => edit({userWhere: conditions})} />
    </>
  );
}

const countWords = [
  ['events', 'events'],
  ['users', 'users'],
] as const;
const sideWords = [
  ['gte', 'at least'],
  ['lte', 'at most'],
] as const;

function FunnelChoice({draft, edit, funnels}: RuleProps) {
  if (funnels.length === 0)
    return <p class="help">There is no saved funnel yet: under Funnels, steps can be saved as one.</p>;
  const options = funnels.map(({id, name}) => [id, name] as const);
  return <Options label="Saved funnel" value={draft.funnel} options={options} onChoose={(funnel) => edit({funnel})} />;
}

function StallFields({draft, edit, funnels}: RuleProps) {
  return (
    <>
      <FunnelChoice draft={draft} edit={edit} funnels={funnels} />
      <div class="alert-fields">
        <NumberField label="Who reached step" value={draft.step} onType={(step) => edit({step})} />
        <NumberField
          label="Minutes without the next step"
          value={draft.minutes}
          onType={(minutes) => edit({minutes})}
        />
      </div>
      <p class="help">
        Webhooks that take <code>funnel.stalled</code> are told each user. Chats are not: they name nobody.
      </p>
    </>
  );
}

function FunnelFields({draft, edit, funnels}: RuleProps) {
  return (
    <>
      <FunnelChoice draft={draft} edit={edit} funnels={funnels} />
      <div class="alert-fields">
        <NumberField label="Number of days" value={draft.days} onType={(days) => edit({days})} />
        <NumberField label="Converts below, in %" value={draft.below} onType={(below) => edit({below})} />
        <NumberField
          label="Or lower than before by, in %"
          value={draft.lowerBy}
          onType={(lowerBy) => edit({lowerBy})}
        />
        <NumberField
          label="Not judged with fewer users"
          value={draft.minEntered}
          hint="1"
          onType={(minEntered) => edit({minEntered})}
        />
      </div>
    </>
  );
}

function LagFields({draft, edit}: FieldsProps) {
  return (
    <div class="alert-fields">
      <Options label="Which part" value={draft.lag} options={lags} onChoose={(lag) => edit({lag})} />
      <NumberField label="Late by more than, in seconds" value={draft.seconds} onType={(seconds) => edit({seconds})} />
    </div>
  );
}

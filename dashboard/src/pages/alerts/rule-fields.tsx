// The rule of an alert, as fields: each kind has its own.
import type {SavedFunnelAnswer} from '../../../../src/edge/answers/saved-funnels.js';
import type {Days} from '../../address/range';
import {UsersField} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {EventPicker} from '../../controls/event-picker';
import {NumberField} from '../../controls/number-field';
import {Field, Options} from '../../controls/options';
import {deedWords, fieldsIn, withFields} from '../../reports/watched-question';
import {today} from '../../service/today';
import {Icon} from '../../shell/icon';
import type {AlertDraft} from './alert-draft';
import {type LagKind, lagWords, minutesLabel} from './alert-words';

export type SavedFunnels = readonly SavedFunnelAnswer[];

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
  const {kind, question, minutes, side, bound} = draft;
  const {event, counts, where, ...users} = fieldsIn(question);
  const deeds = deedWords(question);
  const ask = (changed: Parameters<typeof withFields>[1]): void => edit({question: withFields(question, changed)});
  return (
    <>
      <Field label="Event">
        <div class="with-button alert-event">
          <EventPicker label="Event" name={event ?? undefined} days={days} onChoose={(name) => ask({event: name})} />
          {event !== null && (
            <button
              type="button"
              class="quiet"
              title="Of any name"
              aria-label="Events of any name"
              onClick={() => ask({event: null})}
            >
              <Icon name="Close" />
            </button>
          )}
        </div>
        {event === null && <p class="help">Without a choice events of any name count.</p>}
      </Field>
      <div class="number-fields">
        {kind === 'threshold' && (
          <>
            <Options label="Number of" value={counts} options={countWords} onChoose={(one) => ask({counts: one})} />
            <Options label="Is" value={side} options={sideWords} onChoose={(one) => edit({side: one})} />
            <NumberField label="Threshold" value={bound} onType={(text) => edit({bound: text})} />
          </>
        )}
        <NumberField label={minutesLabel(kind)} value={minutes} onType={(text) => edit({minutes: text})} />
      </div>
      <Field label="Only events where">
        <ConditionList
          conditions={where}
          keys={{of: 'events', event: event ?? undefined, days}}
          of="of the events"
          onChange={(conditions) => ask({where: conditions})}
        />
      </Field>
      <UsersField question={users} onChange={ask} />
      {deeds.length > 0 && <p class="help">Only users who {deeds.join(' and ')}.</p>}
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
      <div class="number-fields">
        <NumberField label="Who reached step" value={draft.step} onType={(step) => edit({step})} />
        <NumberField label={minutesLabel('stalled')} value={draft.minutes} onType={(minutes) => edit({minutes})} />
      </div>
      <p class="help">
        Webhooks that take <code>funnel.stalled</code> get a message for each user. Chats get none: they name nobody.
      </p>
    </>
  );
}

function FunnelFields({draft, edit, funnels}: RuleProps) {
  return (
    <>
      <FunnelChoice draft={draft} edit={edit} funnels={funnels} />
      <div class="number-fields">
        <NumberField label="Over the last days" value={draft.days} onType={(days) => edit({days})} />
        <NumberField label="Converts below, in %" value={draft.below} onType={(below) => edit({below})} />
        <NumberField
          label="Or lower than the days before by, in %"
          value={draft.lowerBy}
          onType={(lowerBy) => edit({lowerBy})}
        />
        <NumberField
          label="Not checked with fewer users"
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
    <div class="number-fields">
      <Options label="Which part" value={draft.lag} options={lags} onChoose={(lag) => edit({lag})} />
      <NumberField label="Late by more than, in seconds" value={draft.seconds} onType={(seconds) => edit({seconds})} />
    </div>
  );
}

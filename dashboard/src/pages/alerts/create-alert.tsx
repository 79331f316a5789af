// Adding an alert: its rule, and what that would have said over the last 30 days.

import {useState} from 'preact/hooks';
import type {AlertAnswer, AlertPreviewAnswer} from '../../../../src/edge/answers/alerts.js';
import type {NamesAnswer} from '../../../../src/edge/answers/lists.js';
import type {savedFunnelsAnswer} from '../../../../src/edge/answers/saved-funnels.js';
import {namesPath} from '../../address/report-address';
import {momentText} from '../../charts/format';
import {Dialog} from '../../controls/dialog';
import {Options} from '../../controls/options';
import type {Firing} from '../../explained/alert';
import {useAsked} from '../../service/asked';
import {change, type Fault} from '../../service/client';
import {type Behind, Explained} from '../../shell/explained';
import {FaultBox} from '../../shell/states';
import {today} from '../../shell/today';
import {linesOf} from '../webhooks/webhook-words';
import {type AlertDraft, bodyOf, isWhole, newDraft} from './alert-draft';
import {type AlertKind, kindWords, type LagKind, lagWords, previewText, valueText} from './alert-words';

export type SavedFunnels = (typeof savedFunnelsAnswer)['_output']['data'];
type Edit = (change: Partial<AlertDraft>) => void;
interface FieldsProps {
  readonly draft: AlertDraft;
  readonly edit: Edit;
}

const kinds = Object.entries(kindWords) as [AlertKind, string][];
const lags = Object.entries(lagWords) as [LagKind, string][];
const namesAsked = 200;
const namesDays = 30;
const firingsShown = 5;

export function CreateAlert({funnels, onClose}: {readonly funnels: SavedFunnels; readonly onClose: () => void}) {
  const [draft, setDraft] = useState<AlertDraft>({...newDraft, funnel: funnels[0]?.id ?? ''});
  const [preview, setPreview] = useState<AlertPreviewAnswer>();
  const [fault, setFault] = useState<Fault>();
  const [busy, setBusy] = useState<'preview' | 'add'>();
  const edit: Edit = (changed) => {
    setDraft({...draft, ...changed});
    setPreview(undefined);
  };
  const {kind} = draft;

  const look = async (): Promise<void> => {
    setBusy('preview');
    setFault(undefined);
    const {name: _, ...rule} = bodyOf(draft) as {name?: string};
    const answer = await change<AlertPreviewAnswer>('POST', 'v1/alerts/preview', rule);
    setBusy(undefined);
    if (answer.kind === 'value') setPreview(answer.value);
    else setFault(answer.fault);
  };
  const create = async (): Promise<void> => {
    setBusy('add');
    setFault(undefined);
    const answer = await change<AlertAnswer>('POST', 'v1/alerts', bodyOf(draft));
    setBusy(undefined);
    if (answer.kind === 'value') onClose();
    else setFault(answer.fault);
  };
  return (
    <Dialog title="Add an alert" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <label for="alert-name">Name</label>
        <input
          id="alert-name"
          required
          maxLength={256}
          placeholder="What messages call it: No purchases"
          value={draft.name}
          onInput={({currentTarget}) => edit({name: currentTarget.value})}
        />
        <Options label="It fires when" value={kind} options={kinds} onChoose={(chosen) => edit({kind: chosen})} />
        {(kind === 'threshold' || kind === 'absence') && <EventFields draft={draft} edit={edit} />}
        {kind === 'funnel_drop' && <FunnelFields draft={draft} edit={edit} funnels={funnels} />}
        {kind === 'stalled' && <StallFields draft={draft} edit={edit} funnels={funnels} />}
        {kind === 'lag' && (
          <div class="alert-fields">
            <Options label="Which part" value={draft.lag} options={lags} onChoose={(lag) => edit({lag})} />
            <NumberField
              label="Late by more than, in seconds"
              value={draft.seconds}
              onType={(seconds) => edit({seconds})}
            />
          </div>
        )}
        {kind !== 'stalled' && <MoreFields draft={draft} edit={edit} />}
        {preview !== undefined && <Preview draft={draft} preview={preview} />}
        {fault !== undefined && <FaultBox fault={fault} />}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          {kind !== 'lag' && kind !== 'stalled' && (
            <button
              type="button"
              class="button"
              disabled={busy !== undefined || !isWhole(draft)}
              onClick={() => void look()}
            >
              {busy === 'preview' ? 'Looking …' : 'Preview 30 days'}
            </button>
          )}
          <button
            type="submit"
            class="button primary"
            disabled={busy !== undefined || !isWhole(draft) || draft.name.trim() === ''}
          >
            {busy === 'add' ? 'Adding …' : 'Add the alert'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function EventFields({draft, edit}: FieldsProps) {
  const [asked] = useAsked<NamesAnswer>(namesPath({from: today.peek() - namesDays + 1, to: today.peek()}, namesAsked));
  const {kind, count, event, where, minutes, side, bound} = draft;
  return (
    <>
      <label for="alert-event">Event</label>
      <input
        id="alert-event"
        list="alert-events"
        maxLength={256}
        autocomplete="off"
        placeholder="of any name"
        value={event}
        onInput={({currentTarget}) => edit({event: currentTarget.value})}
      />
      <datalist id="alert-events">
        {asked.value.value?.data.map(({name}) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div class="alert-fields">
        {kind === 'threshold' && (
          <>
            <Options label="Number of" value={count} options={countWords} onChoose={(one) => edit({count: one})} />
            <Options label="Is" value={side} options={sideWords} onChoose={(one) => edit({side: one})} />
            <NumberField label="Bound" value={bound} onType={(text) => edit({bound: text})} />
          </>
        )}
        <NumberField
          label={kind === 'threshold' ? 'In so many minutes' : 'For so many minutes'}
          value={minutes}
          onType={(text) => edit({minutes: text})}
        />
      </div>
      <label for="alert-where">Only events with</label>
      <textarea
        id="alert-where"
        rows={2}
        spellcheck={false}
        placeholder="plan eq pro"
        value={where}
        aria-describedby="alert-where-help"
        onInput={({currentTarget}) => edit({where: currentTarget.value})}
      />
      <p id="alert-where-help" class="help">
        A condition a line, as reports take them; all must hold. Empty: any.
      </p>
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

interface FunnelFieldsProps extends FieldsProps {
  readonly funnels: SavedFunnels;
}

function FunnelChoice({draft, edit, funnels}: FunnelFieldsProps) {
  if (funnels.length === 0)
    return <p class="help">There is no saved funnel yet: under Funnels, steps can be saved as one.</p>;
  const options = funnels.map(({id, name}) => [id, name] as const);
  return <Options label="Saved funnel" value={draft.funnel} options={options} onChoose={(funnel) => edit({funnel})} />;
}

function StallFields({draft, edit, funnels}: FunnelFieldsProps) {
  return (
    <>
      <FunnelChoice draft={draft} edit={edit} funnels={funnels} />
      <div class="alert-fields">
        <NumberField label="Who reached step" value={draft.step} onType={(step) => edit({step})} />
        <NumberField
          label="And not the next one in so many minutes"
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

function FunnelFields({draft, edit, funnels}: FunnelFieldsProps) {
  return (
    <>
      <FunnelChoice draft={draft} edit={edit} funnels={funnels} />
      <div class="alert-fields">
        <NumberField label="Over so many days" value={draft.days} onType={(days) => edit({days})} />
        <NumberField label="Converts below, in %" value={draft.below} onType={(below) => edit({below})} />
        <NumberField
          label="Or lower than before by, in %"
          value={draft.lowerBy}
          onType={(lowerBy) => edit({lowerBy})}
        />
      </div>
    </>
  );
}

function MoreFields({draft, edit}: FieldsProps) {
  return (
    <details class="more">
      <summary>When it speaks</summary>
      <div class="alert-fields">
        <NumberField
          label="Holds for so many publications"
          value={draft.held}
          hint="1"
          onType={(held) => edit({held})}
        />
        <NumberField
          label="Told again after, in minutes"
          value={draft.repeat}
          hint="not"
          onType={(repeat) => edit({repeat})}
        />
        <ClockField label="Chats are quiet from" value={draft.quietFrom} onType={(quietFrom) => edit({quietFrom})} />
        <ClockField label="Quiet to" value={draft.quietTo} onType={(quietTo) => edit({quietTo})} />
        <label>
          In the zone
          <input
            value={draft.zone}
            spellcheck={false}
            onInput={({currentTarget}) => edit({zone: currentTarget.value})}
          />
        </label>
      </div>
    </details>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
  readonly onType: (text: string) => void;
}

const NumberField = ({label, value, hint, onType}: TextProps) => (
  <label>
    {label}
    <input
      inputMode="decimal"
      autocomplete="off"
      placeholder={hint}
      value={value}
      onInput={({currentTarget}) => onType(currentTarget.value)}
    />
  </label>
);

const ClockField = ({label, value, onType}: TextProps) => (
  <label>
    {label}
    <input type="time" value={value} onInput={({currentTarget}) => onType(currentTarget.value.slice(0, 5))} />
  </label>
);

const behind =
  (draft: AlertDraft, firing: AlertPreviewAnswer['firings'][number]): Behind =>
  ({firingBehind}) => {
    return firingBehind({
      kind: draft.kind as Firing['kind'], // The others have no preview.
      firing,
      event: draft.event.trim() || null,
      counts: draft.count,
      where: linesOf(draft.where),
      minutes: Number(draft.minutes),
      days: Number(draft.days),
    });
  };

function Preview({draft, preview}: {readonly draft: AlertDraft; readonly preview: AlertPreviewAnswer}) {
  const {kind} = draft;
  const {firings, fired, step_minutes: step} = preview;
  return (
    <div class="alert-preview" role="status">
      <strong>{previewText(preview)}</strong>
      {firings.length > 0 && (
        <ul>
          {firings.slice(0, firingsShown).map((firing) => (
            <li key={firing.from}>
              {minuteText(firing.from)} to {firing.until === null ? 'now' : minuteText(firing.until)}, with{' '}
              <Explained
                text={valueText(kind, firing.value)}
                of={`at ${minuteText(firing.from)}`}
                behind={behind(draft, firing)}
              />
            </li>
          ))}
        </ul>
      )}
      <p class="help">
        {fired > firingsShown && `The newest ${firingsShown}. `}Times are UTC; judged every {step} minutes of the past.
      </p>
    </div>
  );
}

const minuteText = (iso: string): string => momentText(Date.parse(iso)).slice(0, 16);

// The form of an alert, in a dialog: its rule, when it speaks and to whom, and what it would have said over the last 30 days. One
// that exists keeps its kind.

import {useState} from 'preact/hooks';
import type {AlertAnswer, AlertPreviewAnswer} from '../../../../src/edge/answers/alerts.js';
import {writeCondition} from '../../address/conditions';
import {momentText} from '../../charts/format';
import {Dialog} from '../../controls/dialog';
import {Options} from '../../controls/options';
import type {Firing} from '../../explained/alert';
import {change, type Fault} from '../../service/client';
import {may} from '../../service/session';
import {type Behind, Explained} from '../../shell/explained';
import {later} from '../../shell/later';
import {SaveFault} from '../../shell/save-fault';
import {type AlertDraft, isWhole, previewOf} from './alert-draft';
import {type AlertKind, kindWords, previewText, valueText} from './alert-words';
import {AudienceFields} from './audience-fields';
import type {RuleProps, SavedFunnels} from './rule-fields';
import {TimeFields} from './time-fields';

/** Its pickers come after the dialog. */
const RuleFields = later<RuleProps>(() => import('./rule-fields').then((fields) => fields.RuleFields));

const kinds = Object.entries(kindWords) as [AlertKind, string][];
const firingsShown = 5;

export function AlertForm({
  title,
  draft: begun,
  funnels,
  isNew,
  actText,
  noteOf,
  save,
  onTheirs,
  onClose,
}: {
  readonly title: string;
  readonly draft: AlertDraft;
  readonly funnels: SavedFunnels;
  readonly isNew: boolean;
  readonly actText: string;
  /** What is to be known before it is saved. */
  readonly noteOf?: (draft: AlertDraft) => string | undefined;
  /** Resolves with the fault that the form shows; undefined: it is done. */
  readonly save: (draft: AlertDraft) => Promise<Fault | undefined>;
  /** Takes the alert as somebody else changed it. */
  readonly onTheirs?: (theirs: AlertAnswer) => void;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState(begun);
  const [preview, setPreview] = useState<AlertPreviewAnswer>();
  const [fault, setFault] = useState<Fault>();
  const [busy, setBusy] = useState<'preview' | 'save'>();
  const edit = (changed: Partial<AlertDraft>): void => {
    setDraft({...draft, ...changed});
    setPreview(undefined);
  };
  const {kind} = draft;
  const note = noteOf?.(draft);

  const look = async (): Promise<void> => {
    setBusy('preview');
    setFault(undefined);
    const answer = await change<AlertPreviewAnswer>('POST', 'v1/alerts/preview', previewOf(draft));
    setBusy(undefined);
    if (answer.kind === 'value') setPreview(answer.value);
    else setFault(answer.fault);
  };
  const submit = async (): Promise<void> => {
    setBusy('save');
    setFault(undefined);
    const failed = await save(draft);
    setBusy(undefined);
    setFault(failed);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
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
        {isNew ? (
          <Options label="It fires when" value={kind} options={kinds} onChoose={(chosen) => edit({kind: chosen})} />
        ) : (
          <p class="help">{kindWords[kind]}.</p>
        )}
        <RuleFields draft={draft} edit={edit} funnels={funnels} />
        {note !== undefined && <p class="help">{note}</p>}
        {kind !== 'stalled' && <TimeFields draft={draft} edit={edit} />}
        {may('admin') && <AudienceFields draft={draft} edit={edit} />}
        {preview !== undefined && <Preview draft={draft} preview={preview} />}
        {fault !== undefined && (
          <SaveFault fault={fault} noun="alert" onLoad={({alert}) => onTheirs?.(alert as AlertAnswer)} />
        )}
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
            {busy === 'save' ? 'Saving …' : actText}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const behind =
  (draft: AlertDraft, firing: AlertPreviewAnswer['firings'][number]): Behind =>
  ({firingBehind}) => {
    return firingBehind({
      kind: draft.kind as Firing['kind'], // The others have no preview.
      firing,
      event: draft.event ?? null,
      counts: draft.count,
      where: draft.where.map(writeCondition),
      userWhere: draft.userWhere.map(writeCondition),
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

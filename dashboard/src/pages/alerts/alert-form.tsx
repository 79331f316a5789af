// The form of an alert, in a dialog: its rule, when it speaks and to whom, and what it would have said over the last 30 days. One
// that exists keeps its kind.

import {useEffect, useRef, useState} from 'preact/hooks';
import type {AlertAnswer, AlertPreviewAnswer} from '../../../../src/edge/answers/alerts.js';
import {minuteText} from '../../charts/format';
import {DialogForm} from '../../controls/dialog-form';
import {Options} from '../../controls/options';
import {type Labels, useSending} from '../../controls/sending';
import {type Firing, firingBehind} from '../../reports/firing';
import {change, type Fault, faultOf} from '../../service/client';
import {type Behind, Explained} from '../../shell/explained';
import {later} from '../../shell/later';
import {SaveFault} from '../../shell/save-fault';
import {FaultBox} from '../../shell/states';
import {useAudience} from '../../webhooks/use-audience';
import {type AlertDraft, isWhole, ofPercent, previewOf, toldOf} from './alert-draft';
import {type AlertKind, countedText, kindWords, minutesLabel, previewText} from './alert-words';
import type {RuleProps, SavedFunnels} from './rule-fields';
import {TimeFields} from './time-fields';

/** Its pickers come after the dialog. */
const RuleFields = later<RuleProps>(() => import('./rule-fields').then((fields) => fields.RuleFields));

const kinds = Object.entries(kindWords) as [AlertKind, string][];
const firingsShown = 5;

/** Labels of the fields by the field of the API. */
const labelsOf = (kind: AlertKind): Labels => ({
  gte: 'Threshold',
  lte: 'Threshold',
  minutes: minutesLabel(kind),
  days: 'Over the last days',
  below: 'Converts below, in %',
  lower_by_percent: 'Or lower than the days before by, in %',
  min_entered: 'Not checked with fewer users',
  step: 'Who reached step',
  seconds: 'Late by more than, in seconds',
  for: 'Publications in a row before it fires',
  repeat_minutes: 'Reminder every, in minutes',
  quiet_hours: 'Chats are silent',
});

const inFields = (fault: Fault | undefined): Fault | undefined =>
  fault && {...fault, message: ofPercent(fault.message)};

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
  const edit = (changed: Partial<AlertDraft>): void => {
    setDraft({...draft, ...changed});
    setPreview(undefined);
  };
  const {kind} = draft;
  const note = noteOf?.(draft);
  const audience = useAudience({
    told: toldOf(draft),
    of: 'alerts',
    areOfPeople: kind === 'stalled',
    onChange: (endpoints) => edit({endpoints}),
  });

  const looking = useSending(async () => {
    const answer = await change<AlertPreviewAnswer>('POST', 'v1/alerts/preview', previewOf(draft));
    if (answer.kind === 'value') setPreview(answer.value);
    return inFields(faultOf(answer));
  }, labelsOf(kind));
  const form = (
    <DialogForm
      title={title}
      actText={actText}
      isReady={isWhole(draft) && draft.name.trim() !== ''}
      act={async () => inFields(await save(draft))}
      labels={labelsOf(kind)}
      faultBox={(fault) => (
        <SaveFault fault={fault} noun="alert" onLoad={({current}) => onTheirs?.(current as AlertAnswer)} />
      )}
      onClose={onClose}
      others={
        kind !== 'lag' &&
        kind !== 'stalled' && (
          <button type="button" class="button" disabled={looking.isBusy || !isWhole(draft)} onClick={looking.send}>
            {looking.isBusy ? 'Looking …' : 'Preview 30 days'}
          </button>
        )
      }
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
      {audience.fields}
      {preview !== undefined && <Preview draft={draft} preview={preview} />}
      {looking.fault !== undefined && <FaultBox fault={looking.fault} />}
    </DialogForm>
  );
  return (
    <>
      {form}
      {audience.dialog}
    </>
  );
}

const behind =
  (draft: AlertDraft, firing: AlertPreviewAnswer['firings'][number]): Behind =>
  () =>
    firingBehind({
      kind: draft.kind as Firing['kind'], // The others have no preview.
      firing,
      question: draft.question,
      minutes: Number(draft.minutes),
      days: Number(draft.days),
    });

function Preview({draft, preview}: {readonly draft: AlertDraft; readonly preview: AlertPreviewAnswer}) {
  const {firings, fired, step_minutes: step} = preview;
  const box = useRef<HTMLDivElement>(null);
  // The form is long: what was asked for by a button at its foot would be beyond the edge.
  useEffect(() => box.current?.scrollIntoView({block: 'nearest'}), [preview]);
  return (
    <div class="alert-preview" role="status" ref={box}>
      <strong>{previewText(preview)}</strong>
      {firings.length > 0 && (
        <ul>
          {firings.slice(0, firingsShown).map((firing) => (
            <li key={firing.from}>
              {minuteText(Date.parse(firing.from))} to{' '}
              {firing.until === null ? 'now' : minuteText(Date.parse(firing.until))}, with{' '}
              <Explained
                text={countedText(draft, firing.value)}
                of={`at ${minuteText(Date.parse(firing.from))}`}
                behind={behind(draft, firing)}
              />
            </li>
          ))}
        </ul>
      )}
      <p class="help">
        {fired > firingsShown && `The newest ${firingsShown}. `}Times are UTC; checked every {step} minutes of the past.
      </p>
    </div>
  );
}

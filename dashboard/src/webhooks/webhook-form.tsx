// The form of a webhook, in a dialog: where to, what it is told, how it is sent. One that exists keeps its kind.
import {useState} from 'preact/hooks';
import type {WebhookAnswer} from '../../../src/edge/answers/webhooks.js';
import {CardChoice} from '../controls/card-choice';
import {DialogForm} from '../controls/dialog-form';
import {MoreFields} from '../controls/more-fields';
import {NumberField} from '../controls/number-field';
import type {Fault} from '../service/client';
import {later} from '../shell/later';
import {SaveFault} from '../shell/save-fault';
import type {SubscriptionProps} from './subscription-fields';
import {chosenTypes, type WebhookDraft} from './webhook-draft';
import {kindWords, typesFor, type WebhookKind} from './webhook-words';
import './webhook-form.css';

/** Its pickers come after the dialog. */
const SubscriptionFields = later<SubscriptionProps>(() =>
  import('./subscription-fields').then((fields) => fields.SubscriptionFields),
);

/** By the field of the API. */
const labels = {
  url: 'URL',
  'batch.events': 'Events in a request, at most',
  'batch.ms': 'Wait for more of them, in ms',
  max_lag_minutes: 'Events are skipped after, in minutes',
};

const kinds = (Object.keys(kindWords) as WebhookKind[]).map((word) => {
  const {title, gets} = kindWords[word];
  return {word, title, lines: [gets]};
});

export function WebhookForm({
  title,
  draft: begun,
  isNew,
  actText,
  save,
  onTheirs,
  onClose,
}: {
  readonly title: string;
  readonly draft: WebhookDraft;
  readonly isNew: boolean;
  readonly actText: string;
  /** Resolves with the fault that the form shows; undefined: it is done. */
  readonly save: (draft: WebhookDraft) => Promise<Fault | undefined>;
  /** Takes the webhook as somebody else changed it. */
  readonly onTheirs?: (theirs: WebhookAnswer) => void;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState(begun);
  const edit = (changed: Partial<WebhookDraft>): void => setDraft({...draft, ...changed});
  const {kind, url, subscriptions} = draft;
  const types = chosenTypes(draft);
  const isMail = kind === 'mail';
  const isChat = kind !== 'webhook' && !isMail;
  const isUrlKept = !isNew && isChat;
  return (
    <DialogForm
      title={title}
      actText={actText}
      isReady={(url.trim() !== '' || isUrlKept) && types.length > 0}
      act={() => save(draft)}
      labels={labels}
      faultBox={(fault) => (
        <SaveFault fault={fault} noun="webhook" onLoad={({current}) => onTheirs?.(current as WebhookAnswer)} />
      )}
      onClose={onClose}
    >
      {isNew && (
        <CardChoice
          label="Receiver"
          name="kind"
          value={kind}
          options={kinds}
          onChoose={(chosen) => edit({kind: chosen})}
        />
      )}
      <label for="webhook-url">{isMail ? 'Mail address' : 'URL'}</label>
      <input
        id="webhook-url"
        required={!isUrlKept}
        maxLength={2_048}
        inputMode={isMail ? 'email' : 'url'}
        autocomplete="off"
        spellcheck={false}
        placeholder={isUrlKept ? 'As it is' : isMail ? 'ann@example.com' : 'https://hooks.example.com/millrace'}
        value={url}
        onInput={({currentTarget}) => edit({url: currentTarget.value})}
      />
      {isChat && <p class="help">Anyone who knows the URL can write there, so it is not shown in full again.</p>}
      <fieldset class="told">
        <legend>What it receives</legend>
        {typesFor(kind).map((type) => (
          <SubscriptionFields
            key={type}
            type={type}
            subscriptions={subscriptions[type] ?? []}
            onChange={(changed) => edit({subscriptions: {...subscriptions, [type]: changed}})}
          />
        ))}
      </fieldset>
      {!isNew && types.includes('event.tracked') && (
        <p class="help">
          A change of these types counts for events from now on. Messages that wait keep the old ones; a replay takes
          the new ones.
        </p>
      )}
      <SendingFields draft={draft} hasEvents={types.includes('event.tracked')} edit={edit} />
    </DialogForm>
  );
}

function SendingFields({
  draft,
  hasEvents,
  edit,
}: {
  readonly draft: WebhookDraft;
  readonly hasEvents: boolean;
  readonly edit: (changed: Partial<WebhookDraft>) => void;
}) {
  const {batchEvents, batchMs, isOrdered, lagMinutes} = draft;
  return (
    <MoreFields title="How it is sent">
      {hasEvents && (
        <div class="number-fields">
          <NumberField
            label={labels['batch.events']}
            value={batchEvents}
            onType={(text) => edit({batchEvents: text})}
          />
          <NumberField label={labels['batch.ms']} value={batchMs} onType={(text) => edit({batchMs: text})} />
          <NumberField label={labels.max_lag_minutes} value={lagMinutes} onType={(text) => edit({lagMinutes: text})} />
        </div>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={isOrdered}
          onChange={({currentTarget}) => edit({isOrdered: currentTarget.checked})}
        />
        In order: one message after the other; one that fails holds back the others
      </label>
    </MoreFields>
  );
}

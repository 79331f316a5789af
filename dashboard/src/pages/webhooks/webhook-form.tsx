// The form of a webhook, in a dialog: where to, what it is told, how it is sent. One that exists keeps its kind.
import {useState} from 'preact/hooks';
import type {WebhookAnswer} from '../../../../src/edge/answers/webhooks.js';
import {Dialog} from '../../controls/dialog';
import {NumberField} from '../../controls/number-field';
import type {Fault} from '../../service/client';
import {SaveFault} from '../../shell/save-fault';
import {SubscriptionFields} from './subscription-fields';
import {chosenTypes, type WebhookDraft} from './webhook-draft';
import {kinds, kindWords, typesFor, type WebhookKind} from './webhook-words';

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
  const [fault, setFault] = useState<Fault>();
  const [isBusy, setBusy] = useState(false);
  const edit = (changed: Partial<WebhookDraft>): void => setDraft({...draft, ...changed});
  const {kind, url, subscriptions} = draft;
  const types = chosenTypes(draft);
  const isUrlKept = !isNew && kind !== 'webhook';

  const submit = async (): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    const failed = await save(draft);
    setBusy(false);
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
        {isNew && <KindField kind={kind} onChoose={(chosen) => edit({kind: chosen})} />}
        <label for="webhook-url">URL</label>
        <input
          id="webhook-url"
          required={!isUrlKept}
          maxLength={2_048}
          inputMode="url"
          autocomplete="off"
          spellcheck={false}
          placeholder={isUrlKept ? 'As it is' : 'https://hooks.example.com/millrace'}
          value={url}
          onInput={({currentTarget}) => edit({url: currentTarget.value})}
        />
        {kind !== 'webhook' && (
          <p class="help">Anyone who knows the URL can write there, so it is not shown in full again.</p>
        )}
        <fieldset class="told">
          <legend>It is told of</legend>
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
            Other types count for events from now on. What waits is told by those of before; a replay takes the new
            ones.
          </p>
        )}
        <SendingFields draft={draft} hasEvents={types.includes('event.tracked')} edit={edit} />
        {fault !== undefined && (
          <SaveFault fault={fault} noun="webhook" onLoad={({webhook}) => onTheirs?.(webhook as WebhookAnswer)} />
        )}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class="button primary"
            disabled={isBusy || (url.trim() === '' && !isUrlKept) || types.length === 0}
          >
            {isBusy ? 'Saving …' : actText}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function KindField({kind, onChoose}: {readonly kind: WebhookKind; readonly onChoose: (kind: WebhookKind) => void}) {
  return (
    <fieldset class="kinds">
      <legend>Receiver</legend>
      {kinds.map((one) => (
        <label key={one} class={one === kind ? 'kind chosen' : 'kind'}>
          <input type="radio" name="kind" value={one} checked={one === kind} onChange={() => onChoose(one)} />
          <strong>{kindWords[one].title}</strong>
          <span>{kindWords[one].gets}</span>
        </label>
      ))}
    </fieldset>
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
    <details class="more">
      <summary>How it is sent</summary>
      {hasEvents && (
        <div class="more-fields">
          <NumberField
            label="Events in a request, at most"
            value={batchEvents}
            onType={(text) => edit({batchEvents: text})}
          />
          <NumberField
            label="It waits for more of them, in ms"
            value={batchMs}
            onType={(text) => edit({batchMs: text})}
          />
          <NumberField
            label="Passed over after, in minutes"
            value={lagMinutes}
            onType={(text) => edit({lagMinutes: text})}
          />
        </div>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={isOrdered}
          onChange={({currentTarget}) => edit({isOrdered: currentTarget.checked})}
        />
        In order: one after the other, and one that fails stops the others
      </label>
    </details>
  );
}

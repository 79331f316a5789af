// Adding a webhook: where to, what it is told, then its secret, once. When the dialog closes the secret is nowhere in the page.

import {useState} from 'preact/hooks';
import type {CreatedWebhookAnswer} from '../../../../src/edge/answers/webhooks.js';
import {Dialog} from '../../controls/dialog';
import {change, type Fault} from '../../service/client';
import {FaultBox} from '../../shell/states';
import {SecretDialog} from '../keys/secret-dialog';
import {kinds, kindWords, linesOf, type SubscribedType, typesFor, typeWords, type WebhookKind} from './webhook-words';

/** Names of the chosen types, one a line. */
type Chosen = Readonly<Partial<Record<SubscribedType, string>>>;

export function CreateWebhook({onClose}: {readonly onClose: () => void}) {
  const [kind, setKind] = useState<WebhookKind>('webhook');
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState<Chosen>({});
  const [where, setWhere] = useState('');
  const [secret, setSecret] = useState<string>();
  const [fault, setFault] = useState<Fault>();
  const [isBusy, setBusy] = useState(false);
  const types = typesFor(kind).filter((type) => chosen[type] !== undefined);

  const create = async (): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    const subscriptions = types.map((type) => {
      const names = linesOf(chosen[type]!);
      const conditions = type === 'event.tracked' ? linesOf(where) : [];
      return {type, ...(names.length > 0 && {names}), ...(conditions.length > 0 && {where: conditions})};
    });
    const body = {kind, url: url.trim(), types: subscriptions};
    const answer = await change<CreatedWebhookAnswer>('POST', 'v1/webhooks', body);
    setBusy(false);
    if (answer.kind === 'fault') setFault(answer.fault);
    else if (answer.value.secret === undefined) onClose();
    else setSecret(answer.value.secret);
  };

  if (secret !== undefined)
    return (
      <SecretDialog title="The webhook is added" secret={secret} label="Verify its messages with" onClose={onClose} />
    );
  return (
    <Dialog title="Add a webhook" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <fieldset class="kinds">
          <legend>Receiver</legend>
          {kinds.map((one) => (
            <label key={one} class={one === kind ? 'kind chosen' : 'kind'}>
              <input type="radio" name="kind" value={one} checked={one === kind} onChange={() => setKind(one)} />
              <strong>{kindWords[one].title}</strong>
              <span>{kindWords[one].gets}</span>
            </label>
          ))}
        </fieldset>
        <label for="webhook-url">URL</label>
        <input
          id="webhook-url"
          required
          maxLength={2_048}
          inputMode="url"
          autocomplete="off"
          spellcheck={false}
          placeholder="https://hooks.example.com/millrace"
          value={url}
          onInput={({currentTarget}) => setUrl(currentTarget.value)}
        />
        {kind !== 'webhook' && <p class="help">Whoever knows it can write there: it is not shown in full again.</p>}
        <fieldset class="told">
          <legend>It is told of</legend>
          {typesFor(kind).map((type) => (
            <TypeField
              key={type}
              type={type}
              names={chosen[type]}
              onChange={(names) => setChosen({...chosen, [type]: names})}
            />
          ))}
        </fieldset>
        {types.includes('event.tracked') && (
          <>
            <label for="webhook-where">Only events with</label>
            <textarea
              id="webhook-where"
              rows={2}
              spellcheck={false}
              placeholder="amount gte 100"
              value={where}
              aria-describedby="webhook-where-help"
              onInput={({currentTarget}) => setWhere(currentTarget.value)}
            />
            <p id="webhook-where-help" class="help">
              A condition a line, as reports take them; all must hold. Empty: any.
            </p>
          </>
        )}
        {fault !== undefined && <FaultBox fault={fault} />}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={isBusy || url.trim() === '' || types.length === 0}>
            {isBusy ? 'Adding …' : 'Add the webhook'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** `names` undefined: the type is not chosen. */
function TypeField({
  type,
  names,
  onChange,
}: {
  readonly type: SubscribedType;
  readonly names: string | undefined;
  readonly onChange: (names: string | undefined) => void;
}) {
  const {title, names: of} = typeWords[type];
  return (
    <div>
      <label class="check">
        <input
          type="checkbox"
          checked={names !== undefined}
          onChange={({currentTarget}) => onChange(currentTarget.checked ? '' : undefined)}
        />
        {title}
      </label>
      {names !== undefined && of !== undefined && (
        <textarea
          rows={2}
          spellcheck={false}
          aria-label={`Names of ${of}: ${type}`}
          placeholder={`Names of ${of}, one a line; empty: all`}
          value={names}
          onInput={({currentTarget}) => onChange(currentTarget.value)}
        />
      )}
    </div>
  );
}

// Creating a key: what it is for, then the key itself, once. When the dialog closes the key is nowhere in the page.

import {useState} from 'preact/hooks';
import type {CreatedKey} from '../../../../src/edge/answers/keys.js';
import {Dialog} from '../../controls/dialog';
import {apiAddress} from '../../service/api-address';
import {change, type Fault} from '../../service/client';
import {FaultBox} from '../../shell/states';
import {curlOf} from './key';
import {type KeyDraft, KindCards, LimitFields, noLimits, optionsOf} from './key-form';
import {SecretDialog} from './secret-dialog';

export function CreateKey({onClose}: {readonly onClose: () => void}) {
  const [draft, setDraft] = useState<KeyDraft>({kind: 'write', name: '', limits: noLimits});
  const [created, setCreated] = useState<CreatedKey>();
  const [fault, setFault] = useState<Fault>();
  const [isBusy, setBusy] = useState(false);

  const create = async (): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    const {kind, name, limits} = draft;
    const options = kind === 'write' ? optionsOf(limits) : {};
    const body = {kind, name: name.trim(), ...(Object.keys(options).length === 0 ? {} : {options})};
    const answer = await change<CreatedKey>('POST', 'keys', body);
    setBusy(false);
    if (answer.kind === 'value') setCreated(answer.value);
    else setFault(answer.fault);
  };

  if (created !== undefined) {
    return (
      <SecretDialog
        title={`Key ${created.name}`}
        secret={created.key}
        label={`Your ${created.kind} key`}
        snippet={curlOf(created.key, created.kind, apiAddress.value)}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <KindCards value={draft.kind} onChange={(kind) => setDraft({...draft, kind})} />
        <label for="key-name">Name</label>
        <input
          id="key-name"
          required
          maxLength={256}
          placeholder="What it is for: shop front, nightly report"
          value={draft.name}
          onInput={({currentTarget}) => setDraft({...draft, name: currentTarget.value})}
        />
        {draft.kind === 'write' && (
          <details class="more">
            <summary>Limits</summary>
            <LimitFields value={draft.limits} onChange={(limits) => setDraft({...draft, limits})} />
          </details>
        )}
        {fault !== undefined && <FaultBox fault={fault} />}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={isBusy || draft.name.trim() === ''}>
            {isBusy ? 'Creating …' : 'Create the key'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

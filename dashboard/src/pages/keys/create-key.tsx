// Creating a key: what it is for, then the key itself, once. When the dialog closes the key is nowhere in the page.

import {useState} from 'preact/hooks';
import type {CreatedKey} from '../../../../src/edge/answers/keys.js';
import {CardChoice} from '../../controls/card-choice';
import {DialogForm} from '../../controls/dialog-form';
import {MoreFields} from '../../controls/more-fields';
import {SecretDialog} from '../../controls/secret-dialog';
import {apiAddress} from '../../service/api-address';
import {change, type Fault, faultOf} from '../../service/client';
import {curlOf} from './key';
import {type KeyDraft, kinds, LimitFields, noLimits, optionsOf} from './key-form';

export function CreateKey({onClose}: {readonly onClose: () => void}) {
  const [draft, setDraft] = useState<KeyDraft>({kind: 'write', name: '', limits: noLimits});
  const [created, setCreated] = useState<CreatedKey>();

  const create = async (): Promise<Fault | undefined> => {
    const {kind, name, limits} = draft;
    const options = kind === 'write' ? optionsOf(limits) : {};
    const body = {kind, name: name.trim(), ...(Object.keys(options).length === 0 ? {} : {options})};
    const answer = await change<CreatedKey>('POST', 'keys', body);
    if (answer.kind === 'value') setCreated(answer.value);
    return faultOf(answer);
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
    <DialogForm
      title="Create a key"
      actText="Create the key"
      isReady={draft.name.trim() !== ''}
      act={create}
      onClose={onClose}
    >
      <CardChoice
        label="Kind"
        name="kind"
        value={draft.kind}
        options={kinds}
        onChoose={(kind) => setDraft({...draft, kind})}
      />
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
        <MoreFields title="Limits">
          <LimitFields value={draft.limits} onChange={(limits) => setDraft({...draft, limits})} />
        </MoreFields>
      )}
    </DialogForm>
  );
}

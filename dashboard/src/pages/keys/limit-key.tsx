// The limits of a write key, changed while it is in use.

import {useState} from 'preact/hooks';
import type {ListedKey} from '../../../../src/edge/answers/keys.js';
import {DialogForm} from '../../controls/dialog-form';
import {change, type Fault, faultOf} from '../../service/client';
import {draftOf, LimitFields, optionsOf} from './key-form';

export function LimitKey({known, onClose}: {readonly known: ListedKey; readonly onClose: () => void}) {
  const [limits, setLimits] = useState(draftOf(known.options));
  const save = async (): Promise<Fault | undefined> => {
    const answer = await change('POST', `key?id=${encodeURIComponent(known.id)}`, optionsOf(limits));
    if (answer.kind === 'value') onClose();
    return faultOf(answer);
  };
  return (
    <DialogForm title={`Limits of ${known.name}`} actText="Save the limits" act={save} onClose={onClose}>
      <LimitFields value={limits} onChange={setLimits} />
    </DialogForm>
  );
}

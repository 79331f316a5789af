// The limits of a write key, changed while it is in use. The change is of the limits that were shown: what somebody else changed since
// is shown before anything is saved.

import {useState} from 'preact/hooks';
import type {ListedKey} from '../../../../src/edge/answers/keys.js';
import {DialogForm} from '../../controls/dialog-form';
import {change, type Fault, faultOf} from '../../service/client';
import {SaveFault} from '../../shell/save-fault';
import {draftOf, LimitFields, optionsOf} from './key-form';

interface LimitProps {
  readonly known: ListedKey;
  readonly onClose: () => void;
}

export function LimitKey({known: shown, onClose}: LimitProps) {
  // The page asks again while the dialog is open: what was there when it opened is what the change is compared with.
  const [known, setKnown] = useState(shown);
  return <LimitForm key={known.version} known={known} onTheirs={setKnown} onClose={onClose} />;
}

function LimitForm({known, onTheirs, onClose}: LimitProps & {readonly onTheirs: (theirs: ListedKey) => void}) {
  const [limits, setLimits] = useState(draftOf(known.options));
  const save = async (): Promise<Fault | undefined> => {
    const path = `key?id=${encodeURIComponent(known.id)}`;
    const answer = await change('POST', path, optionsOf(limits), `"${known.version}"`);
    if (answer.kind === 'value') onClose();
    return faultOf(answer);
  };
  return (
    <DialogForm
      title={`Limits of ${known.name}`}
      actText="Save the limits"
      act={save}
      faultBox={(fault) => <SaveFault fault={fault} noun="key" onLoad={({key}) => onTheirs(key as ListedKey)} />}
      onClose={onClose}
    >
      <LimitFields value={limits} onChange={setLimits} />
    </DialogForm>
  );
}

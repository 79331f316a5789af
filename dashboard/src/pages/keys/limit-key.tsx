// The limits of a write key, changed while it is in use.

import {useState} from 'preact/hooks';
import type {ListedKey} from '../../../../src/edge/answers/keys.js';
import {Dialog} from '../../controls/dialog';
import {change, type Fault} from '../../service/client';
import {FaultBox} from '../../shell/states';
import {draftOf, LimitFields, optionsOf} from './key-form';

export function LimitKey({known, onClose}: {readonly known: ListedKey; readonly onClose: () => void}) {
  const [limits, setLimits] = useState(draftOf(known.options));
  const [fault, setFault] = useState<Fault>();
  const save = async (): Promise<void> => {
    const answer = await change('POST', `key?id=${encodeURIComponent(known.id)}`, optionsOf(limits));
    if (answer.kind === 'value') onClose();
    else setFault(answer.fault);
  };
  return (
    <Dialog title={`Limits of ${known.name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <LimitFields value={limits} onChange={setLimits} />
        {fault !== undefined && <FaultBox fault={fault} />}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary">
            Save the limits
          </button>
        </div>
      </form>
    </Dialog>
  );
}

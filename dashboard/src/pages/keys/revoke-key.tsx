// Revoking a key: names it and its last use, and says afterwards since when every edge refuses it.

import {useState} from 'preact/hooks';
import type {ListedKey} from '../../../../src/edge/answers/keys.js';
import {Dialog} from '../../controls/dialog';
import {Moment} from '../../controls/moment';
import {change, type Fault} from '../../service/client';
import {FaultBox} from '../../shell/states';
import {prefixOf} from './key';

export const revokeKey = (id: string) => change<unknown>('DELETE', `key?id=${encodeURIComponent(id)}`);

export function RevokeKey({known, onClose}: {readonly known: ListedKey; readonly onClose: () => void}) {
  const [fault, setFault] = useState<Fault>();
  const [doneAt, setDoneAt] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const revoke = async (): Promise<void> => {
    setBusy(true);
    const answer = await revokeKey(known.id);
    setBusy(false);
    if (answer.kind === 'value') setDoneAt(new Date().toISOString());
    else setFault(answer.fault);
  };
  if (doneAt !== undefined) {
    return (
      <Dialog title="The key is revoked" onClose={onClose}>
        <p role="status">
          <strong>{known.name}</strong> was revoked <Moment iso={doneAt} />. This edge refuses it already, every other
          one within a second: requests with it are answered 401 <code>invalid_key</code>.
        </p>
        <div class="dialog-foot">
          <button type="button" class="button primary" onClick={onClose}>
            Close
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={`Revoke ${known.name}?`} onClose={onClose}>
      <p>
        The {known.kind} key{' '}
        <code>
          {prefixOf[known.kind]}…{known.last4}
        </code>{' '}
        was last used <Moment iso={known.last_used_at} />. Once it is revoked, nothing that still sends it is accepted,
        and it cannot be brought back.
      </p>
      {fault !== undefined && <FaultBox fault={fault} />}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Keep it
        </button>
        <button type="button" class="button danger" disabled={isBusy} onClick={() => void revoke()}>
          {isBusy ? 'Revoking …' : 'Revoke the key'}
        </button>
      </div>
    </Dialog>
  );
}

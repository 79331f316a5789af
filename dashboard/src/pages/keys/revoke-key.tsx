// Revoking a key: names it and its last use, and says afterwards since when every edge refuses it.

import {useState} from 'preact/hooks';
import type {ListedKey} from '../../../../src/edge/answers/keys.js';
import {Dialog} from '../../controls/dialog';
import {Moment} from '../../controls/moment';
import {change, faultOf} from '../../service/client';
import {ConfirmDialog} from '../../shell/confirm-dialog';
import {prefixOf} from './key';

export const revokeKey = (id: string) => change<unknown>('DELETE', `key?id=${encodeURIComponent(id)}`);

export function RevokeKey({known, onClose}: {readonly known: ListedKey; readonly onClose: () => void}) {
  const [doneAt, setDoneAt] = useState<string>();
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
    <ConfirmDialog
      title={`Revoke ${known.name}?`}
      actText="Revoke the key"
      act={async () => faultOf(await revokeKey(known.id))}
      onDone={() => setDoneAt(new Date().toISOString())}
      onClose={onClose}
    >
      <p>
        The {known.kind} key{' '}
        <code>
          {prefixOf[known.kind]}…{known.last4}
        </code>{' '}
        was last used <Moment iso={known.last_used_at} />. Once it is revoked, nothing that still sends it is accepted,
        and it cannot be brought back.
      </p>
    </ConfirmDialog>
  );
}

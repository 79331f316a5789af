// Rotation in four steps that anybody can see through: a new key of the same kind, its first use, the old one's last use,
// the end of the old one.

import {useState} from 'preact/hooks';
import type {CreatedKey, ListedKey} from '../../../../src/edge/answers/keys.js';
import {Dialog} from '../../controls/dialog';
import {Moment} from '../../controls/moment';
import {ShownOnce} from '../../controls/shown-once';
import {apiAddress} from '../../service/api-address';
import {change, type Fault} from '../../service/client';
import {now} from '../../service/now';
import {Icon} from '../../shell/icon';
import {FaultBox} from '../../shell/states';
import {curlOf} from './key';
import {revokeKey} from './revoke-key';
import './keys.css';

/** A key that was used so lately is still in use somewhere. */
const inUseMs = 60_000;

/** `keys`: the list as it is now; the page asks for it again all the time. */
export function RotateKey({
  old,
  keys,
  onClose,
}: {
  readonly old: ListedKey;
  readonly keys: readonly ListedKey[];
  readonly onClose: () => void;
}) {
  const [created, setCreated] = useState<CreatedKey>();
  const [isStored, setStored] = useState(false);
  const [isRevoked, setRevoked] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const [isAsked, setAsked] = useState(false);
  const [isDoubted, setDoubted] = useState(false);

  const oldNow = keys.find(({id}) => id === old.id) ?? old;
  const newUse = created === undefined ? null : (keys.find(({id}) => id === created.id)?.last_used_at ?? null);
  const isOldInUse = oldNow.last_used_at !== null && now.value - Date.parse(oldNow.last_used_at) < inUseMs;
  const isEarly = newUse === null || isOldInUse;

  const create = async (): Promise<void> => {
    const body = {kind: old.kind, name: old.name, ...(old.options === undefined ? {} : {options: old.options})};
    const answer = await change<CreatedKey>('POST', 'keys', body);
    if (answer.kind === 'value') setCreated(answer.value);
    else setFault(answer.fault);
  };
  /** Asks once more while the new key is unused, or the old one still in use: programs that send it would be refused. */
  const revoke = async (): Promise<void> => {
    if (isEarly && !isDoubted) return setDoubted(true);
    const answer = await revokeKey(old.id);
    if (answer.kind === 'value') setRevoked(true);
    else setFault(answer.fault);
  };
  const key = created?.key;
  return (
    <Dialog
      title={`Rotate ${old.name}`}
      onClose={onClose}
      mayClose={() => {
        if (created === undefined || isStored) return true;
        setAsked(true);
        return isAsked;
      }}
    >
      <ol class="rotation">
        <Step title="Make the new key" state={created === undefined ? 'now' : 'done'}>
          {created === undefined ? (
            <>
              <p>It gets the same kind, name and limits. The old one goes on working until you revoke it.</p>
              <button type="button" class="button primary" onClick={() => void create()}>
                Create the new key
              </button>
            </>
          ) : (
            !isStored &&
            key !== undefined && (
              <>
                <ShownOnce secret={key} label="The new key" snippet={curlOf(key, old.kind, apiAddress.value)} />
                {isAsked && (
                  <p class="shown-once-asked" role="alert">
                    Is it stored? Once this is closed nobody can show the key again.
                  </p>
                )}
                <button
                  type="button"
                  class="button primary"
                  onClick={() => {
                    setStored(true);
                    setCreated({...created, key: ''});
                  }}
                >
                  I have stored it
                </button>
              </>
            )
          )}
        </Step>
        <Step title="Put it to use" state={created === undefined ? 'later' : newUse === null ? 'now' : 'done'}>
          {created !== undefined && (
            <p role="status">
              {newUse === null ? (
                'Waiting for its first use …'
              ) : (
                <>
                  The new key was used <Moment iso={newUse} />.
                </>
              )}
            </p>
          )}
        </Step>
        <Step title="Wait until the old one is quiet" state={newUse === null ? 'later' : isOldInUse ? 'now' : 'done'}>
          {created !== undefined && (
            <p>
              The old key was last used <Moment iso={oldNow.last_used_at} />.
            </p>
          )}
        </Step>
        <Step title="Revoke the old key" state={isRevoked ? 'done' : newUse === null ? 'later' : 'now'}>
          {created !== undefined && !isRevoked && (
            <>
              {isEarly && isDoubted && (
                <p class="shown-once-asked" role="alert">
                  {isOldInUse
                    ? 'The old key was used within the last minute. Programs that still send it will be refused.'
                    : 'The new key was not used yet. Programs that send the old key will be refused.'}
                </p>
              )}
              <button type="button" class="button danger" onClick={() => void revoke()}>
                {isEarly && isDoubted ? 'Revoke it all the same' : 'Revoke the old key'}
              </button>
            </>
          )}
          {isRevoked && <p role="status">It is refused here already, everywhere within a second.</p>}
        </Step>
      </ol>
      {fault !== undefined && <FaultBox fault={fault} />}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          {isRevoked ? 'Done' : 'Close'}
        </button>
      </div>
    </Dialog>
  );
}

const stepWords = {done: 'done', now: 'to do now', later: 'later'} as const;

function Step({
  title,
  state,
  children,
}: {
  readonly title: string;
  readonly state: keyof typeof stepWords;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <li class={state}>
      <h3>
        <span class="rotation-mark" aria-hidden="true">
          {state === 'done' && <Icon name="Check" />}
        </span>
        {title}
        <span class="visually-hidden"> ({stepWords[state]})</span>
      </h3>
      {children}
    </li>
  );
}

// Settings, API keys: what there is, who used it when; create, rotate, limit, revoke.

import {useState} from 'preact/hooks';
import type {ListedKey} from '../../../../src/edge/answers/keys.js';
import {pageAddress} from '../../address/base';
import {ActionsTable} from '../../controls/actions-table';
import {Moment} from '../../controls/moment';
import {apiAddress, isApiKnown} from '../../service/api-address';
import {useAskAgain, useAsked} from '../../service/asked';
import {AskedState} from '../../shell/asked-state';
import {Head} from '../../shell/head';
import {Icon} from '../../shell/icon';
import {NoParameters} from '../../shell/no-parameters';
import {Empty} from '../../shell/states';
import {CreateKey} from './create-key';
import {optionWords, prefixOf} from './key';
import {LimitKey} from './limit-key';
import {RevokeKey} from './revoke-key';
import {RotateKey} from './rotate-key';

type Open =
  | {readonly what: 'create'}
  | {readonly what: 'rotate' | 'limit' | 'revoke'; readonly key: ListedKey}
  | undefined;

export function Keys() {
  const [asked, ask] = useAsked<{keys: ListedKey[]}>('keys');
  const [open, setOpen] = useState<Open>();
  const [showsRevoked, setShowsRevoked] = useState(false);
  useAskAgain(ask);
  const {value, fault} = asked.value;
  const all = [...(value?.keys ?? [])].reverse();
  const revoked = all.filter(({revoked_at}) => revoked_at !== null);
  const shown = showsRevoked ? all : all.filter(({revoked_at}) => revoked_at === null);
  const close = (): void => {
    setOpen(undefined);
    ask();
  };
  return (
    <>
      <Head title="API keys">
        <button type="button" class="button primary" onClick={() => setOpen({what: 'create'})}>
          <Icon name="Plus" />
          Create a key
        </button>
      </Head>
      <NoParameters />
      <section class="card" aria-label="Keys">
        <AskedState value={value} fault={fault} onAgain={ask} />
        {value !== undefined && shown.length === 0 && (
          <Empty title="There is no active key">
            A program needs a key to send events or to read reports. Create a write key for pages and apps, a read key
            for reports, a secret key for servers.
          </Empty>
        )}
        {shown.length > 0 && <KeyTable keys={shown} onOpen={setOpen} />}
        {revoked.length > 0 && (
          <footer class="card-foot">
            <label class="check">
              <input
                type="checkbox"
                checked={showsRevoked}
                onChange={({currentTarget}) => setShowsRevoked(currentTarget.checked)}
              />
              Show {revoked.length} revoked {revoked.length === 1 ? 'key' : 'keys'}
            </label>
          </footer>
        )}
      </section>
      <p class="page-note">
        A key is shown once, when it is created; the service keeps only its SHA-256. A revoked key is refused everywhere
        within a second.
      </p>
      <p class="page-note">
        {isApiKnown.value && (
          <>
            <a class="link" href={`${apiAddress.value}/docs`}>
              What the API takes and answers
            </a>
            , with requests for twenty questions.{' '}
          </>
        )}
        To copy all events to another store, and keep the copy up to date, see the commands of{' '}
        <a class="link" href={`${pageAddress('/events')}?show=history`}>
          Events, History
        </a>
        .
      </p>
      {open?.what === 'create' && <CreateKey onClose={close} />}
      {open?.what === 'rotate' && <RotateKey old={open.key} keys={all} onClose={close} />}
      {open?.what === 'limit' && <LimitKey known={open.key} onClose={close} />}
      {open?.what === 'revoke' && <RevokeKey known={open.key} onClose={close} />}
    </>
  );
}

function KeyTable({keys, onOpen}: {readonly keys: readonly ListedKey[]; readonly onOpen: (open: Open) => void}) {
  return (
    <ActionsTable label="Keys in a table" columns={['Name', 'Kind', 'Key', 'Created', 'Last used']}>
      {keys.map((key) => (
        <tr key={key.id} class={key.revoked_at === null ? '' : 'revoked'}>
          <td>
            <span class="row-name">{key.name}</span>
            {optionWords(key.options).map((words) => (
              <span key={words} class="row-more">
                {words}
              </span>
            ))}
          </td>
          <td>
            <span class={`pill ${key.kind === 'secret' ? 'warn' : ''}`}>{key.kind}</span>
          </td>
          <td>
            <code>
              {prefixOf[key.kind]}…{key.last4}
            </code>
          </td>
          <td>
            <Moment iso={key.created_at} />
          </td>
          <td>
            {key.revoked_at === null ? (
              <>
                <span class="narrow-only">used </span>
                <Moment iso={key.last_used_at} />
              </>
            ) : (
              <span class="faint">
                revoked <Moment iso={key.revoked_at} />
              </span>
            )}
          </td>
          <td class="row-actions">
            {key.revoked_at === null && (
              <>
                {key.kind === 'write' && (
                  <button type="button" class="link" onClick={() => onOpen({what: 'limit', key})}>
                    Limits<span class="visually-hidden"> of {key.name}</span>
                  </button>
                )}
                <button type="button" class="link" onClick={() => onOpen({what: 'rotate', key})}>
                  Rotate<span class="visually-hidden"> {key.name}</span>
                </button>
                <button type="button" class="link bad" onClick={() => onOpen({what: 'revoke', key})}>
                  Revoke<span class="visually-hidden"> {key.name}</span>
                </button>
              </>
            )}
          </td>
        </tr>
      ))}
    </ActionsTable>
  );
}

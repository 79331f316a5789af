// Settings, Access: who may sign in, as what, and the end of all sessions.

import {useState} from 'preact/hooks';
import type {PersonAnswer} from '../../../../src/edge/dashboard/answers/people.js';
import {ActionsTable} from '../../controls/actions-table';
import {Moment} from '../../controls/moment';
import {useAskAgain, useAsked} from '../../service/asked';
import {change, faultOf} from '../../service/client';
import {now} from '../../service/now';
import {type Role, session, signOut} from '../../service/session';
import {AskedState} from '../../shell/asked-state';
import {Card} from '../../shell/card';
import {ConfirmDialog} from '../../shell/confirm-dialog';
import {Head} from '../../shell/head';
import {Icon} from '../../shell/icon';
import {later} from '../../shell/later';
import {NoParameters} from '../../shell/no-parameters';
import {Empty} from '../../shell/states';
import {CreatePerson} from './create-person';
import {RecordCard} from './record';
import './access.css';

const ShareList = later(() => import('../../shell/share-list').then((part) => part.ShareList));

type Open =
  | {readonly what: 'create'}
  | {readonly what: 'revoke'; readonly person: PersonAnswer}
  | {readonly what: 'end'};

export const roleWords: readonly (readonly [role: Role, may: string])[] = [
  [
    'reader',
    'Sees reports, live load and benchmarks, but no user and no single event; values of properties, such as a plan or a country, are visible in reports.',
  ],
  [
    'analyst',
    'Sees all that a reader sees, single events, people with their traits (or by their ids alone, as you choose), what arrives now, and alerts. Saves reports, arranges boards and annotates charts.',
  ],
  [
    'admin',
    'May do all that an analyst may. Manages API keys, webhooks, deletions, links that share a report, and this page.',
  ],
];

export function Access() {
  const [asked, ask] = useAsked<{people: PersonAnswer[]}>('people');
  const [open, setOpen] = useState<Open>();
  useAskAgain(ask);
  const {value, fault} = asked.value;
  const people = [...(value?.people ?? [])].reverse();
  const close = (): void => {
    setOpen(undefined);
    ask();
  };
  return (
    <>
      <Head title="Access">
        <button type="button" class="button" onClick={() => setOpen({what: 'end'})}>
          Sign everybody out
        </button>
        <button type="button" class="button primary" onClick={() => setOpen({what: 'create'})}>
          <Icon name="Plus" />
          Add a person
        </button>
      </Head>
      <NoParameters />
      <div class="row">
        <Card span={8} title="People" note="each signs in with an access token of their own">
          <AskedState value={value} fault={fault} onAgain={ask} />
          {value !== undefined && people.length === 0 && (
            <Empty title="Only the operator so far">
              The admin token and sign-in links make an admin. Add a person to give them a token with a role, which you
              can take back.
            </Empty>
          )}
          {people.length > 0 && (
            <ActionsTable label="People in a table" columns={['Name', 'Role', 'Token', 'Last signed in', 'Ends']}>
              {people.map((person) => (
                <tr key={person.id} class={stateOf(person) === 'active' ? '' : 'revoked'}>
                  <td>
                    <span class="row-name">{person.name}</span>
                  </td>
                  <td>
                    <span class="pill">{person.role}</span>
                    {!person.sees_traits && <span class="faint"> of ids alone</span>}
                  </td>
                  <td>
                    <code>mr_…{person.last4}</code>
                  </td>
                  <td>
                    <Moment iso={person.last_used_at} />
                  </td>
                  <td>{endOf(person)}</td>
                  <td class="row-actions">
                    {stateOf(person) === 'active' && person.id !== session.value?.by && (
                      <button type="button" class="link bad" onClick={() => setOpen({what: 'revoke', person})}>
                        Revoke<span class="visually-hidden"> the token of {person.name}</span>
                      </button>
                    )}
                    {person.id === session.value?.by && <span class="faint">you</span>}
                  </td>
                </tr>
              ))}
            </ActionsTable>
          )}
        </Card>
        <Card span={4} title="Roles">
          <dl class="roles">
            {roleWords.map(([role, may]) => (
              <div key={role}>
                <dt>{role}</dt>
                <dd>{may}</dd>
              </div>
            ))}
          </dl>
        </Card>
      </div>
      <div class="row">
        <ShareList />
      </div>
      <div class="row">
        <RecordCard key={people.map(({revoked_at}) => revoked_at).join()} />
      </div>
      {open?.what === 'create' && <CreatePerson onClose={close} />}
      {open?.what === 'revoke' && <RevokePerson person={open.person} onClose={close} />}
      {open?.what === 'end' && <EndSessions onClose={() => setOpen(undefined)} />}
    </>
  );
}

function stateOf({revoked_at, ends_at}: PersonAnswer): 'active' | 'revoked' | 'ended' {
  if (revoked_at !== null) return 'revoked';
  return ends_at !== null && Date.parse(ends_at) <= now.value ? 'ended' : 'active';
}

function endOf(person: PersonAnswer) {
  if (person.revoked_at !== null) {
    return (
      <span class="faint">
        revoked <Moment iso={person.revoked_at} />
      </span>
    );
  }
  if (person.ends_at === null) return <span class="faint">never</span>;
  const date = person.ends_at.slice(0, 10);
  return stateOf(person) === 'ended' ? <span class="faint">ended {date}</span> : date;
}

function RevokePerson({person, onClose}: {readonly person: PersonAnswer; readonly onClose: () => void}) {
  return (
    <ConfirmDialog
      title={`Revoke the token of ${person.name}?`}
      actText="Revoke the token"
      act={async () => faultOf(await change('DELETE', `person?id=${encodeURIComponent(person.id)}`))}
      onDone={onClose}
      onClose={onClose}
    >
      <p>Every session that began with it ends with its next request. A new token can be made at any time.</p>
    </ConfirmDialog>
  );
}

function EndSessions({onClose}: {readonly onClose: () => void}) {
  return (
    <ConfirmDialog
      title="Sign everybody out?"
      keepText="Cancel"
      actText="Sign everybody out"
      act={async () => faultOf(await signOut(true))}
      onDone={onClose}
      onClose={onClose}
    >
      <p>Every session ends, on every edge, yours too. Tokens stay valid, and sign in again.</p>
    </ConfirmDialog>
  );
}

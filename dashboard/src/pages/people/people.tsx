// People: a list of them by id, traits and what they did; one by exact id, with their deletion and its receipt.
import {useSignal} from '@preact/signals';
import {useEffect, useRef, useState} from 'preact/hooks';
import type {PersonId} from '../../address/report-address';
import type {Freshness} from '../../service/freshness';
import {useAddress} from '../../service/use-address';
import {AddressProblems} from '../../shell/address-problems';
import {FreshnessPill} from '../../shell/freshness';
import {Head} from '../../shell/head';
import {Icon} from '../../shell/icon';
import {later} from '../../shell/later';
import {Loading} from '../../shell/states';
import {peopleListForm} from './people-address';
import {PeopleList} from './people-list';
import './people.css';

const Receipt = later(() => import('./receipt').then(({Receipt: Part}) => Part), <Loading lines={6} />);
const Person = later(() => import('./person').then(({Person: Part}) => Part), <Loading lines={6} />);

export function People() {
  const {question, problems, ask} = useAddress(peopleListForm);
  const {user, anonymous, receipt} = question;
  const person: PersonId | undefined =
    user !== null ? {kind: 'user', id: user} : anonymous !== null ? {kind: 'anonymous', id: anonymous} : undefined;
  const find = ({kind, id}: PersonId): void =>
    ask({user: kind === 'user' ? id : null, anonymous: kind === 'anonymous' ? id : null, receipt: null, prefix: null});
  const isList = person === undefined && receipt === null;
  const listFreshness = useSignal<Freshness | undefined>(undefined);
  if (isList)
    return (
      <>
        <Head title="People" freshness={<FreshnessPill freshness={listFreshness.value} />} />
        <AddressProblems problems={problems} onDrop={() => ask({})} />
        <Search person={undefined} prefix={question.prefix} onPrefix={(prefix) => ask({prefix}, true)} onFind={find} />
        <PeopleList question={question} freshness={listFreshness} onAsk={ask} />
      </>
    );
  return (
    <>
      <Head title="People">
        <button
          type="button"
          class="button"
          onClick={() => ask({user: null, anonymous: null, receipt: null, prefix: null})}
        >
          <Icon name="users" />
          All people
        </button>
      </Head>
      <AddressProblems problems={problems} onDrop={() => ask({})} />
      <Search key={`${person?.kind}/${person?.id}`} person={person} onFind={find} />
      {receipt !== null && <Receipt deletionId={receipt} />}
      {person !== undefined && receipt === null && (
        <Person
          key={`${person.kind}/${person.id}`}
          person={person}
          onFind={find}
          // The id of a deleted person does not stay in the address.
          onDeleted={(deletion) => ask({user: null, anonymous: null, receipt: deletion}, true)}
        />
      )}
    </>
  );
}

/** Waits for the rest of what is typed. */
const typingMs = 250;

function Search({
  person,
  prefix = null,
  onPrefix,
  onFind,
}: {
  readonly person: PersonId | undefined;
  readonly prefix?: string | null;
  /** Gets the typed text, the prefix of the listed ids. Absent: no list is shown. */
  readonly onPrefix?: (prefix: string | null) => void;
  readonly onFind: (person: PersonId) => void;
}) {
  const [kind, setKind] = useState<PersonId['kind']>(person?.kind ?? 'user');
  const [id, setId] = useState(person?.id ?? prefix ?? '');
  const latest = useRef(onPrefix);
  latest.current = onPrefix;
  useEffect(() => {
    if (latest.current === undefined || id === (prefix ?? '')) return undefined;
    const timer = setTimeout(() => latest.current?.(id === '' ? null : id), typingMs);
    return () => clearTimeout(timer);
  }, [id]);
  return (
    <search>
      <form
        class="person-search"
        onSubmit={(event) => {
          event.preventDefault();
          if (id !== '') onFind({kind, id});
        }}
      >
        <fieldset class="choice">
          <legend class="visually-hidden">Kind of id</legend>
          <button type="button" aria-pressed={kind === 'user'} onClick={() => setKind('user')}>
            User
          </button>
          <button type="button" aria-pressed={kind === 'anonymous'} onClick={() => setKind('anonymous')}>
            Anonymous
          </button>
        </fieldset>
        <input
          data-search
          aria-label={kind === 'user' ? 'userId, exactly' : 'anonymousId, exactly'}
          placeholder={
            onPrefix === undefined ? 'Another id, exactly' : 'The beginning of an id; Enter opens the exact id'
          }
          autocomplete="off"
          spellcheck={false}
          maxLength={256}
          value={id}
          onInput={({currentTarget}) => setId(currentTarget.value)}
        />
        <button type="submit" class="button primary" disabled={id === ''}>
          <Icon name="search" />
          Find
        </button>
      </form>
    </search>
  );
}

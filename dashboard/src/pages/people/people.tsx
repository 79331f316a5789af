// People: a list of them by a text, traits and what they did; one by exact id, with their deletion and its receipt.
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
import {WithoutSwitch} from '../../shell/without-switch';
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
    ask({user: kind === 'user' ? id : null, anonymous: kind === 'anonymous' ? id : null, receipt: null, search: null});
  const isList = person === undefined && receipt === null;
  const listFreshness = useSignal<Freshness | undefined>(undefined);
  const listed = useRef<Listed['current']>(null);
  if (isList)
    return (
      <>
        <Head title="People" freshness={<FreshnessPill freshness={listFreshness.value} />}>
          <WithoutSwitch notSegment={question.not_segment} onChange={(not_segment) => ask({not_segment})} />
        </Head>
        <AddressProblems problems={problems} onDrop={() => ask({})} />
        <Search
          person={undefined}
          search={question.search}
          listed={listed}
          onSearch={(search) => ask({search}, true)}
          onFind={find}
        />
        <PeopleList question={question} freshness={listFreshness} listed={listed} onAsk={ask} />
      </>
    );
  return (
    <>
      <Head title="People">
        <button
          type="button"
          class="button"
          onClick={() => ask({user: null, anonymous: null, receipt: null, search: null})}
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

/** What the list shows, and for which search; null while it is read. */
type Listed = Parameters<typeof PeopleList>[0]['listed'];

function Search({
  person,
  search = null,
  listed,
  onSearch,
  onFind,
}: {
  readonly person: PersonId | undefined;
  readonly search?: string | null;
  readonly listed?: Listed;
  /** Gets the typed text, which listed people have. Absent: no list is shown. */
  readonly onSearch?: (search: string | null) => void;
  readonly onFind: (person: PersonId) => void;
}) {
  const [kind, setKind] = useState<PersonId['kind']>(person?.kind ?? 'user');
  const [text, setText] = useState(person?.id ?? search ?? '');
  const latest = useRef(onSearch);
  latest.current = onSearch;
  useEffect(() => {
    if (latest.current === undefined || text === (search ?? '')) return undefined;
    const timer = setTimeout(() => latest.current?.(text === '' ? null : text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  /** The person whom the search found alone; otherwise the text is an id, and its person may be newer than the list. */
  const found = (): PersonId => {
    const users = listed?.current?.search === text ? listed.current.users : [];
    const [only, ...others] = users;
    return only !== undefined && others.length === 0 ? only : {kind, id: text};
  };
  return (
    <search>
      <form
        class="person-search"
        onSubmit={(event) => {
          event.preventDefault();
          const {kind: ofKind, id} = found();
          if (text !== '') onFind({kind: ofKind, id});
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
          aria-label={onSearch === undefined ? `${kind}Id, exactly` : 'Name, e-mail or id'}
          placeholder={
            onSearch === undefined ? 'Another id, exactly' : 'A part of a name, an e-mail or an id; Enter opens'
          }
          autocomplete="off"
          spellcheck={false}
          maxLength={256}
          value={text}
          onInput={({currentTarget}) => setText(currentTarget.value)}
        />
        <button type="submit" class="button primary" disabled={text === ''}>
          <Icon name="search" />
          Find
        </button>
      </form>
    </search>
  );
}

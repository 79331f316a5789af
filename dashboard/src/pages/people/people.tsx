// One person by exact id: profile, traits, activity, events; and their deletion with its receipt.
import {useState} from 'preact/hooks';
import {type PersonId, peopleForm} from '../../address/report-address';
import {useAddress} from '../../address/use-address';
import {AddressProblems} from '../../shell/address-problems';
import {Head} from '../../shell/head';
import {Icon} from '../../shell/icon';
import {Empty} from '../../shell/states';
import {DeletePerson} from './delete-person';
import {PersonPage} from './person-page';
import {Receipt} from './receipt';
import './people.css';

export function People() {
  const {question, problems, ask} = useAddress(peopleForm);
  const [isDeleting, setDeleting] = useState(false);
  const {user, anonymous, receipt} = question;
  const person: PersonId | undefined =
    user !== null ? {kind: 'user', id: user} : anonymous !== null ? {kind: 'anonymous', id: anonymous} : undefined;
  const find = ({kind, id}: PersonId): void =>
    ask({user: kind === 'user' ? id : null, anonymous: kind === 'anonymous' ? id : null, receipt: null});
  return (
    <>
      <Head title="People" />
      <AddressProblems problems={problems} onDrop={() => ask({})} />
      <Search key={`${person?.kind}/${person?.id}`} person={person} onFind={find} />
      {receipt !== null && <Receipt deletionId={receipt} />}
      {person !== undefined && receipt === null && (
        <PersonPage
          key={`${person.kind}/${person.id}`}
          person={person}
          onFind={find}
          onDelete={() => setDeleting(true)}
        />
      )}
      {person === undefined && receipt === null && (
        <section class="card" aria-label="Nobody chosen">
          <Empty title="Find a person by their exact id">
            The id is the userId or anonymousId that their events were sent with. You see their traits and events as
            they are now, and an admin can delete all of it.
          </Empty>
        </section>
      )}
      {isDeleting && person !== undefined && (
        <DeletePerson
          person={person}
          onClose={() => setDeleting(false)}
          // The id of a deleted person does not stay in the address.
          onDeleted={(deletion) => {
            setDeleting(false);
            ask({user: null, anonymous: null, receipt: deletion}, true);
          }}
        />
      )}
    </>
  );
}

function Search({
  person,
  onFind,
}: {
  readonly person: PersonId | undefined;
  readonly onFind: (person: PersonId) => void;
}) {
  const [kind, setKind] = useState<PersonId['kind']>(person?.kind ?? 'user');
  const [id, setId] = useState(person?.id ?? '');
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
          placeholder={kind === 'user' ? 'userId, exactly' : 'anonymousId, exactly'}
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

// A person's access token: a name, a role, an optional end; shown once.
import {useState} from 'preact/hooks';
import {CardChoice} from '../../controls/card-choice';
import {DialogForm} from '../../controls/dialog-form';
import {SecretDialog} from '../../controls/secret-dialog';
import {change, type Fault, faultOf} from '../../service/client';
import type {Role} from '../../service/session';
import {roleWords} from './access';

const ends: readonly (readonly [days: number | undefined, words: string])[] = [
  [undefined, 'never'],
  [7, 'in 7 days'],
  [30, 'in 30 days'],
  [365, 'in a year'],
];

export function CreatePerson({onClose}: {readonly onClose: () => void}) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('reader');
  const [days, setDays] = useState<number>();
  const [seesTraits, setSeesTraits] = useState(true);
  const [token, setToken] = useState<string>();
  const create = async (): Promise<Fault | undefined> => {
    const body = {
      name: name.trim(),
      role,
      sees_traits: role !== 'analyst' || seesTraits,
      ...(days === undefined ? {} : {days}),
    };
    const answer = await change<{token: string}>('POST', 'people', body);
    if (answer.kind === 'value') setToken(answer.value.token);
    return faultOf(answer);
  };
  if (token !== undefined) {
    const label = `Give it to ${name} over a channel that you trust`;
    return <SecretDialog title={`Access token of ${name}`} secret={token} label={label} onClose={onClose} />;
  }
  return (
    <DialogForm
      title="Add a person"
      actText="Make the token"
      isReady={name.trim() !== ''}
      act={create}
      onClose={onClose}
    >
      <label for="person-name">Name</label>
      <input
        id="person-name"
        required
        maxLength={256}
        autocomplete="off"
        value={name}
        onInput={({currentTarget}) => setName(currentTarget.value)}
      />
      <CardChoice
        label="Role"
        name="role"
        value={role}
        options={roleWords.map(([word, may]) => ({word, title: word, lines: [may]}))}
        onChoose={setRole}
      />
      {role === 'analyst' && (
        <label class="check">
          <input
            type="checkbox"
            checked={seesTraits}
            onChange={({currentTarget}) => setSeesTraits(currentTarget.checked)}
          />
          Sees names, e-mail addresses and other traits of people; otherwise their ids alone
        </label>
      )}
      <label for="person-end">The token ends</label>
      <select
        id="person-end"
        value={days ?? ''}
        onChange={({currentTarget}) => setDays(currentTarget.value === '' ? undefined : Number(currentTarget.value))}
      >
        {ends.map(([value, words]) => (
          <option key={words} value={value ?? ''}>
            {words}
          </option>
        ))}
      </select>
    </DialogForm>
  );
}

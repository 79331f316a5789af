// A person's access token: a name, a role, an optional end; shown once.
import {useState} from 'preact/hooks';
import {Dialog} from '../../controls/dialog';
import {change, type Fault} from '../../service/client';
import type {Role} from '../../service/session';
import {FaultBox} from '../../shell/states';
import {SecretDialog} from '../keys/secret-dialog';
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
  const [token, setToken] = useState<string>();
  const [fault, setFault] = useState<Fault>();
  const create = async (): Promise<void> => {
    const body = {name: name.trim(), role, ...(days === undefined ? {} : {days})};
    const answer = await change<{token: string}>('POST', 'people', body);
    if (answer.kind === 'value') setToken(answer.value.token);
    else setFault(answer.fault);
  };
  if (token !== undefined) {
    const label = `Give it to ${name} over a channel that you trust`;
    return <SecretDialog title={`Access token of ${name}`} secret={token} label={label} onClose={onClose} />;
  }
  return (
    <Dialog title="Add a person" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
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
        <fieldset class="kinds">
          <legend>Role</legend>
          {roleWords.map(([one, may]) => (
            <label key={one} class={one === role ? 'kind chosen' : 'kind'}>
              <input type="radio" name="role" value={one} checked={one === role} onChange={() => setRole(one)} />
              <strong>{one}</strong>
              <span>{may}</span>
            </label>
          ))}
        </fieldset>
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
        {fault !== undefined && <FaultBox fault={fault} />}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={name.trim() === ''}>
            Make the token
          </button>
        </div>
      </form>
    </Dialog>
  );
}

// Deletes a person for good: what will go, the id typed in full, and then the receipt.

import {useState} from 'preact/hooks';
import type {DeletionReceipt, ProfileAnswer} from '../../../../src/edge/answers/users.js';
import {type PersonId, personPath} from '../../address/report-address';
import {count, momentText} from '../../charts/format';
import {Dialog} from '../../controls/dialog';
import {useAsked} from '../../service/asked';
import {change, type Fault} from '../../service/client';
import {useHistory} from '../../service/person-history';
import {FaultBox} from '../../shell/states';

export function DeletePerson({
  person,
  onClose,
  onDeleted,
}: {
  readonly person: PersonId;
  readonly onClose: () => void;
  readonly onDeleted: (deletionId: string) => void;
}) {
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const [asked] = useAsked<ProfileAnswer>(personPath(person));
  const [{events, hasMore}] = useHistory(person);
  const profile = asked.value.value;
  const erase = async (): Promise<void> => {
    setBusy(true);
    const answer = await change<{deletion: DeletionReceipt}>('DELETE', personPath(person));
    setBusy(false);
    if (answer.kind === 'value') return onDeleted(answer.value.deletion.id);
    // Another person deleted it first: that receipt is the answer.
    const earlier = answer.fault.more?.deletion as DeletionReceipt | undefined;
    if (earlier === undefined) setFault(answer.fault);
    else onDeleted(earlier.id);
  };
  return (
    <Dialog title="Delete this person?" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === person.id && !isBusy) void erase();
        }}
      >
        <p>
          This goes from every file and every report, and <strong>nobody can bring it back</strong>:
        </p>
        <ul class="going">
          <li>
            {hasMore ? 'at least ' : ''}
            {count(events.length)} {events.length === 1 ? 'event' : 'events'}
            {profile !== undefined && `, since ${momentText(Date.parse(profile.created_at)).slice(0, 10)}`}
          </li>
          <li>{count(Object.keys(profile?.traits ?? {}).length)} traits, and the profile</li>
        </ul>
        <p>
          A receipt says when it is done, and what was checked. Events that are sent later with this id start a new
          person.
        </p>
        <label for="deleted-id">
          Type the id, <code>{person.id}</code>
        </label>
        <input
          id="deleted-id"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={({currentTarget}) => setTyped(currentTarget.value)}
        />
        {fault !== undefined && <FaultBox fault={fault} />}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Keep them
          </button>
          <button type="submit" class="button danger" disabled={typed !== person.id || isBusy}>
            {isBusy ? 'Deleting' : 'Delete for good'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

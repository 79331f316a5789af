// Deletes a person for good: what will go, the id typed in full, and then the receipt.

import {useState} from 'preact/hooks';
import type {DeletionReceipt, ProfileAnswer} from '../../../../src/edge/answers/users.js';
import {type PersonId, personPath} from '../../address/report-address';
import {count, dateOf} from '../../charts/format';
import {DialogForm} from '../../controls/dialog-form';
import {useAsked} from '../../service/asked';
import {change, type Fault, faultOf} from '../../service/client';
import {useHistory} from '../../service/person-history';

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
  const [asked] = useAsked<ProfileAnswer>(personPath(person));
  const [{events, hasMore}] = useHistory(person);
  const profile = asked.value.value;
  const erase = async (): Promise<Fault | undefined> => {
    const answer = await change<{deletion: DeletionReceipt}>('DELETE', personPath(person));
    // Another person deleted it first: that receipt is the answer.
    const deletion =
      answer.kind === 'value' ? answer.value.deletion : (answer.fault.more?.deletion as DeletionReceipt | undefined);
    if (deletion === undefined) return faultOf(answer);
    onDeleted(deletion.id);
    return undefined;
  };
  return (
    <DialogForm
      title="Delete this person?"
      keepText="Keep them"
      actText="Delete for good"
      look="danger"
      isReady={typed === person.id}
      act={erase}
      onClose={onClose}
    >
      <p>
        This goes from every file and every report, and <strong>nobody can bring it back</strong>:
      </p>
      <ul class="going">
        <li>
          {hasMore ? 'at least ' : ''}
          {count(events.length)} {events.length === 1 ? 'event' : 'events'}
          {profile !== undefined && `, since ${dateOf(Date.parse(profile.created_at))}`}
        </li>
        <li>{count(Object.keys(profile?.traits ?? {}).length)} traits, and the profile</li>
      </ul>
      <p>
        A receipt says when it is done, and what was checked. It also lists what people wrote that names this person,
        such as saved reports and alerts: you decide about each there. Links that show such a report stop at once.
        Events that are sent later with this id start a new person.
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
    </DialogForm>
  );
}

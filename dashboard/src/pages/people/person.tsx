// One person, and the dialog that deletes them.
import {useState} from 'preact/hooks';
import type {PersonId} from '../../address/report-address';
import {DeletePerson} from './delete-person';
import {PersonPage} from './person-page';

export function Person({
  person,
  onFind,
  onDeleted,
}: {
  readonly person: PersonId;
  readonly onFind: (person: PersonId) => void;
  readonly onDeleted: (deletionId: string) => void;
}) {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <PersonPage person={person} onFind={onFind} onDelete={() => setDeleting(true)} />
      {isDeleting && <DeletePerson person={person} onClose={() => setDeleting(false)} onDeleted={onDeleted} />}
    </>
  );
}

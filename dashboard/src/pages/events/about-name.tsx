// What people say of a name of events, above its properties.
import {useState} from 'preact/hooks';
import {DialogForm} from '../../controls/dialog-form';
import {Options} from '../../controls/options';
import {type DescribedName, describedNames, useDescribedNames} from '../../service/described-names';
import {may} from '../../service/session';
import {FaultBox} from '../../shell/states';

const states = [
  ['live', 'Live'],
  ['planned', 'Planned'],
  ['retired', 'Retired'],
] as const;

export function AboutName({event}: {readonly event: string}) {
  const [isOpen, setOpen] = useState(false);
  const said = useDescribedNames().find((one) => one.event === event);
  const isKnown = describedNames.items.value !== undefined;
  const mayChange = may('analyst') && isKnown;
  if (describedNames.fault.value !== undefined && !isKnown)
    return <FaultBox fault={describedNames.fault.value} onAgain={() => void describedNames.read()} />;
  if (said === undefined && !mayChange) return null;
  return (
    <div class="about-name">
      {said !== undefined && (
        <p>
          {said.state !== 'live' && <span class="pill">{said.state}</span>} {said.description}{' '}
          {said.owner !== '' && <span class="faint">Owner: {said.owner}</span>}
        </p>
      )}
      {mayChange && (
        <button type="button" class="link" onClick={() => setOpen(true)}>
          {said === undefined ? 'Describe this event' : 'Change the description'}
        </button>
      )}
      {isOpen && <DescriptionForm event={event} said={said} onClose={() => setOpen(false)} />}
    </div>
  );
}

/** Without `event`: of a name that is planned. */
export function DescriptionForm({
  event,
  said: shown,
  onClose,
}: {
  readonly event?: string;
  readonly said?: DescribedName | undefined;
  readonly onClose: () => void;
}) {
  const [said] = useState(shown); // A change of what was shown, and of nothing newer.
  const [name, setName] = useState(event ?? '');
  const [description, setDescription] = useState(said?.description ?? '');
  const [owner, setOwner] = useState(said?.owner ?? '');
  const [state, setState] = useState(said?.state ?? (event === undefined ? 'planned' : 'live'));
  const called = name.trim();
  return (
    <DialogForm
      title={event === undefined ? 'Plan an event' : `About ${event}`}
      actText="Save"
      isReady={called !== ''}
      others={
        said !== undefined && (
          <button
            type="button"
            class="button"
            onClick={() => void describedNames.remove(said).then((fault) => fault === undefined && onClose())}
          >
            Remove
          </button>
        )
      }
      act={async () => {
        const members = {description: description.trim(), owner: owner.trim(), state};
        const fault = await (said === undefined
          ? describedNames.create({event: called, ...members})
          : describedNames.change(said, members));
        if (fault === undefined) onClose();
        return fault;
      }}
      onClose={onClose}
    >
      {event === undefined && (
        <>
          <label for="planned-name">Name of the event</label>
          <input
            id="planned-name"
            autocomplete="off"
            spellcheck={false}
            maxLength={256}
            value={name}
            onInput={({currentTarget}) => setName(currentTarget.value)}
          />
        </>
      )}
      <label for="name-description">What it means, and when it is sent</label>
      <textarea
        id="name-description"
        rows={3}
        maxLength={500}
        value={description}
        onInput={({currentTarget}) => setDescription(currentTarget.value)}
      />
      <label for="name-owner">Owner: a person or a team</label>
      <input
        id="name-owner"
        autocomplete="off"
        maxLength={100}
        value={owner}
        onInput={({currentTarget}) => setOwner(currentTarget.value)}
      />
      <Options label="State" value={state} options={states} onChoose={setState} />
      <p class="help">
        Pickers show it. Nothing is counted or refused by it: events of a planned or retired name count as ever.
      </p>
    </DialogForm>
  );
}

// Adding an alert, and editing it.
import {useState} from 'preact/hooks';
import type {AlertAnswer} from '../../../../src/edge/answers/alerts.js';
import {isEmpty} from '../../controls/form-fields';
import {change, type Fault, faultOf} from '../../service/client';
import {type AlertDraft, bodyOf, changeOf, draftOf, hasOtherRule, newDraft} from './alert-draft';
import {AlertForm} from './alert-form';
import {alertPath} from './alert-words';
import type {SavedFunnels} from './rule-fields';

export interface FormProps {
  readonly funnels: SavedFunnels;
  readonly onClose: () => void;
}

/** `begun`: fields that are filled in. */
export function CreateAlert({begun = {}, funnels, onClose}: FormProps & {readonly begun?: Partial<AlertDraft>}) {
  const create = async (draft: AlertDraft): Promise<Fault | undefined> => {
    const fault = faultOf(await change('POST', 'v1/alerts', bodyOf(draft)));
    if (fault === undefined) onClose();
    return fault;
  };
  return (
    <AlertForm
      title="Add an alert"
      draft={{...newDraft, funnel: funnels[0]?.id ?? '', ...begun}}
      funnels={funnels}
      isNew={true}
      actText="Add the alert"
      save={create}
      onClose={onClose}
    />
  );
}

/** Fields that nobody touched are not sent. What somebody else changed since the dialog opened is shown before anything is saved. */
export function EditAlert({alert: shown, funnels, onClose}: FormProps & {readonly alert: AlertAnswer}) {
  // The page asks again while the dialog is open: what was there when it opened is what the edit is compared with.
  const [alert, setAlert] = useState(shown);
  const save = async (draft: AlertDraft): Promise<Fault | undefined> => {
    const fields = changeOf(alert, draft);
    const fault = isEmpty(fields)
      ? undefined
      : faultOf(await change('PATCH', alertPath(alert), fields, `"${alert.version}"`));
    if (fault === undefined) onClose();
    return fault;
  };
  return (
    <AlertForm
      key={alert.version}
      title={`Edit ${alert.name}`}
      draft={draftOf(alert)}
      funnels={funnels}
      isNew={false}
      actText="Save"
      noteOf={(draft) => (hasOtherRule(alert, draft) ? noteOf(alert) : undefined)}
      save={save}
      onTheirs={setAlert}
      onClose={onClose}
    />
  );
}

const noteOf = ({kind}: AlertAnswer): string =>
  kind === 'stalled'
    ? 'A changed condition counts from the next publication: deadlines before that send no message.'
    : 'A changed condition resets the state of the alert. If it fired and no longer does, its receivers get a message.';

// Renames a saved report, or deletes it.
import {useState} from 'preact/hooks';
import {DialogForm} from '../../controls/dialog-form';
import {type Answer, type Fault, faultOf} from '../../service/client';
import {changeReport, deleteReport, type SavedReport, theirsOf} from '../../service/saved-reports';
import {ConfirmDialog} from '../../shell/confirm-dialog';

interface Props {
  readonly report: SavedReport;
  readonly onClose: () => void;
}

export function RenameReport({report, onClose}: Props) {
  const [name, setName] = useState(report.name);
  const [known, setKnown] = useState(report);
  const rename = async (): Promise<Fault | undefined> => {
    const answer: Answer<SavedReport> = await changeReport(report.id, {name: name.trim()}, known.version);
    if (answer.kind === 'value') return void onClose();
    const theirs = theirsOf(answer.fault);
    if (theirs === undefined) return answer.fault;
    setKnown(theirs);
    return undefined;
  };
  const isOther = known !== report;
  return (
    <DialogForm title="Rename the report" actText="Rename" isReady={name.trim() !== ''} act={rename} onClose={onClose}>
      <label for="report-name">Name, with a folder before a slash if you like</label>
      <input
        id="report-name"
        autocomplete="off"
        maxLength={256}
        value={name}
        onInput={({currentTarget}) => setName(currentTarget.value)}
      />
      {isOther && (
        <p role="alert">
          {known.changed_by} changed it meanwhile: it is called <strong>{known.name}</strong>. Nothing of that is lost;
          rename it again if you still want to.
        </p>
      )}
    </DialogForm>
  );
}

export function DeleteReport({report, onClose}: Props) {
  const erase = async (): Promise<Fault | undefined> => {
    const fault = faultOf(await deleteReport(report.id));
    return fault?.code === 'not_found' ? undefined : fault; // Somebody else was faster.
  };
  return (
    <ConfirmDialog title="Delete the report?" actText="Delete" act={erase} onDone={onClose} onClose={onClose}>
      <p>
        <strong>{report.name}</strong> goes for everybody. The numbers it asked for stay.
      </p>
    </ConfirmDialog>
  );
}

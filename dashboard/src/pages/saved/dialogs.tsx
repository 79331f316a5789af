// Renames a saved report, or deletes it.
import {useState} from 'preact/hooks';
import {Dialog} from '../../controls/dialog';
import {type Answer, type Fault, faultOf} from '../../service/client';
import {changeReport, deleteReport, type SavedReport, theirsOf} from '../../service/saved-reports';
import {ConfirmDialog} from '../../shell/confirm-dialog';
import {FaultBox} from '../../shell/states';

interface Props {
  readonly report: SavedReport;
  readonly onClose: () => void;
}

export function RenameReport({report, onClose}: Props) {
  const [name, setName] = useState(report.name);
  const [known, setKnown] = useState(report);
  const [fault, setFault] = useState<Fault>();
  const rename = async (): Promise<void> => {
    if (name.trim() === '') return;
    const answer: Answer<SavedReport> = await changeReport(report.id, {version: known.version, name: name.trim()});
    if (answer.kind === 'value') return onClose();
    setFault(answer.fault);
    setKnown(theirsOf(answer.fault) ?? known);
  };
  const isOther = known !== report;
  return (
    <Dialog title="Rename the report" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void rename();
        }}
      >
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
            {known.changed_by} changed it meanwhile: it is called <strong>{known.name}</strong>. Nothing of that is
            lost; rename it again if you still want to.
          </p>
        )}
        {fault !== undefined && !isOther && <FaultBox fault={fault} />}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Keep it
          </button>
          <button type="submit" class="button primary" disabled={name.trim() === ''}>
            Rename
          </button>
        </div>
      </form>
    </Dialog>
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

// The panel of a page's Save: a name; whom it replaces; and both versions, where somebody else changed it meanwhile.

import {useEffect, useRef, useState} from 'preact/hooks';
import {type Address, addressOf} from '../../../src/asks/address.js';
import {pageAddress} from '../address/base';
import {keptIn} from '../address/kept';
import {homeZone} from '../address/zone';
import {Moment} from '../controls/moment';
import type {Answer, Fault} from '../service/client';
import {
  changeReport,
  openedReport,
  readSavedReports,
  reportAddress,
  type SavedReport,
  savedFault,
  savedReports,
  saveReport,
  theirsOf,
} from '../service/saved-reports';
import {FaultBox, Loading} from './states';
import './save-panel.css';

/** Whether the report that was opened last is of this page. */
const isOpened = ({page}: Address): boolean => {
  const opened = openedReport.peek();
  return opened !== undefined && addressOf(opened, homeZone()).page === page;
};

export function SavePanel({address, onClose}: {readonly address: Address; readonly onClose: () => void}) {
  const [name, setName] = useState(isOpened(address) ? openedReport.peek()!.name : '');
  const [fault, setFault] = useState<Fault>();
  const [theirs, setTheirs] = useState<SavedReport>();
  const [isBusy, setBusy] = useState(false);
  const [saved, setSaved] = useState<SavedReport>();
  const field = useRef<HTMLInputElement>(null);
  const done = useRef<HTMLButtonElement>(null);
  const beside = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    void readSavedReports();
    field.current?.select(); // The popover was open before this script was here.
  }, []);
  // What had the focus is gone with the form.
  useEffect(() => (done.current ?? beside.current)?.focus(), [saved, theirs]);
  const known = savedReports.value;
  if (savedFault.value !== undefined && known === undefined)
    return <FaultBox fault={savedFault.value} onAgain={() => void readSavedReports()} />;
  const kept = keptIn(address);
  const same = known?.find((report) => report.name === name.trim());

  const take = (answer: Answer<SavedReport>): void => {
    setBusy(false);
    setFault(undefined);
    setTheirs(undefined);
    if (answer.kind === 'value') {
      openedReport.value = answer.value;
      setSaved(answer.value);
    } else if (theirsOf(answer.fault) !== undefined) setTheirs(theirsOf(answer.fault));
    else setFault(answer.fault);
  };
  const replace = async (report: SavedReport, version: string): Promise<void> => {
    setBusy(true);
    take(await changeReport(report.id, {...kept!, view: kept!.view ?? null}, version));
  };
  const save = async (): Promise<void> => {
    const text = name.trim();
    if (text === '' || isBusy || kept === undefined) return;
    if (known === undefined) {
      // Who is quicker than the list waits for it. A name that is taken is shown then, and nothing is replaced unseen.
      setBusy(true);
      await readSavedReports();
      setBusy(false);
      const listed = savedReports.peek();
      if (listed === undefined || listed.some((report) => report.name === text)) return;
    }
    const opened = openedReport.peek();
    if (same !== undefined) return replace(same, opened?.id === same.id ? opened.version : same.version);
    setBusy(true);
    take(await saveReport(text, kept!));
  };
  if (saved !== undefined)
    return (
      <div class="save-panel" role="status">
        <p>
          Saved as <strong>{saved.name}</strong>. A range such as the last 30 days stays relative.
        </p>
        <div class="buttons">
          <a class="button" href={pageAddress('/saved')}>
            Saved reports
          </a>
          <button ref={done} type="button" class="button primary" onClick={onClose}>
            Done
          </button>
        </div>
      </div>
    );
  return (
    <form
      class="save-panel"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label for="save-name">Name, with a folder before a slash if you like</label>
      <input
        id="save-name"
        ref={field}
        data-first-focus
        placeholder="Growth / Sign-ups by plan"
        autocomplete="off"
        maxLength={256}
        value={name}
        onInput={({currentTarget}) => {
          setName(currentTarget.value);
          setTheirs(undefined);
        }}
      />
      {known === undefined && <Loading lines={1} />}
      {same !== undefined && theirs === undefined && (
        <p class="help">
          This replaces what {same.changed_by} saved <Moment iso={same.changed_at} />.
        </p>
      )}
      {theirs !== undefined && (
        <div class="save-conflict" role="alert">
          <p>
            <strong>{theirs.changed_by}</strong> changed it <Moment iso={theirs.changed_at} />, after you opened it.
            Nothing was replaced: <a href={reportAddress(theirs)}>theirs</a> is saved, yours is on this page.
          </p>
          <div class="buttons">
            <button type="button" class="button" onClick={() => void replace(theirs, theirs.version)}>
              Replace theirs
            </button>
            <button
              ref={beside}
              type="button"
              class="button"
              onClick={() => {
                setName(`${theirs.name} (mine)`);
                setTheirs(undefined);
                field.current?.focus();
              }}
            >
              Save mine beside it
            </button>
          </div>
        </div>
      )}
      {kept === undefined && <p class="help">The page names no event yet: choose one first.</p>}
      {fault !== undefined && <FaultBox fault={fault} />}
      {theirs === undefined && (
        <button type="submit" class="button primary" disabled={name.trim() === '' || isBusy || kept === undefined}>
          {same === undefined ? 'Save' : 'Replace it'}
        </button>
      )}
    </form>
  );
}

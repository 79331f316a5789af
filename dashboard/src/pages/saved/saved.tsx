// Saved reports: everybody's, by folder, in an order that people give them.

import {useEffect, useState} from 'preact/hooks';
import {useLocation} from 'preact-iso';
import {addressOf} from '../../../../src/asks/address.js';
import {pageAddress} from '../../address/base';
import {folderOf, placeBetween, summaryOf} from '../../address/saved-report';
import {homeZone} from '../../address/zone';
import {Moment} from '../../controls/moment';
import {useAskAgain} from '../../service/asked';
import type {Fault} from '../../service/client';
import {
  changeReport,
  openedReport,
  readSavedReports,
  type SavedReport,
  savedFault,
  savedReports,
  saveReport,
} from '../../service/saved-reports';
import {may} from '../../service/session';
import {AskedState} from '../../shell/asked-state';
import {Card} from '../../shell/card';
import {Head} from '../../shell/head';
import {Icon} from '../../shell/icon';
import {later} from '../../shell/later';
import {NoParameters} from '../../shell/no-parameters';
import {PinButton} from '../../shell/pin-button';
import {places} from '../../shell/places';
import {RowTool} from '../../shell/row-tool';
import type {Shareable} from '../../shell/share-dialog';
import {Empty, FaultBox} from '../../shell/states';
import {DigestList} from './digest-list';
import {SegmentList} from './segment-list';
import '../../design/saved-list.css';

const RenameReport = later(() => import('./dialogs').then((part) => part.RenameReport));
const DeleteReport = later(() => import('./dialogs').then((part) => part.DeleteReport));
const ShareDialog = later<Shareable & {readonly onClose: () => void}>(() =>
  import('../../shell/share-dialog').then((part) => part.ShareDialog),
);
const ShareList = later(() => import('../../shell/share-list').then((part) => part.ShareList));

/** Only while they are not known to be the newest: an answer that comes late would undo a change of this page. */
const readAgain = (): void => void (savedFault.peek() !== undefined && readSavedReports());

type Asked = {readonly what: 'rename' | 'delete' | 'share' | 'digest'; readonly report: SavedReport};

export function Saved() {
  const [asked, setAsked] = useState<Asked>();
  const [fault, setFault] = useState<Fault>();
  const [links, setLinks] = useState(0);
  useEffect(() => void readSavedReports(), []);
  useAskAgain(readAgain);
  const reports = savedReports.value;
  const folders = new Map<string, SavedReport[]>();
  for (const report of reports ?? []) {
    const {folder} = folderOf(report.name);
    folders.set(folder, [...(folders.get(folder) ?? []), report]);
  }
  const move = async (report: SavedReport, place: number): Promise<void> => {
    const answer = await changeReport(report.id, {place});
    setFault(answer.kind === 'fault' ? answer.fault : undefined);
  };
  const duplicate = async (report: SavedReport): Promise<void> => {
    const answer = await saveReport(copyName(report.name, reports ?? []), report);
    setFault(answer.kind === 'fault' ? answer.fault : undefined);
  };
  return (
    <>
      <Head title="Saved reports" />
      <NoParameters />
      {fault !== undefined && <FaultBox fault={fault} />}
      <AskedState value={reports} fault={savedFault.value} onAgain={() => void readSavedReports()} lines={6} />
      {reports?.length === 0 && (
        <section class="card" aria-label="Nothing saved">
          <Empty title="No report is saved yet">
            Ask something on a page, such as Trends or Retention, and press Save there. It is here then, for everybody
            who may sign in; a range such as the last 30 days moves along.
          </Empty>
        </section>
      )}
      {[...folders].map(([folder, inIt]) => (
        <div class="row" key={folder}>
          <Card span={12} title={folder === '' ? 'Reports' : folder} note={String(inIt.length)}>
            <ol class="saved-list">
              {inIt.map((report, at) => (
                <Row
                  key={report.id}
                  report={report}
                  onUp={
                    at === 0
                      ? undefined
                      : () => void move(report, placeBetween(inIt[at - 2]?.place, inIt[at - 1]!.place))
                  }
                  onDown={
                    at === inIt.length - 1
                      ? undefined
                      : () => void move(report, placeBetween(inIt[at + 1]!.place, inIt[at + 2]?.place))
                  }
                  onDuplicate={() => void duplicate(report)}
                  onAsk={(what) => setAsked({what, report})}
                />
              ))}
            </ol>
          </Card>
        </div>
      ))}
      {may('analyst') && (
        <div class="row">
          <DigestList
            of={asked?.what === 'digest' ? asked.report.id : undefined}
            onSent={() => setAsked((now) => (now?.what === 'digest' ? undefined : now))}
          />
        </div>
      )}
      <div class="row">
        <SegmentList />
      </div>
      {may('admin') && (
        <div class="row">
          <ShareList key={links} />
        </div>
      )}
      {asked?.what === 'share' && (
        <ShareDialog
          report={asked.report}
          onClose={() => {
            setAsked(undefined);
            setLinks(links + 1);
          }}
        />
      )}
      {asked?.what === 'rename' && <RenameReport report={asked.report} onClose={() => setAsked(undefined)} />}
      {asked?.what === 'delete' && <DeleteReport report={asked.report} onClose={() => setAsked(undefined)} />}
    </>
  );
}

/** `Growth (copy)`, `Growth (copy 2)`. */
function copyName(name: string, reports: readonly SavedReport[]): string {
  for (let at = 1; ; at++) {
    const copy = `${name} (copy${at === 1 ? '' : ` ${at}`})`;
    if (!reports.some((report) => report.name === copy)) return copy;
  }
}

function Row({
  report,
  onUp,
  onDown,
  onDuplicate,
  onAsk,
}: {
  readonly report: SavedReport;
  /** Undefined: it is at the end. */
  readonly onUp: (() => void) | undefined;
  readonly onDown: (() => void) | undefined;
  readonly onDuplicate: () => void;
  readonly onAsk: (what: Asked['what']) => void;
}) {
  const {route} = useLocation();
  const {name, changed_at: changedAt, changed_by: changedBy} = report;
  const {page, search} = addressOf(report, homeZone());
  const place = places.find(({path}) => path === page);
  const {leaf} = folderOf(name);
  const address = pageAddress(page) + search;
  const mayChange = may('analyst');
  return (
    <li data-row>
      <Icon name={place?.icon ?? 'bookmark'} />
      <span class="saved-name">
        <a
          href={address}
          onClick={(event) => {
            openedReport.value = report;
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            route(address);
          }}
        >
          {leaf}
        </a>
        <span class="faint">{[place?.name, summaryOf(report.questions[0]!)].filter(Boolean).join(': ')}</span>
      </span>
      <span class="saved-who faint">
        <Moment iso={changedAt} /> by {changedBy}
      </span>
      <span class="saved-tools">
        <PinButton page={page} search={search} />
        {mayChange && (
          <>
            <RowTool label={`Move ${leaf} up`} icon="ChevronUp" onClick={onUp} />
            <RowTool label={`Move ${leaf} down`} icon="chevronDown" onClick={onDown} />
            {may('admin') && <RowTool label={`Share ${leaf}`} icon="send" onClick={() => onAsk('share')} />}
            <RowTool label={`Send ${leaf} as a digest`} icon="calendar" onClick={() => onAsk('digest')} />
            <RowTool label={`Rename ${leaf}`} icon="Rename" onClick={() => onAsk('rename')} />
            <RowTool label={`Duplicate ${leaf}`} icon="Copy" onClick={onDuplicate} />
            <RowTool label={`Delete ${leaf}`} icon="Trash" onClick={() => onAsk('delete')} />
          </>
        )}
      </span>
    </li>
  );
}

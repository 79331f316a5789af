// The dialog that makes a link. Whoever has the link sees one saved report or board. The dialog shows the link once.
import {useState} from 'preact/hooks';
import {dayMs} from '../../../actors/limits.js';
import type {CreatedShareAnswer} from '../../../src/edge/answers/shares.js';
import {sharePath} from '../address/base';
import {CopyButton} from '../controls/copy-button';
import {Dialog} from '../controls/dialog';
import {DialogForm} from '../controls/dialog-form';
import {Options} from '../controls/options';
import {Snippet} from '../controls/snippet';
import type {Board} from '../service/boards';
import {change, type Fault, faultOf} from '../service/client';
import {now} from '../service/now';
import type {SavedReport} from '../service/saved-reports';
import {sentence} from './states';
import './share-dialog.css';

const ends = [
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['never', 'Never'],
] as const;
type End = (typeof ends)[number][0];

const shows = [
  ['frozen', 'The report as it is now'],
  ['follows', 'What the report becomes, when somebody changes it'],
] as const;

/** A saved report or a board. */
export type Shareable =
  | {readonly report: SavedReport; readonly board?: undefined}
  | {readonly board: Board; readonly report?: undefined};

export function ShareDialog({report, board, onClose}: Shareable & {readonly onClose: () => void}) {
  const [end, setEnd] = useState<End>('30');
  const [show, setShow] = useState<(typeof shows)[number][0]>('frozen');
  const [sites, setSites] = useState('');
  const [naming, setNaming] = useState<Fault>();
  const [made, setMade] = useState<CreatedShareAnswer>();
  if (made !== undefined) return <Made share={made} onClose={onClose} />;

  const shown =
    report === undefined ? {board: board.id} : show === 'follows' ? {report: report.id} : questionsOf(report);
  const share = async (): Promise<Fault | undefined> => {
    const answer = await change<CreatedShareAnswer>('POST', 'v1/shares', {
      ...shown,
      ends_at: end === 'never' ? end : new Date(now.value + Number(end) * dayMs).toISOString(),
      origins: sites.split(/\s+/).filter((site) => site !== ''),
      may_name_people: naming !== undefined,
    });
    if (answer.kind === 'value') setMade(answer.value);
    const fault = faultOf(answer);
    if (fault?.field !== 'may_name_people') return fault;
    setNaming(fault);
    return undefined;
  };
  return (
    <DialogForm
      title={`Share ${(report ?? board).name}`}
      actText={naming ? 'Share it all the same' : 'Make the link'}
      look={naming ? 'danger' : 'primary'}
      act={share}
      onClose={onClose}
    >
      <p>
        {report === undefined
          ? 'Whoever has the link sees this one board as it then is, without signing in. '
          : 'Whoever has the link sees this one report, its numbers and how they are counted, without signing in. '}
        It leads to nothing else. A range such as the last 30 days moves along.
      </p>
      {report !== undefined && <Options label="The link shows" value={show} options={shows} onChoose={setShow} />}
      <Options label="It ends" value={end} options={ends} onChoose={setEnd} />
      <label for="share-sites">Sites that may embed it, if any: origins such as https://wiki.example.com</label>
      <textarea
        id="share-sites"
        rows={2}
        value={sites}
        spellcheck={false}
        onInput={({currentTarget}) => setSites(currentTarget.value)}
      />
      {naming !== undefined && (
        <p class="share-people" role="alert">
          {sentence(naming.message)}
        </p>
      )}
    </DialogForm>
  );
}

const questionsOf = ({name, questions, view}: SavedReport) => ({name, questions, view});

function Made({share, onClose}: {readonly share: CreatedShareAnswer; readonly onClose: () => void}) {
  const link = `${location.origin}${sharePath}${share.token}`;
  const frame = `<iframe src="${link}" title="${share.name.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}" width="100%" height="720"></iframe>`;
  return (
    <Dialog title={`Link to ${share.name}`} onClose={onClose}>
      <div class="share-form">
        <label for="share-link">The link</label>
        <div class="with-button">
          <input
            id="share-link"
            class="mono"
            readOnly
            value={link}
            onFocus={({currentTarget}) => currentTarget.select()}
          />
          <CopyButton text={link} what="Copy the link" />
        </div>
        {share.origins.length > 0 && (
          <>
            <div class="share-frame">
              <span>To embed it</span>
              <CopyButton text={frame} what="Copy the frame" />
            </div>
            <Snippet label="Frame for another site" text={frame} />
          </>
        )}
        <p class="help">
          It is shown now and never again. Revoke it under Links, on the page Saved reports, at any time: it shows
          nothing from then on.
        </p>
        <div class="dialog-foot">
          <button type="button" class="button primary" onClick={onClose}>
            Done
          </button>
        </div>
      </div>
    </Dialog>
  );
}

// The people behind a number, page by page; each leads to a profile.
import {useEffect, useState} from 'preact/hooks';
import type {FunnelUsersAnswer} from '../../../src/edge/answers/funnels.js';
import type {UsersAnswer} from '../../../src/edge/answers/users.js';
import {pageAddress} from '../address/base';
import {addressAsking} from '../address/codec';
import {peopleForm} from '../address/report-address';
import {momentText} from '../charts/format';
import {type Fault, read} from '../service/client';
import {may} from '../service/session';
import {act} from '../shell/later';
import {FaultBox, Loading} from '../shell/states';
import {listedText, type PeopleList} from './explanation';
import './people-behind.css';

/** Person of either list, with the time that the list has. */
type Person = Pick<FunnelUsersAnswer['data'][number], 'id' | 'kind' | 'value'> &
  Partial<Pick<FunnelUsersAnswer['data'][number], 'at'> & Pick<UsersAnswer['data'][number], 'last_seen'>>;

export interface PeoplePage {
  readonly data: readonly Person[];
  readonly next_cursor: string | null;
}

const shownAtOnce = 50;
/** Code of the service for a snapshot that it does not hold any more. */
const gone = 'snapshot_gone';

type PeopleBehindProps = PeopleList & {
  /** Position of the report that has the number: the list reads the same snapshots while they are held. */
  readonly position: string | undefined;
};

export function PeopleBehind({path, when, total, position}: PeopleBehindProps) {
  const [people, setPeople] = useState<readonly Person[]>();
  const [cursor, setCursor] = useState<string | null>(null);
  const [fault, setFault] = useState<Fault>();
  const [isNewer, setNewer] = useState(false);
  const [asked, setAsked] = useState<number>();
  const [isDownloading, setDownloading] = useState(false);
  const isAllowed = may('analyst');
  const ask = async (after: string | null, isCurrent: () => boolean, isAtNewest = isNewer): Promise<void> => {
    const more = after === null ? '' : `&cursor=${encodeURIComponent(after)}`;
    const at = isAtNewest || position === '' ? undefined : position;
    const answer = await read<PeoplePage>(`${path}&limit=${shownAtOnce}${more}`, undefined, at);
    if (!isCurrent()) return;
    if (answer.kind === 'fault' && answer.fault.code === gone) {
      setNewer(true);
      return ask(null, isCurrent, true);
    }
    setFault(answer.kind === 'fault' ? answer.fault : undefined);
    if (answer.kind === 'fault') return;
    setPeople((before) => [...(after === null ? [] : (before ?? [])), ...answer.value.data]);
    setCursor(answer.value.next_cursor);
    if (after !== null || answer.value.next_cursor === null || typeof total === 'number') return;
    // A list that ends on its first page is counted by itself.
    const report = await read<{readonly total_value: number}>(total, undefined, at);
    if (isCurrent() && report.kind !== 'fault') setAsked(report.value.total_value);
  };
  useEffect(() => {
    let isCurrent = true;
    if (isAllowed) void ask(null, () => isCurrent);
    return () => {
      isCurrent = false;
    };
  }, [path]);
  const download = async (): Promise<void> => {
    setDownloading(true);
    await act(
      () => import('./people-download'),
      async ({downloadPeople}) =>
        setFault(await downloadPeople(path, isNewer || position === '' ? undefined : position)),
    ).finally(() => setDownloading(false));
  };
  if (!isAllowed) return <p class="help">Who they are is shown to the role analyst.</p>;
  if (fault !== undefined) return <FaultBox fault={fault} onAgain={() => void ask(null, () => true)} />;
  if (people === undefined) return <Loading lines={4} />;
  if (people.length === 0) return <p class="help">Nobody.</p>;
  // The explained number is older than a newer list.
  const known = typeof total === 'string' ? asked : isNewer ? undefined : total;
  return (
    <>
      <p class="people-listed">{listedText(people.length, cursor !== null, known)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
      <section class="people-behind" tabIndex={0} aria-label="People">
        <table class="grid-table">
          <thead>
            <tr>
              <th>User</th>
              <th class="number">{when} (UTC)</th>
            </tr>
          </thead>
          <tbody>
            {people.map(({id, kind, value, at, last_seen: lastSeen}) => (
              <tr key={`${kind}/${id}/${value}`}>
                <td class="name">
                  <a href={pageAddress('/people') + addressAsking(peopleForm, {[kind]: id})} title={id}>
                    {id}
                  </a>
                  {kind === 'anonymous' && <span class="faint"> anonymous</span>}
                  {value !== undefined && <span class="faint"> {value}</span>}
                </td>
                <td class="number">{momentText(Date.parse((at ?? lastSeen)!))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <div class="people-ways">
        {cursor !== null && (
          <button type="button" class="link" onClick={() => void ask(cursor, () => true)}>
            Show {shownAtOnce} more
          </button>
        )}
        <button type="button" class="link" disabled={isDownloading} onClick={() => void download()}>
          {isDownloading ? 'Reading all of them' : 'Download as CSV'}
        </button>
      </div>
      {isNewer && (
        <p class="help">The number is older than this list: reports were published since, and the old ones are gone.</p>
      )}
    </>
  );
}

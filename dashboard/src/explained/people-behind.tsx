// The people behind a number, page by page; each leads to a profile.
import {useEffect, useState} from 'preact/hooks';
import type {NumberPlace} from '../../../src/asks/question/flat.js';
import type {UsersAnswer} from '../../../src/edge/answers/users.js';
import {pageAddress} from '../address/base';
import {addressAsking} from '../address/codec';
import {peopleForm} from '../address/report-address';
import {momentText} from '../charts/format';
import {PersonName} from '../controls/person-name';
import type {Fault} from '../service/client';
import {askAlone} from '../service/questions';
import {may} from '../service/session';
import {titleIn} from '../service/titles';
import {act} from '../shell/later';
import {FaultBox, Loading} from '../shell/states';
import {listedText} from './explanation';
import './people-behind.css';

export type PeoplePage = Pick<UsersAnswer, 'data' | 'next_cursor' | 'total'>;

/** `at`: position of the report that has the number; undefined: the newest. */
export const askPeople = (
  behind: NumberPlace,
  page: {readonly limit: number; readonly cursor: string | undefined},
  at: string | undefined,
) => askAlone({report: 'people', behind, ...page}, at);

const shownAtOnce = 50;
/** Code of the service for a snapshot that it does not hold any more. */
const gone = 'snapshot_gone';

type PeopleBehindProps = NumberPlace & {
  /** Position of the report that has the number: the list reads the same snapshots while they are held. */
  readonly position: string | undefined;
};

export function PeopleBehind({question, point, position}: PeopleBehindProps) {
  const [people, setPeople] = useState<PeoplePage['data']>();
  const [cursor, setCursor] = useState<string | null>(null);
  const [fault, setFault] = useState<Fault>();
  const [isNewer, setNewer] = useState(false);
  const [total, setTotal] = useState<number>();
  const [isDownloading, setDownloading] = useState(false);
  const isAllowed = may('analyst');
  const ask = async (after: string | null, isCurrent: () => boolean, isAtNewest = isNewer): Promise<void> => {
    const at = isAtNewest || position === '' ? undefined : position;
    const page = {limit: shownAtOnce, cursor: after ?? undefined};
    const answer = await askPeople({question, point}, page, at);
    if (!isCurrent()) return;
    if (answer.kind === 'fault' && answer.fault.code === gone) {
      setNewer(true);
      return ask(null, isCurrent, true);
    }
    setFault(answer.kind === 'fault' ? answer.fault : undefined);
    if (answer.kind === 'fault') return;
    const {data, next_cursor: next, total: all} = answer.value as PeoplePage;
    setPeople((before) => [...(after === null ? [] : (before ?? [])), ...data]);
    setCursor(next);
    setTotal(all);
  };
  useEffect(() => {
    let isCurrent = true;
    if (isAllowed) void ask(null, () => isCurrent);
    return () => {
      isCurrent = false;
    };
  }, [question, point]);
  const download = async (): Promise<void> => {
    setDownloading(true);
    await act(
      () => import('./people-download'),
      async ({downloadPeople}) =>
        setFault(await downloadPeople({question, point}, isNewer || position === '' ? undefined : position)),
    ).finally(() => setDownloading(false));
  };
  if (!isAllowed) return <p class="help">Who they are is shown to the role analyst.</p>;
  if (fault !== undefined) return <FaultBox fault={fault} onAgain={() => void ask(null, () => true)} />;
  if (people === undefined) return <Loading lines={4} />;
  if (people.length === 0) return <p class="help">Nobody.</p>;
  return (
    <>
      <p class="people-listed">{listedText(people.length, cursor !== null, total)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
      <section class="people-behind" tabIndex={0} aria-label="People">
        <table class="grid-table">
          <thead>
            <tr>
              <th>User</th>
              <th class="number">Last seen (UTC)</th>
            </tr>
          </thead>
          <tbody>
            {people.map(({id, kind, last_seen: lastSeen, traits}) => (
              <tr key={`${kind}/${id}`}>
                <td class="name">
                  <PersonName person={{kind, id}} title={titleIn(traits)}>
                    {(text) => <a href={pageAddress('/people') + addressAsking(peopleForm, {[kind]: id})}>{text}</a>}
                  </PersonName>
                </td>
                <td class="number">{momentText(Date.parse(lastSeen))}</td>
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

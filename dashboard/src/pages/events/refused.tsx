// Refusals of the last hour by code, field and key: the place to search for missing events.

import {useEffect, useState} from 'preact/hooks';
import type {ListedRejection, RejectedAnswer} from '../../../../src/edge/answers/rejected.js';
import type {SeenRefusals} from '../../../../src/edge/dashboard/answers/stream.js';
import {pageAddress} from '../../address/base';
import {count} from '../../charts/format';
import {Moment} from '../../controls/moment';
import {TableFrame} from '../../controls/table-frame';
import {useAsked} from '../../service/asked';
import {now} from '../../service/now';
import {may} from '../../service/session';
import {useTopic} from '../../service/stream';
import {Card} from '../../shell/card';
import {Empty, FaultBox, Loading} from '../../shell/states';
import {refusalText} from './refusal-words';

interface Group {
  readonly newest: ListedRejection;
  count: number;
}

const hourMs = 3_600_000;
const limit = 1_000;
const settleMs = 1_000;

export function groupsOf(data: readonly ListedRejection[], sinceMs: number): Group[] {
  const groups = new Map<string, Group>();
  for (const one of data) {
    if (Date.parse(one.at) < sinceMs) continue;
    const kind = JSON.stringify([one.code, one.field, one.key_id]);
    const known = groups.get(kind);
    if (known === undefined)
      groups.set(kind, {newest: one, count: 1}); // The newest come first.
    else known.count += 1;
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

export function RefusedEvents() {
  const [asked, ask] = useAsked<RejectedAnswer>(`v1/rejected?limit=${limit}`);
  const [isNews, setNews] = useState(false);
  const [denied, setDenied] = useState<Readonly<Record<string, number>>>({});
  useTopic<SeenRefusals>('refusals', ({refusals}) => {
    setNews(true);
    setDenied((before) => {
      const after = {...before};
      for (const one of refusals) if (one.key_id === null) after[one.code] = (after[one.code] ?? 0) + one.count;
      return after;
    });
  });
  useEffect(() => {
    if (!isNews) return undefined;
    const timer = setTimeout(() => {
      setNews(false);
      ask();
    }, settleMs);
    return () => clearTimeout(timer);
  }, [isNews]);
  const {value, fault} = asked.value;
  const groups = value === undefined ? [] : groupsOf(value.data, now.value - hourMs);
  const withoutKey = Object.entries(denied);
  return (
    <>
      <Card
        span={12}
        title="Refused in the last hour"
        note={value?.has_more ? `of the newest ${count(limit)}` : 'by what was wrong'}
      >
        {fault !== undefined && <FaultBox fault={fault} onAgain={ask} />}
        {value === undefined && fault === undefined && <Loading lines={5} />}
        {value !== undefined && groups.length === 0 && (
          <Empty title="Nothing was refused">
            Events that are not valid are listed here by what was wrong with them, for as long as this process runs.
            What a client sent is never shown but for the name of the event.
          </Empty>
        )}
        {groups.length > 0 && (
          <TableFrame label="Refusals in a table">
            <table class="grid-table refused-table">
              <thead>
                <tr>
                  <th>What was wrong</th>
                  <th>Field</th>
                  <th class="number">Times</th>
                  <th>Newest</th>
                  <th>Event</th>
                  <th>Key</th>
                </tr>
              </thead>
              <tbody>
                {groups.map(({newest, count: times}) => (
                  <tr key={`${newest.code} ${newest.field} ${newest.key_id}`}>
                    <td class="refusal-why">
                      {refusalText(newest.code, newest.field)} <code class="faint">{newest.code}</code>
                    </td>
                    <td class="named" title={newest.field ?? undefined}>
                      {newest.field ?? <span class="faint">the whole body</span>}
                    </td>
                    <td class="number">{count(times)}</td>
                    <td>
                      <Moment iso={newest.at} />
                    </td>
                    <td class="named" title={newest.event ?? undefined}>
                      {newest.event ?? <span class="faint">not readable</span>}
                    </td>
                    <td>
                      {newest.key_id === null ? (
                        <span class="faint">not known</span>
                      ) : may('admin') ? (
                        <a class="link" href={pageAddress('/settings/keys')}>
                          {newest.key_id}
                        </a>
                      ) : (
                        newest.key_id
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </TableFrame>
        )}
      </Card>
      {withoutKey.length > 0 && (
        <Card span={12} title="Without a valid key" note="since this page was opened">
          <ul class="denied">
            {withoutKey.map(([code, times]) => (
              <li key={code}>
                {refusalText(code, null)} <code class="faint">{code}</code> {count(times)} times
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

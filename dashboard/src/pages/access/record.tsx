// The record: who did what when, and who tried to get in.

import {useEffect, useState} from 'preact/hooks';
import type {RecordAnswer, RecordLine} from '../../../../src/edge/dashboard/answers/record.js';
import {count} from '../../charts/format';
import {Moment} from '../../controls/moment';
import {TableFrame} from '../../controls/table-frame';
import {type Fault, faultOf, read} from '../../service/client';
import {Card} from '../../shell/card';
import {Empty, FaultBox, Loading} from '../../shell/states';

const words: Readonly<Record<RecordLine['what'], string>> = {
  'key.created': 'Created a key or token',
  'key.changed': 'Changed the limits of a key',
  'key.revoked': 'Revoked a key or token',
  'user.deleted': 'Deleted a person',
  'name.deleted': 'Deleted events of a name',
  'saved-report.created': 'Saved a report',
  'saved-report.changed': 'Changed a saved report',
  'saved-report.deleted': 'Deleted a saved report',
  'share.created': 'Made a link that shares a report',
  'share.changed': 'Changed a link that shares a report',
  'share.deleted': 'Revoked a link that shares a report',
  'board.created': 'Made a board',
  'board.changed': 'Changed a board',
  'board.deleted': 'Deleted a board',
  'annotation.created': 'Made an annotation',
  'annotation.changed': 'Changed an annotation',
  'annotation.deleted': 'Deleted an annotation',
  'segment.created': 'Made a segment',
  'segment.changed': 'Changed a segment',
  'segment.deleted': 'Deleted a segment',
  'described-name.created': 'Described a name of events',
  'described-name.changed': 'Changed the description of a name',
  'described-name.deleted': 'Removed the description of a name',
  'alert.created': 'Created an alert',
  'alert.changed': 'Changed an alert',
  'alert.deleted': 'Deleted an alert',
  'digest.created': 'Made a digest',
  'digest.changed': 'Changed a digest',
  'digest.deleted': 'Deleted a digest',
  'funnel.created': 'Saved a funnel',
  'funnel.changed': 'Renamed a saved funnel',
  'funnel.deleted': 'Deleted a saved funnel',
  'webhook.created': 'Created a webhook',
  'webhook.changed': 'Changed a webhook',
  'webhook.secret-rotated': 'Gave a webhook a new secret',
  'webhook.replayed': 'Sent deliveries of a webhook again',
  'webhook.deleted': 'Deleted a webhook',
  'names.hidden': 'Changed which names are hidden',
  'properties.hidden': 'Changed which properties are hidden',
  'titles.changed': 'Changed what people are called by',
  'internal-users.changed': 'Changed which users are internal',
  'dashboard.signed-in': 'Signed in',
  'dashboard.sessions-ended': 'Signed everybody out',
  'admin.refused': 'Refused: a wrong admin token',
  'key.refused': 'Refused: a key that is unknown or revoked',
  'sign-in.refused': 'Refused: a sign-in that is not valid',
  'record.lost': 'Lines are missing: the store took none',
};

export function RecordCard() {
  const [lines, setLines] = useState<readonly RecordLine[]>();
  const [before, setBefore] = useState<number | null>(null);
  const [fault, setFault] = useState<Fault>();
  const ask = async (from: number | null): Promise<void> => {
    const answer = await read<RecordAnswer>(from === null ? 'record' : `record?before=${from}`);
    setFault(faultOf(answer));
    if (answer.kind === 'fault') return;
    const {record, before: next} = answer.value;
    setLines((known) => (from === null ? record : [...(known ?? []), ...record]));
    setBefore(next);
  };
  useEffect(() => void ask(null), []);
  return (
    <Card span={12} title="Record" note="the newest 10,000 lines; older ones are in the log of the service">
      {fault !== undefined && <FaultBox fault={fault} onAgain={() => void ask(lines === undefined ? null : before)} />}
      {lines === undefined && fault === undefined && <Loading />}
      {lines?.length === 0 && (
        <Empty title="Nothing yet">
          Changes of keys and tokens, of reports, alerts and webhooks, deletions and sign-ins are listed here.
        </Empty>
      )}
      {lines !== undefined && lines.length > 0 && (
        <TableFrame label="Record in a table">
          <table class="grid-table record-table">
            <thead>
              <tr>
                <th>When</th>
                <th>What</th>
                <th>Which</th>
                <th>By</th>
                <th>From</th>
              </tr>
            </thead>
            <tbody>
              {lines.map((line, at) => (
                <tr key={`${line.at} ${at}`}>
                  <td>
                    <Moment iso={line.at} />
                  </td>
                  <td>
                    {words[line.what] ?? line.what}
                    {line.count > 1 && `, ${count(line.count)} times`}
                  </td>
                  <td>
                    {line.name ?? ''} {line.subject !== null && <code class="faint">{line.subject}</code>}
                  </td>
                  <td>{line.by === null ? <span class="faint">not known</span> : (authors[line.by] ?? line.by)}</td>
                  <td>{line.address ?? <span class="faint">{unsaid[line.what] ?? 'this machine'}</span>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
      {before !== null && (
        <button type="button" class="button older-lines" onClick={() => void ask(before)}>
          Show older lines
        </button>
      )}
    </Card>
  );
}

/** Where a line says nothing of the client. */
const unsaid: Partial<Readonly<Record<RecordLine['what'], string>>> = {'key.refused': 'not stored', 'record.lost': ''};

const authors: Readonly<Record<string, string>> = {admin: 'the operator', start: 'a start of the service'};

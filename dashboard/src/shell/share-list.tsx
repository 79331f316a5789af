// Links that share a report: who made them, how often they are read, until when; and their end, at once.
import {useState} from 'preact/hooks';
import type {ShareAnswer} from '../../../src/edge/answers/shares.js';
import {count, dateOf, momentText} from '../charts/format';
import {ActionsTable} from '../controls/actions-table';
import {Moment} from '../controls/moment';
import {useAskAgain, useAsked} from '../service/asked';
import {change, type Fault, faultOf, type Listed} from '../service/client';
import {now} from '../service/now';
import {AskedState} from './asked-state';
import {Card} from './card';
import {ConfirmDialog} from './confirm-dialog';
import {Empty} from './states';
import './share-list.css';

export function ShareList() {
  const [asked, ask] = useAsked<Listed<ShareAnswer>>('v1/shares');
  const [revoking, setRevoking] = useState<ShareAnswer>();
  useAskAgain(ask);
  const {value, fault} = asked.value;
  const shares = [...(value?.data ?? [])].reverse(); // The newest first.
  return (
    <Card span={12} title="Links" note="each shows one report or board, without signing in">
      <AskedState value={value} fault={fault} onAgain={ask} />
      {value !== undefined && shares.length === 0 && (
        <Empty title="Nothing is shared">
          Share a saved report or a board, and its link is here until it is revoked.
        </Empty>
      )}
      {shares.length > 0 && (
        <ActionsTable
          label="Links in a table"
          look="share-links"
          columns={['Report', 'Made', 'Ends', 'Reads', 'Last read']}
        >
          {shares.map((share) => (
            <tr key={share.id}>
              <td>
                {share.name} <span class="faint">{wordsOf(share)}</span>
              </td>
              <td>
                <Moment iso={share.created_at} /> by {share.created_by}
              </td>
              <td>{endOf(share)}</td>
              <td class="number">{count(share.reads)}</td>
              <td>
                <Moment iso={share.last_read_at} />
              </td>
              <td class="row-actions">
                <button type="button" class="link bad" onClick={() => setRevoking(share)}>
                  Revoke<span class="visually-hidden"> the link to {share.name}</span>
                </button>
              </td>
            </tr>
          ))}
        </ActionsTable>
      )}
      {revoking !== undefined && (
        <ConfirmDialog
          title={`Revoke the link to ${revoking.name}?`}
          actText="Revoke the link"
          act={async () => revoked(faultOf(await change('DELETE', `v1/shares/${revoking.id}`)))}
          onDone={() => {
            setRevoking(undefined);
            ask();
          }}
          onClose={() => setRevoking(undefined)}
        >
          <p>It shows nothing from then on, wherever it is. What it showed stays.</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

/** Fault of a revocation; none if another person revoked the link first. */
const revoked = (fault: Fault | undefined): Fault | undefined => (fault?.code === 'not_found' ? undefined : fault);

function wordsOf({report, board, is_shown: isShown, origins}: ShareAnswer): string {
  const what = board === undefined ? 'report' : 'board';
  const words = [
    ...((report ?? board) === undefined
      ? ['as it was']
      : isShown
        ? [`follows the ${what}`]
        : [`its ${what} was deleted`]),
    ...(origins.length === 0 ? [] : [`embedded in ${origins.join(', ')}`]),
  ];
  return words.join(', ');
}

function endOf({ends_at: end}: ShareAnswer) {
  if (end === 'never') return <span class="faint">never</span>;
  const ms = Date.parse(end);
  const date = dateOf(ms);
  return ms <= now.value ? (
    <span class="faint">ended {date}</span>
  ) : (
    <span title={`${momentText(ms)} UTC`}>{date}</span>
  );
}

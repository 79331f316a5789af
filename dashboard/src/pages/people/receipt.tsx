// The receipt of a deletion: its steps while it is pending, and what was checked once it is completed.

import {useEffect} from 'preact/hooks';
import type {DeletionReceipt} from '../../../../src/edge/answers/users.js';
import {deletionPath} from '../../address/report-address';
import {momentText} from '../../charts/format';
import {useAsked} from '../../service/asked';
import {now} from '../../service/now';
import {Card} from '../../shell/card';
import {download} from '../../shell/download';
import {Icon} from '../../shell/icon';
import {ReportTools} from '../../shell/page-tools';
import {FaultBox, Loading} from '../../shell/states';
import {NamedBy} from './named-by';
import {receiptWords} from './receipt-words';

export function Receipt({deletionId}: {readonly deletionId: string}) {
  const [asked, ask] = useAsked<{deletion: DeletionReceipt}>(deletionPath(deletionId));
  const {value, fault} = asked.value;
  const deletion = value?.deletion;
  const isPending = deletion?.status === 'pending';
  const words = deletion?.status === 'completed' ? receiptWords(deletion) : undefined;
  const left = deletion?.named_by.filter((one) => one.is_there).length ?? 0;
  const turn = isPending ? now.value : 0;
  useEffect(() => {
    if (turn > 0) ask();
  }, [turn]);
  return (
    <div class="row">
      <Card
        span={12}
        title="Receipt of a deletion"
        tools={
          <>
            <ReportTools paths={[deletionPath(deletionId)]} />
            {deletion !== undefined && (
              <button
                type="button"
                class="button"
                onClick={() =>
                  download(`${deletion.id}.json`, 'application/json', `${JSON.stringify({deletion}, undefined, 2)}\n`)
                }
              >
                <Icon name="Download" />
                Download
              </button>
            )}
          </>
        }
      >
        {fault !== undefined && <FaultBox fault={fault} onAgain={ask} />}
        {deletion === undefined && fault === undefined && <Loading />}
        {deletion !== undefined && (
          <div class="receipt">
            <p role="status">
              <span class={isPending ? 'pill warn' : 'pill'}>{isPending ? 'Under way' : 'Completed'}</span>{' '}
              {isPending
                ? 'The deletion is stored and will be completed, even if the service stops. Files are rewritten now; this page follows.'
                : `${words!.free} has been free of what was deleted since ${momentText(Date.parse(deletion.completed_at!))} UTC${left === 0 ? '.' : `, but for ${left === 1 ? 'one thing' : `${left} things`} that people wrote, listed below.`}`}
            </p>
            {words !== undefined && (
              <>
                <h3>What was deleted</h3>
                <p>{words.deleted}</p>
                <h3>What was checked</h3>
                <ul class="verified" aria-label="What was checked">
                  {words.checks.map((one) => (
                    <li key={one}>
                      <Icon name="Check" />
                      {one}
                    </li>
                  ))}
                </ul>
                <h3>What is left to decide</h3>
                {left === 0 && <p>Nothing that people wrote in this service names the person any more.</p>}
                {deletion.named_by.length > 0 && <NamedBy deletionId={deletionId} onDeleted={ask} />}
                <p class="help">
                  Data that left the service before is not in its hands: exports, what webhooks sent, copies of the
                  disk. A backup that is restored is cleaned again, by the journal of deletions (DELETIONS_DIR).
                </p>
              </>
            )}
            <p class="help">
              Receipt <code>{deletion.id}</code>. It has no name and no id of the person, so you can file it; with this
              id it can be asked for again.
            </p>
            {deletion.verified !== null && (
              <details class="receipt-raw">
                <summary>For engineers: position in the log, and each check as it was written</summary>
                <code>{deletion.log_position}</code>
                <ul>
                  {deletion.verified.map((one) => (
                    <li key={one}>
                      <code>{one}</code>
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </div>
        )}
      </Card>
    </div>
  );
}

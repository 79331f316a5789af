// The receipt of a deletion: its steps while it is pending, and what was checked once it is completed.

import {useEffect} from 'preact/hooks';
import type {DeletionReceipt} from '../../../../src/edge/answers/users.js';
import {deletionPath} from '../../address/report-address';
import {count, momentText} from '../../charts/format';
import {useAsked} from '../../service/asked';
import {Card} from '../../shell/card';
import {download} from '../../shell/download';
import {Icon} from '../../shell/icon';
import {now} from '../../shell/now';
import {CurlButton} from '../../shell/page-tools';
import {FaultBox, Loading} from '../../shell/states';
import {NamedBy} from './named-by';

export function Receipt({deletionId}: {readonly deletionId: string}) {
  const [asked, ask] = useAsked<{deletion: DeletionReceipt}>(deletionPath(deletionId));
  const {value, fault} = asked.value;
  const deletion = value?.deletion;
  const isPending = deletion?.status === 'pending';
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
            <CurlButton paths={[deletionPath(deletionId)]} />
            {deletion !== undefined && (
              <button
                type="button"
                class="button"
                onClick={() =>
                  download(`${deletion.id}.json`, 'application/json', `${JSON.stringify({deletion}, undefined, 2)}\n`)
                }
              >
                <Icon name="download" />
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
                ? 'It is in the log, and cannot be lost. Files are rewritten now; this page follows.'
                : `${deletion.named_by.length === 0 ? 'Every file' : 'Every file, but for what is listed below,'} on disk was free of this person at ${momentText(Date.parse(deletion.completed_at!))} UTC.`}
            </p>
            <dl class="facts">
              <dt>Receipt</dt>
              <dd>
                <code>{deletion.id}</code>
              </dd>
              <dt>Position in the log</dt>
              <dd>{deletion.log_position === null ? 'not known yet' : <code>{deletion.log_position}</code>}</dd>
              <dt>Events deleted</dt>
              <dd>{deletion.events_deleted === null ? 'not known yet' : count(deletion.events_deleted)}</dd>
            </dl>
            {deletion.verified !== null && (
              <ul class="verified" aria-label="What was checked">
                {deletion.verified.map((one) => (
                  <li key={one}>
                    <Icon name="check" />
                    {one}
                  </li>
                ))}
              </ul>
            )}
            {deletion.named_by.length > 0 && <NamedBy deletionId={deletionId} />}
            <p class="help">The receipt never names the person. Keep its id: it can be asked for again.</p>
          </div>
        )}
      </Card>
    </div>
  );
}

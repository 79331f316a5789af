// Dialogs before a webhook's secret changes, before events are sent again, and before it is deleted.

import {useState} from 'preact/hooks';
import type {WebhookAnswer} from '../../../../src/edge/answers/webhooks.js';
import {count, momentText} from '../../charts/format';
import {Dialog} from '../../controls/dialog';
import {change, type Fault, faultOf} from '../../service/client';
import {ConfirmDialog} from '../../shell/confirm-dialog';
import {FaultBox} from '../../shell/states';
import {SecretDialog} from '../keys/secret-dialog';

interface Props {
  readonly webhook: WebhookAnswer;
  readonly onClose: () => void;
}

const pathOf = ({id}: WebhookAnswer, action = ''): string => `v1/webhooks/${encodeURIComponent(id)}${action}`;

export function RotateWebhook({webhook, onClose}: Props) {
  const [rotated, setRotated] = useState<{secret: string; old_secret_until: string}>();
  const [fault, setFault] = useState<Fault>();
  const rotate = async (): Promise<void> => {
    const answer = await change<{secret: string; old_secret_until: string}>('POST', pathOf(webhook, '/rotate'), {});
    if (answer.kind === 'value') setRotated(answer.value);
    else setFault(answer.fault);
  };
  if (rotated !== undefined) {
    const until = momentText(Date.parse(rotated.old_secret_until));
    return (
      <SecretDialog
        title="The secret is changed"
        secret={rotated.secret}
        label={`The new secret; the old one signs, too, until ${until} UTC`}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title="Rotate the secret?" onClose={onClose}>
      <p>
        Messages to <strong class="key-name">{webhook.url}</strong> get a signature with a new secret. For 24 hours they
        also have one with the old secret, so that the receiver can change over in peace.
      </p>
      {fault !== undefined && <FaultBox fault={fault} />}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="button primary" onClick={() => void rotate()}>
          Make a new secret
        </button>
      </div>
    </Dialog>
  );
}

export function ReplayWebhook({webhook, onClose}: Props) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [queued, setQueued] = useState<number>();
  const [fault, setFault] = useState<Fault>();
  const replay = async (): Promise<void> => {
    setFault(undefined);
    const body = {from: isoOf(from, '00.000'), to: isoOf(to, '59.999')};
    const answer = await change<{queued: number}>('POST', pathOf(webhook, '/replay'), body);
    if (answer.kind === 'value') setQueued(answer.value.queued);
    else setFault(answer.fault);
  };
  return (
    <Dialog title="Replay stored events" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void replay();
        }}
      >
        <p>
          Events of this time that the webhook takes are sent again, at most 10,000, under the ids that they had: a
          receiver that remembers ids handles none twice.
        </p>
        <label for="replay-from">From (UTC)</label>
        <input
          id="replay-from"
          type="datetime-local"
          required
          value={from}
          onInput={({currentTarget}) => setFrom(currentTarget.value)}
        />
        <label for="replay-to">To (UTC)</label>
        <input
          id="replay-to"
          type="datetime-local"
          required
          value={to}
          onInput={({currentTarget}) => setTo(currentTarget.value)}
        />
        <p role="status">
          {queued !== undefined && `${count(queued)} ${queued === 1 ? 'message is' : 'messages are'} queued.`}
        </p>
        {fault !== undefined && <FaultBox fault={fault} />}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            {queued === undefined ? 'Cancel' : 'Done'}
          </button>
          <button type="submit" class="button primary" disabled={from === '' || to === ''}>
            Send them again
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** `2026-11-27T14:05`, as the field has it, with or without seconds. */
const isoOf = (typed: string, seconds: string): string => `${typed.slice(0, 16)}:${seconds}Z`;

export function DeleteWebhook({webhook, onDeleted, onClose}: Props & {readonly onDeleted: () => void}) {
  return (
    <ConfirmDialog
      title="Delete the webhook?"
      actText="Delete the webhook"
      act={async () => faultOf(await change('DELETE', pathOf(webhook)))}
      onDone={onDeleted}
      onClose={onClose}
    >
      <p>
        <strong class="key-name">{webhook.url}</strong> is told nothing more. What waits for it and its dead letters are
        gone; stored events are not touched.
      </p>
    </ConfirmDialog>
  );
}

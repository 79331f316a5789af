// Dialogs before a webhook's secret changes, before events are sent again, and before it is deleted.

import {useState} from 'preact/hooks';
import type {WebhookAnswer} from '../../../../src/edge/answers/webhooks.js';
import {count, momentText} from '../../charts/format';
import {DialogForm} from '../../controls/dialog-form';
import {SecretDialog} from '../../controls/secret-dialog';
import {change, type Fault, faultOf} from '../../service/client';
import {ConfirmDialog} from '../../shell/confirm-dialog';

interface Props {
  readonly webhook: WebhookAnswer;
  readonly onClose: () => void;
}

const pathOf = ({id}: WebhookAnswer, action = ''): string => `v1/webhooks/${encodeURIComponent(id)}${action}`;

export function RotateWebhook({webhook, onClose}: Props) {
  const [rotated, setRotated] = useState<{secret: string; old_secret_until: string}>();
  const rotate = async (): Promise<Fault | undefined> => {
    const answer = await change<{secret: string; old_secret_until: string}>('POST', pathOf(webhook, '/rotate'), {});
    if (answer.kind === 'value') setRotated(answer.value);
    return faultOf(answer);
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
    <DialogForm title="Rotate the secret?" actText="Make a new secret" act={rotate} onClose={onClose}>
      <p>
        Messages to <strong class="row-name">{webhook.url}</strong> get a signature with a new secret. For 24 hours they
        also have one with the old secret, so that the receiver can change over in peace.
      </p>
    </DialogForm>
  );
}

export function ReplayWebhook({webhook, onClose}: Props) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [queued, setQueued] = useState<number>();
  const replay = async (): Promise<Fault | undefined> => {
    const body = {from: isoOf(from, '00.000'), to: isoOf(to, '59.999')};
    const answer = await change<{queued: number}>('POST', pathOf(webhook, '/replay'), body);
    if (answer.kind === 'value') setQueued(answer.value.queued);
    return faultOf(answer);
  };
  return (
    <DialogForm
      title="Replay stored events"
      keepText={queued === undefined ? 'Cancel' : 'Done'}
      actText="Send them again"
      isReady={from !== '' && to !== ''}
      act={replay}
      onClose={onClose}
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
    </DialogForm>
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
        <strong class="row-name">{webhook.url}</strong> receives nothing more. Messages that wait for it and its dead
        letters are deleted; stored events stay.
      </p>
    </ConfirmDialog>
  );
}

// Adding a webhook: its form, then its secret, once. When the dialog closes the secret is nowhere in the page.

import {useState} from 'preact/hooks';
import type {CreatedWebhookAnswer} from '../../../src/edge/answers/webhooks.js';
import {SecretDialog} from '../controls/secret-dialog';
import {change, type Fault} from '../service/client';
import {bodyOf, newDraft, type WebhookDraft, wholeSubscription} from './webhook-draft';
import {WebhookForm} from './webhook-form';
import type {SubscribedType, WebhookKind} from './webhook-words';

export interface CreateWebhookProps {
  /** What it is told unless somebody chooses otherwise. */
  readonly told?: SubscribedType;
  /** Where to, unless somebody chooses otherwise. */
  readonly kind?: WebhookKind;
  readonly onCreated?: (id: string) => void;
  readonly onClose: () => void;
}

export function CreateWebhook({told, kind = newDraft.kind, onCreated, onClose}: CreateWebhookProps) {
  const [secret, setSecret] = useState<string>();
  const create = async (draft: WebhookDraft): Promise<Fault | undefined> => {
    const answer = await change<CreatedWebhookAnswer>('POST', 'v1/webhooks', bodyOf(draft));
    if (answer.kind === 'fault') return answer.fault;
    onCreated?.(answer.value.id);
    if (answer.value.secret === undefined) onClose();
    else setSecret(answer.value.secret);
    return undefined;
  };
  if (secret !== undefined)
    return (
      <SecretDialog title="The webhook is added" secret={secret} label="Verify its messages with" onClose={onClose} />
    );
  return (
    <WebhookForm
      title="Add a webhook"
      draft={{...newDraft, kind, ...(told !== undefined && {subscriptions: {[told]: [wholeSubscription]}})}}
      isNew={true}
      actText="Add the webhook"
      save={create}
      onClose={onClose}
    />
  );
}

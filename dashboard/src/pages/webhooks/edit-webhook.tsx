// Editing a webhook: its form as it stands. Fields that nobody touched are not sent, so that an edit of somebody else stays.
import {useState} from 'preact/hooks';
import type {WebhookAnswer} from '../../../../src/edge/answers/webhooks.js';
import {isEmpty} from '../../address/form-fields';
import {change, type Fault, faultOf} from '../../service/client';
import {changeOf, draftOf, type WebhookDraft} from './webhook-draft';
import {WebhookForm} from './webhook-form';
import {kindWords} from './webhook-words';

export interface EditProps {
  readonly webhook: WebhookAnswer;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function EditWebhook({webhook: shown, onDone, onClose}: EditProps) {
  // The page asks again while the dialog is open: what was there when it opened is what the edit is compared with.
  const [webhook] = useState(shown);
  const save = async (draft: WebhookDraft): Promise<Fault | undefined> => {
    const fields = changeOf(webhook, draft);
    const fault = isEmpty(fields)
      ? undefined
      : faultOf(await change('PATCH', `v1/webhooks/${encodeURIComponent(webhook.id)}`, fields));
    if (fault === undefined) onDone();
    return fault;
  };
  const {title} = kindWords[webhook.kind];
  return (
    <WebhookForm
      title={`Edit the webhook${webhook.kind === 'webhook' ? '' : ` of ${title}`}`}
      draft={draftOf(webhook)}
      isNew={false}
      actText="Save"
      save={save}
      onClose={onClose}
    />
  );
}

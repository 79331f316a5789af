// Editing a webhook. Fields that nobody touched are not sent. The edit is of the version that was shown: what somebody else
// changed since is shown before anything is saved.
import {useState} from 'preact/hooks';
import type {WebhookAnswer} from '../../../../src/edge/answers/webhooks.js';
import {isEmpty} from '../../controls/form-fields';
import {change, type Fault, faultOf} from '../../service/client';
import {changeOf, draftOf, type WebhookDraft} from '../../webhooks/webhook-draft';
import {WebhookForm} from '../../webhooks/webhook-form';
import {kindWords} from '../../webhooks/webhook-words';

export interface EditProps {
  readonly webhook: WebhookAnswer;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function EditWebhook({webhook: shown, onDone, onClose}: EditProps) {
  // The page asks again while the dialog is open: what was there when it opened is what the edit is compared with.
  const [webhook, setWebhook] = useState(shown);
  const save = async (draft: WebhookDraft): Promise<Fault | undefined> => {
    const fields = changeOf(webhook, draft);
    const fault = isEmpty(fields)
      ? undefined
      : faultOf(await change('PATCH', `v1/webhooks/${encodeURIComponent(webhook.id)}`, fields, `"${webhook.version}"`));
    if (fault === undefined) onDone();
    return fault;
  };
  const {title} = kindWords[webhook.kind];
  return (
    <WebhookForm
      key={webhook.version}
      title={`Edit the webhook${webhook.kind === 'webhook' ? '' : ` of ${title}`}`}
      draft={draftOf(webhook)}
      isNew={false}
      actText="Save"
      save={save}
      onTheirs={setWebhook}
      onClose={onClose}
    />
  );
}

// Who an alert tells: webhooks and chats that take alerts, or some that are chosen. Only admins know which there are.
import type {WebhookAnswer} from '../../../../src/edge/answers/webhooks.js';
import {MoreFields} from '../../controls/more-fields';
import {Options} from '../../controls/options';
import {useAsked} from '../../service/asked';
import {FaultBox, Loading} from '../../shell/states';
import {kindWords} from '../../webhooks/webhook-words';
import type {FieldsProps} from './rule-fields';

const audiences = [
  ['subscribers', 'webhooks and chats that take alerts'],
  ['chosen', 'only those chosen here'],
] as const;

export function AudienceFields({draft, edit}: FieldsProps) {
  const {endpoints} = draft;
  return (
    <MoreFields title="Who is notified">
      <Options
        label="Notify"
        value={endpoints === undefined ? 'subscribers' : 'chosen'}
        options={audiences}
        onChoose={(audience) => edit({endpoints: audience === 'chosen' ? [] : undefined})}
      />
      {endpoints !== undefined && <Chosen draft={draft} edit={edit} chosen={endpoints} />}
    </MoreFields>
  );
}

function Chosen({draft: {kind}, edit, chosen}: FieldsProps & {readonly chosen: readonly string[]}) {
  const [asked, ask] = useAsked<{data: WebhookAnswer[]}>('v1/webhooks');
  const {value, fault} = asked.value;
  if (value === undefined) return fault === undefined ? <Loading /> : <FaultBox fault={fault} onAgain={ask} />;
  // Who stalls is named, and chats name nobody.
  const webhooks = value.data.filter((one) => kind !== 'stalled' || one.kind === 'webhook');
  if (webhooks.length === 0)
    return <p class="help">There is no webhook or chat yet: add one under Settings, Webhooks.</p>;
  return (
    <fieldset class="alert-audience" aria-label="Webhooks and chats">
      {webhooks.map(({id, url, kind: receiver}) => (
        <label key={id} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({currentTarget}) =>
              edit({endpoints: currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id)})
            }
          />
          <span>
            {kindWords[receiver].title}: {url}
          </span>
        </label>
      ))}
      {chosen.length === 0 && <p class="help">Nobody is chosen, so nobody is notified.</p>}
    </fieldset>
  );
}

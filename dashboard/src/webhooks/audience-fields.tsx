// Who is told: webhooks, chats and mail addresses that take such messages, or some that are chosen. Only admins know which there are.
import type {WebhookAnswer} from '../../../src/edge/answers/webhooks.js';
import {MoreFields} from '../controls/more-fields';
import {Options} from '../controls/options';
import {useAsked} from '../service/asked';
import {FaultBox, Loading} from '../shell/states';
import {kindWords} from './webhook-words';
import './audience-fields.css';

interface Props {
  /** Words for the messages. */
  readonly of: 'alerts' | 'digests';
  /** Ids; undefined: those that take such messages. */
  readonly endpoints: readonly string[] | undefined;
  /** The messages name people, and chats name nobody. */
  readonly areOfPeople?: boolean;
  readonly onChange: (endpoints: readonly string[] | undefined) => void;
}

export function AudienceFields(props: Props) {
  const {of, endpoints, onChange} = props;
  return (
    <MoreFields title="Who is notified">
      <Options
        label="Notify"
        value={endpoints === undefined ? 'subscribers' : 'chosen'}
        options={[
          ['subscribers', `everybody who takes ${of}`],
          ['chosen', 'only those chosen here'],
        ]}
        onChoose={(audience) => onChange(audience === 'chosen' ? [] : undefined)}
      />
      {endpoints !== undefined && <Chosen {...props} chosen={endpoints} />}
    </MoreFields>
  );
}

function Chosen({areOfPeople = false, chosen, onChange}: Props & {readonly chosen: readonly string[]}) {
  const [asked, ask] = useAsked<{data: WebhookAnswer[]}>('v1/webhooks');
  const {value, fault} = asked.value;
  if (value === undefined) return fault === undefined ? <Loading /> : <FaultBox fault={fault} onAgain={ask} />;
  const webhooks = value.data.filter((one) => !areOfPeople || one.kind === 'webhook');
  if (webhooks.length === 0) return <p class="help">There is no receiver yet: add one above.</p>;
  return (
    <fieldset class="audience" aria-label="Webhooks and chats">
      {webhooks.map(({id, url, kind: receiver}) => (
        <label key={id} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({currentTarget}) =>
              onChange(currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          />
          <span>
            {kindWords[receiver].title}: {url.replace(/^mailto:/, '')}
          </span>
        </label>
      ))}
      {chosen.length === 0 && <p class="help">Nobody is chosen, so nobody is notified.</p>}
    </fieldset>
  );
}

// Settings, Webhooks: who is told what, how that goes, and what became of each message.

import {useState} from 'preact/hooks';
import type {WebhookAnswer} from '../../../../src/edge/answers/webhooks.js';
import {count, duration} from '../../charts/format';
import {ActionsTable} from '../../controls/actions-table';
import {Beginnings} from '../../controls/beginnings';
import {Moment} from '../../controls/moment';
import {useAskAgain, useAsked} from '../../service/asked';
import {AskedState} from '../../shell/asked-state';
import {Head} from '../../shell/head';
import {Icon} from '../../shell/icon';
import {later} from '../../shell/later';
import {NoParameters} from '../../shell/no-parameters';
import {Empty} from '../../shell/states';
import type {CreateWebhookProps} from '../../webhooks/create-webhook';
import {kindWords, sendingText, stateOf} from '../../webhooks/webhook-words';
import {subscriptionText} from './subscription-text';
import {WebhookCard} from './webhook-card';
import './webhooks.css';

// Its form, with its pickers, comes when it is asked for.
const CreateWebhook = later<CreateWebhookProps>(() =>
  import('../../webhooks/create-webhook').then((dialog) => dialog.CreateWebhook),
);

type Begun = Pick<CreateWebhookProps, 'kind' | 'told'>;

/** Beginnings of webhooks that many want, for a list without any. */
const templates: readonly {readonly title: string; readonly begun: Begun}[] = [
  {title: 'Alerts in Slack', begun: {kind: 'slack', told: 'report.threshold'}},
  {title: 'Digests by mail', begun: {kind: 'mail', told: 'report.digest'}},
  {title: 'Events to a server', begun: {kind: 'webhook', told: 'event.tracked'}},
];

export function Webhooks() {
  const [asked, ask] = useAsked<{data: WebhookAnswer[]}>('v1/webhooks');
  /** Fields of the new webhook that are filled in. */
  const [creating, setCreating] = useState<Begun>();
  const [chosen, setChosen] = useState<string>();
  useAskAgain(ask);
  const {value, fault} = asked.value;
  const webhooks = [...(value?.data ?? [])].reverse();
  const open = webhooks.find(({id}) => id === chosen);
  return (
    <>
      <Head title="Webhooks">
        <button type="button" class="button primary" onClick={() => setCreating({})}>
          <Icon name="Plus" />
          Add a webhook
        </button>
      </Head>
      <NoParameters />
      <section class="card" aria-label="Webhooks">
        <AskedState value={value} fault={fault} onAgain={ask} />
        {value !== undefined && webhooks.length === 0 && (
          <>
            <Empty title="No webhook yet">
              A webhook sends events, changes of users, completed funnels and alerts to a server of yours, signed, as
              they happen; alerts and digests also to a chat or a mail address.
            </Empty>
            <Beginnings label="First webhooks" steps={templates} onChoose={({begun}) => setCreating(begun)} />
          </>
        )}
        {webhooks.length > 0 && <WebhookTable webhooks={webhooks} chosen={chosen} onChoose={setChosen} />}
      </section>
      {open !== undefined && (
        <div class="row">
          <WebhookCard
            key={open.id}
            webhook={open}
            onChange={ask}
            onDeleted={() => {
              setChosen(undefined);
              ask();
            }}
          />
        </div>
      )}
      {creating !== undefined && (
        <CreateWebhook
          {...creating}
          onClose={() => {
            setCreating(undefined);
            ask();
          }}
        />
      )}
    </>
  );
}

const failuresText = (failures: number): string =>
  failures === 1 ? '1 failure' : `${count(failures)} failures in a row`;

function WebhookTable({
  webhooks,
  chosen,
  onChoose,
}: {
  readonly webhooks: readonly WebhookAnswer[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}) {
  return (
    <ActionsTable label="Webhooks in a table" columns={['Receiver', 'State', 'Lag', 'Delivered', 'Last success']}>
      {webhooks.map((webhook) => {
        const {id, kind, url, types, reason, health} = webhook;
        const [state, tone] = stateOf(webhook);
        return (
          <tr key={id}>
            <td>
              <span class="row-name">{url}</span>
              <span class="row-more">
                {kindWords[kind].title}: {types.map(subscriptionText).join('; ')}
              </span>
              <span class="row-more">{sendingText(webhook)}</span>
            </td>
            <td>
              <span class={`pill ${tone}`}>{state}</span>
              {reason !== null && <span class="row-more">{reason}</span>}
              {reason === null && health.failures > 0 && (
                <>
                  <span class="row-more">{failuresText(health.failures)},</span>
                  <span class="row-more">
                    the first <Moment iso={health.failing_since} />
                  </span>
                </>
              )}
            </td>
            <td>
              <span class="narrow-only">lag </span>
              {health.lag_seconds === 0 ? <span class="faint">none</span> : duration(health.lag_seconds)}
            </td>
            <td>
              {count(health.delivered)}
              {health.failed > 0 && <span class="row-more">{count(health.failed)} failed attempts</span>}
              {health.dead > 0 && <span class="row-more">{count(health.dead)} dead</span>}
              {health.skipped_events > 0 && <span class="row-more">{count(health.skipped_events)} events skipped</span>}
            </td>
            <td>
              <span class="narrow-only">last success </span>
              <Moment iso={health.last_success_at} />
            </td>
            <td class="row-actions">
              <button
                type="button"
                class="link"
                aria-expanded={id === chosen}
                onClick={() => onChoose(id === chosen ? undefined : id)}
              >
                {id === chosen ? 'Close' : 'Open'}
                <span class="visually-hidden"> {url}</span>
              </button>
            </td>
          </tr>
        );
      })}
    </ActionsTable>
  );
}

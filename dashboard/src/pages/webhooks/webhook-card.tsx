// One webhook: its actions and its deliveries.

import {useState} from 'preact/hooks';
import type {DeliveriesAnswer, DeliveryAnswer, WebhookAnswer} from '../../../../src/edge/answers/webhooks.js';
import {count} from '../../charts/format';
import {ActionsTable} from '../../controls/actions-table';
import {Moment} from '../../controls/moment';
import {useAskAgain, useAsked} from '../../service/asked';
import {type Answer, change, type Fault} from '../../service/client';
import {AskedState} from '../../shell/asked-state';
import {Card} from '../../shell/card';
import {later} from '../../shell/later';
import {Empty, FaultBox} from '../../shell/states';
import type {EditProps} from './edit-webhook';
import {DeleteWebhook, ReplayWebhook, RotateWebhook} from './webhook-dialogs';

const EditWebhook = later<EditProps>(() => import('./edit-webhook').then((dialog) => dialog.EditWebhook));

type Status = 'recent' | 'pending' | 'dead';
type Opened = 'edit' | 'rotate' | 'replay' | 'delete';

const statuses: readonly (readonly [status: Status, text: string, none: string])[] = [
  ['recent', 'Recent', 'Nothing was sent yet. A test shows whether the receiver takes messages.'],
  [
    'pending',
    'Waiting',
    'No message waits for another attempt. Events that were not sent yet wait where they are stored.',
  ],
  ['dead', 'Dead', 'No message failed ten attempts.'],
];

const pathOf = ({id}: Pick<WebhookAnswer, 'id'>): string => `v1/webhooks/${encodeURIComponent(id)}`;

export function WebhookCard({
  webhook,
  onChange,
  onDeleted,
}: {
  readonly webhook: WebhookAnswer;
  readonly onChange: () => void;
  readonly onDeleted: () => void;
}) {
  const [status, setStatus] = useState<Status>('recent');
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [opened, setOpened] = useState<Opened>();
  const [said, setSaid] = useState('');
  const [fault, setFault] = useState<Fault>();
  const cursor = cursors.at(-1);
  const page = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const [asked, ask] = useAsked<DeliveriesAnswer>(`${pathOf(webhook)}/deliveries?status=${status}${page}`);
  useAskAgain(ask);

  const act = async (doing: () => Promise<Answer<unknown>>, done: string): Promise<void> => {
    setFault(undefined);
    setSaid('');
    const answer = await doing();
    if (answer.kind === 'fault') setFault(answer.fault);
    else setSaid(done);
    onChange();
    ask();
  };
  const post = (action: string, body: object = {}) => change('POST', `${pathOf(webhook)}/${action}`, body);
  const again = ({id}: DeliveryAnswer): void =>
    void act(() => post('replay', {deliveries: [id]}), 'The message is queued again, under the same id.');
  const show = (wanted: Status): void => {
    setStatus(wanted);
    setCursors([]);
  };
  const close = (): void => {
    setOpened(undefined);
    onChange();
    ask();
  };
  const isActive = webhook.state === 'active';
  const {value, fault: askFault} = asked.value;
  return (
    <Card span={12} title={`Deliveries to ${webhook.url}`}>
      <div class="buttons webhook-actions">
        <button type="button" class="button" onClick={() => void act(() => post('test'), 'A test message is queued.')}>
          Send a test
        </button>
        <button type="button" class="button" onClick={() => setOpened('edit')}>
          Edit
        </button>
        {isActive ? (
          <button
            type="button"
            class="button"
            onClick={() =>
              void act(() => change('PATCH', pathOf(webhook), {paused: true}), 'It is paused: messages wait.')
            }
          >
            Pause
          </button>
        ) : (
          <button type="button" class="button" onClick={() => void act(() => post('resume'), 'It is active again.')}>
            Resume
          </button>
        )}
        {webhook.kind === 'webhook' && (
          <button type="button" class="button" onClick={() => setOpened('rotate')}>
            Rotate the secret
          </button>
        )}
        {webhook.types.some(({type}) => type === 'event.tracked') && (
          <button type="button" class="button" onClick={() => setOpened('replay')}>
            Replay
          </button>
        )}
        <button type="button" class="button" onClick={() => setOpened('delete')}>
          Delete
        </button>
      </div>
      <p class="page-note" role="status">
        {said}
      </p>
      {fault !== undefined && <FaultBox fault={fault} />}
      <fieldset class="choice which-deliveries" aria-label="Which deliveries">
        {statuses.map(([one, text]) => (
          <button key={one} type="button" aria-pressed={one === status} onClick={() => show(one)}>
            {text}
          </button>
        ))}
      </fieldset>
      <AskedState value={value} fault={askFault} onAgain={ask} />
      {value?.data.length === 0 && <Empty title="Nothing here">{statuses.find(([one]) => one === status)![2]}</Empty>}
      {value !== undefined && value.data.length > 0 && <DeliveryTable deliveries={value.data} onAgain={again} />}
      {value !== undefined && (cursors.length > 0 || value.next_cursor !== null) && (
        <div class="buttons">
          {cursors.length > 0 && (
            <button type="button" class="button" onClick={() => setCursors(cursors.slice(0, -1))}>
              Earlier ones
            </button>
          )}
          {value.next_cursor !== null && (
            <button type="button" class="button" onClick={() => setCursors([...cursors, value.next_cursor!])}>
              Later ones
            </button>
          )}
        </div>
      )}
      {opened === 'edit' && (
        <EditWebhook
          webhook={webhook}
          onDone={() => {
            setFault(undefined);
            setSaid('The changes are saved.');
            close();
          }}
          onClose={close}
        />
      )}
      {opened === 'rotate' && <RotateWebhook webhook={webhook} onClose={close} />}
      {opened === 'replay' && <ReplayWebhook webhook={webhook} onClose={close} />}
      {opened === 'delete' && (
        <DeleteWebhook webhook={webhook} onDeleted={onDeleted} onClose={() => setOpened(undefined)} />
      )}
    </Card>
  );
}

const tones: Readonly<Partial<Record<DeliveryAnswer['status'], string>>> = {
  failed: 'warn',
  pending: 'warn',
  dead: 'bad',
  skipped: 'bad',
};

function DeliveryTable({
  deliveries,
  onAgain,
}: {
  readonly deliveries: readonly DeliveryAnswer[];
  readonly onAgain: (delivery: DeliveryAnswer) => void;
}) {
  return (
    <ActionsTable
      label="Deliveries in a table"
      look="deliveries"
      columns={['When', 'What', 'Outcome', 'Attempts', 'Message']}
    >
      {deliveries.map((delivery, at) => {
        const {id, type, status, at: iso, attempts, answer, why, events} = delivery;
        return (
          <tr key={`${id} ${at}`}>
            <td>
              <DueOr iso={iso} status={status} />
            </td>
            <td>
              {type}
              {events !== undefined && `, up to ${count(events)} events`}
            </td>
            <td>
              <span class={`pill ${tones[status] ?? ''}`}>{status}</span>{' '}
              <span class="faint">{[answer, why].filter((one) => one !== null).join(' ')}</span>
            </td>
            <td>{count(attempts)}</td>
            <td>
              <code class="faint">{id}</code>
            </td>
            <td class="row-actions">
              {(status === 'dead' || status === 'skipped') && (
                <button type="button" class="link" onClick={() => onAgain(delivery)}>
                  Send again<span class="visually-hidden"> {id}</span>
                </button>
              )}
            </td>
          </tr>
        );
      })}
    </ActionsTable>
  );
}

/** Time of a delivery; the one of a pending delivery is in the future. */
function DueOr({iso, status}: Pick<DeliveryAnswer, 'status'> & {readonly iso: string}) {
  if (status !== 'pending') return <Moment iso={iso} />;
  return <time dateTime={iso}>{iso.slice(0, 19).replace('T', ' ')} UTC</time>;
}

// Alerts: what is watched, how it stands, since when; add, edit, pause, delete.

import {useState} from 'preact/hooks';
import type {AlertAnswer} from '../../../../src/edge/answers/alerts.js';
import {ActionsTable} from '../../controls/actions-table';
import {Beginnings} from '../../controls/beginnings';
import {Moment} from '../../controls/moment';
import {useAskAgain, useAsked} from '../../service/asked';
import {change, type Fault, faultOf} from '../../service/client';
import {AskedState} from '../../shell/asked-state';
import {Head} from '../../shell/head';
import {Icon} from '../../shell/icon';
import {later} from '../../shell/later';
import {NoParameters} from '../../shell/no-parameters';
import {Empty, FaultBox} from '../../shell/states';
import type {CreateWebhookProps} from '../../webhooks/create-webhook';
import {Reach} from '../../webhooks/reach';
import type {FormProps} from './alert-dialogs';
import {type AlertDraft, templates, toldOf} from './alert-draft';
import {alertPath, type FunnelNames, isOfUsers, speakingText, stateOf, valueText} from './alert-words';
import {DeleteAlert} from './delete-alert';
import type {SavedFunnels} from './rule-fields';
import {ruleText} from './rule-text';
import './alerts.css';

// Forms, with their pickers, come when they are asked for.
const CreateAlert = later<FormProps & {readonly begun?: Partial<AlertDraft>}>(() =>
  import('./alert-dialogs').then((dialogs) => dialogs.CreateAlert),
);
const CreateWebhook = later<CreateWebhookProps>(() =>
  import('../../webhooks/create-webhook').then((dialog) => dialog.CreateWebhook),
);
const EditAlert = later<FormProps & {readonly alert: AlertAnswer}>(() =>
  import('./alert-dialogs').then((dialogs) => dialogs.EditAlert),
);

export function Alerts() {
  const [asked, ask] = useAsked<{data: AlertAnswer[]}>('v1/alerts');
  const [funnelsAsked, askFunnels] = useAsked<{data: SavedFunnels}>('v1/funnels');
  /** Fields of the new alert that are filled in. */
  const [creating, setCreating] = useState<Partial<AlertDraft>>();
  const [edited, setEdited] = useState<AlertAnswer>();
  const [leaving, setLeaving] = useState<AlertAnswer>();
  /** One that reaches nobody: a receiver is added for it. */
  const [unheard, setUnheard] = useState<AlertAnswer>();
  const [pauseFault, setPauseFault] = useState<Fault>();
  useAskAgain(ask);
  useAskAgain(askFunnels);
  const {value, fault} = asked.value;
  const alerts = [...(value?.data ?? [])].reverse();
  const funnels = funnelsAsked.value.value?.data ?? [];
  const close = (): void => {
    setCreating(undefined);
    setEdited(undefined);
    setLeaving(undefined);
    setUnheard(undefined);
    ask();
  };
  const pause = async (alert: AlertAnswer): Promise<void> => {
    const answer = await change('PATCH', alertPath(alert), {paused: !alert.paused});
    setPauseFault(faultOf(answer));
    ask();
  };
  return (
    <>
      <Head title="Alerts">
        <button type="button" class="button primary" onClick={() => setCreating({})}>
          <Icon name="Plus" />
          Add an alert
        </button>
      </Head>
      <NoParameters />
      <section class="card" aria-label="Alerts">
        <AskedState value={value} fault={fault} onAgain={ask} />
        {pauseFault !== undefined && <FaultBox fault={pauseFault} />}
        {value !== undefined && alerts.length === 0 && (
          <>
            <Empty title="No alert yet">
              An alert watches a number and notifies chats, mail addresses and servers: when it passes a threshold, when
              an event stops coming, or when a saved funnel converts less.
            </Empty>
            <Beginnings label="First alerts" steps={templates} onChoose={({draft}) => setCreating(draft)} />
          </>
        )}
        {alerts.length > 0 && (
          <AlertTable
            alerts={alerts}
            funnels={new Map(funnels.map(({id, name}) => [id, name]))}
            onEdit={setEdited}
            onPause={(alert) => void pause(alert)}
            onDelete={setLeaving}
            onAdd={setUnheard}
          />
        )}
      </section>
      <p class="page-note">
        Alerts are checked after each publication of reports. Receivers that take alerts are notified of each change.
      </p>
      {creating !== undefined && <CreateAlert begun={creating} funnels={funnels} onClose={close} />}
      {edited !== undefined && <EditAlert alert={edited} funnels={funnels} onClose={close} />}
      {unheard !== undefined && (
        <CreateWebhook told={isOfUsers(unheard) ? 'funnel.stalled' : 'report.threshold'} onClose={close} />
      )}
      {leaving !== undefined && <DeleteAlert alert={leaving} onClose={close} />}
    </>
  );
}

function AlertTable({
  alerts,
  funnels,
  onEdit,
  onPause,
  onDelete,
  onAdd,
}: {
  readonly alerts: readonly AlertAnswer[];
  readonly funnels: FunnelNames;
  readonly onEdit: (alert: AlertAnswer) => void;
  readonly onPause: (alert: AlertAnswer) => void;
  readonly onDelete: (alert: AlertAnswer) => void;
  readonly onAdd: (alert: AlertAnswer) => void;
}) {
  return (
    <ActionsTable label="Alerts in a table" columns={['Alert', 'State', 'Value at change', 'Added', 'Since']}>
      {alerts.map((alert) => {
        const {id, name, kind, state, paused} = alert;
        const [words, tone] = stateOf(alert);
        return (
          <tr key={id}>
            <td>
              <span class="row-name">{name}</span>
              <span class="row-more">
                {isOfUsers(alert) ? 'Tells' : 'Fires'}: {ruleText(alert, funnels)}
              </span>
              <span class="row-more">{speakingText(alert)}</span>
              <span class="row-more">
                <Reach
                  reaches={alert.reaches}
                  told={toldOf(alert)}
                  onAdd={alert.reaches === 0 ? () => onAdd(alert) : undefined}
                />
              </span>
            </td>
            <td>
              <span class={`pill ${tone}`}>{words}</span>
            </td>
            <td>{state === null ? <span class="faint">none</span> : valueText(kind, state.value)}</td>
            <td>
              <Moment iso={alert.created_at} />
            </td>
            <td>
              {state !== null && (
                <>
                  <span class="narrow-only">since </span>
                  <Moment iso={state.since} />
                </>
              )}
            </td>
            <td class="row-actions">
              <button type="button" class="link" onClick={() => onEdit(alert)}>
                Edit<span class="visually-hidden"> {name}</span>
              </button>
              <button type="button" class="link" onClick={() => onPause(alert)}>
                {paused ? 'Resume' : 'Pause'}
                <span class="visually-hidden"> {name}</span>
              </button>
              <button type="button" class="link bad" onClick={() => onDelete(alert)}>
                Delete<span class="visually-hidden"> {name}</span>
              </button>
            </td>
          </tr>
        );
      })}
    </ActionsTable>
  );
}

// Alerts, with their states.
import {alertsOf, readAlertState} from '../../alerts/alert-states.js';
import {reachedBy} from '../../alerts/audience.js';
import {type Alert, alertsMax, stateName} from '../../alerts/definition.js';
import {zoneNameIn} from '../../asks/question/times.js';
import {forgetRecord} from '../../kept/record-sweep.js';
import type {SavedFunnel} from '../../kept/saved-funnel.js';
import {alertAnswer} from '../answers/alerts.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {alertChange, alertOf, bodyOf, newAlertBody, readAlert, shownAlert} from '../routes/alert-body.js';
import {alertBodyBytesMax, checkRule} from '../routes/alerts.js';
import {resourceOf} from './resource.js';

export const alerts = resourceOf({
  noun: 'alert',
  name: 'alert',
  currentName: 'alert',
  definitions: alertsOf,
  countMax: alertsMax,
  bodyBytesMax: alertBodyBytesMax,
  roles: {reads: 'analyst', changes: 'analyst'},
  form: newAlertBody,
  change: alertChange,
  read: readAlert,
  answer: alertAnswer,
  made: (fields, _, front) => {
    const alert = alertOf(fields, zoneNameIn(front));
    checkReferences(front, alert);
    return alert;
  },
  edited: ({v: _, id: __, createdMs: ___, ...alert}) => [bodyOf(alert)],
  edit: (change, _, front) => (held) => {
    const {v, id, createdMs, ...stored} = held;
    const edited = alertOf(readAlert(newAlertBody, mergedBody(bodyOf(stored), change)), zoneNameIn(front));
    checkReferences(front, edited, held);
    return {v, id, createdMs, ...edited};
  },
  shown: async (alert, {kept: {store}}) =>
    shownAlert(alert, await readAlertState(store, alert), reachedBy(store, alert).length),
  // A sweep deletes what is left.
  forget: (id, {kept: {store}}) => forgetRecord(store.bucket, stateName(id)),
  description: {
    tag: 'Alerts',
    about:
      'Evaluated after each publication of reports, it sends `report.threshold` when its state changes; ' +
      'an alert of the kind `stalled` sends `funnel.stalled` for each user to webhooks.',
    ofChange:
      'With other fields of its kind its state starts again: if it fired before and does not fire then, ' +
      'its endpoints get a message that it is over.',
    example: {
      id: 'al_0123456789abcdef',
      body: {
        ...{
          name: 'No purchases',
          kind: 'threshold',
          question: {report: 'counts', events: [{event: 'purchase'}], where: ['currency eq EUR'], timezone: 'UTC'},
          minutes: 60,
          lte: 0,
        },
        ...{for: 3, repeat_minutes: 1_440},
      },
      change: {repeat_minutes: null, paused: true},
    },
  },
});

/** A change with `gte` replaces an `lte`, and the other way round. */
function mergedBody(stored: object, change: object): object {
  const known: Record<string, unknown> = {...stored};
  if ('gte' in change || 'lte' in change) {
    delete known.gte;
    delete known.lte;
  }
  return Object.fromEntries(Object.entries({...known, ...change}).filter(([, value]) => value !== null));
}

type References = Pick<Alert, 'rule' | 'endpoints'>;

/**
 * `before`: the alert that is changed. What it named and was deleted since must not keep it from being paused or renamed.
 * @throws RequestFailure that names what there is not.
 */
function checkReferences(front: Front, {rule, endpoints = []}: References, before?: References): void {
  const added = endpoints.filter((id) => !before?.endpoints?.includes(id));
  const missing = added.find((id) => front.kept.store.endpoints.get(id) === undefined);
  if (missing !== undefined) throw new RequestFailure(invalidRequest(`there is no endpoint ${missing}`, 'endpoints'));
  const chat = added.find((id) => front.kept.store.endpoints.get(id)?.kind !== 'webhook');
  if (rule.kind === 'stalled' && chat !== undefined)
    throw new RequestFailure(
      invalidRequest(`${chat} is no webhook, and stalled names users: webhooks alone`, 'endpoints'),
    );
  if (JSON.stringify(before?.rule) === JSON.stringify(rule)) return;
  const funnel = checkRule(front, rule);
  if (rule.kind !== 'stalled') return;
  const {steps, order, exclude} = funnel!.question;
  if (order === 'strict' || order === 'any' || exclude !== undefined) {
    const why = `funnel ${rule.funnel} has exclusions or an order of its own: users stall in sequential steps alone`;
    throw new RequestFailure(invalidRequest(why, 'funnel'));
  }
  const stepMax = steps.length - 1;
  if (rule.step > stepMax) throw new RequestFailure(invalidRequest(stepText(funnel!, stepMax), 'step'));
}

const stepText = ({id}: SavedFunnel, stepMax: number): string =>
  stepMax < 1
    ? `funnel ${id} has one step, after which nobody stalls`
    : `step must be 1 to ${stepMax}, as one follows it`;

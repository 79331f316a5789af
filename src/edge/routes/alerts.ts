// /v1/alerts: definitions of alerts, their states, and what one would have said over the last 30 days.
import {isoText} from '../../../actors/calendar.js';
import {alertsOf, readAlertState, readAlertStates} from '../../alerts/alert-states.js';
import {reachOf} from '../../alerts/audience.js';
import {type Alert, alertsMax, type Rule, stateName} from '../../alerts/definition.js';
import {firingsListedMax, previewQuestions} from '../../alerts/preview.js';
import type {ReportRule} from '../../alerts/rule-questions.js';
import type {Asker} from '../../asks/asker.js';
import type {ReportQuery} from '../../asks/report.js';
import {forgetRecord} from '../../effects/record-sweep.js';
import {type SavedFunnel, savedFunnelsOf} from '../../effects/saved-funnel.js';
import {BucketFault} from '../../keys/store.js';
import type {AlertChangedAnswer, AlertPreviewAnswer} from '../answers/alerts.js';
import {type Failure, invalidRequest, RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {askerOf} from '../query/asker-of.js';
import {noParameters, readPathId, readQuery} from '../query/query.js';
import {type Handle, variedSegment} from '../route.js';
import {
  alertChange,
  alertOf,
  bodyOf,
  newAlertBody,
  previewBody,
  ruleOf,
  shownAlert,
  versionOfAlert,
} from './alert-body.js';
import {authorOf} from './author.js';
import {changedSinceRead, changeMeant, etagOf, meantVersion} from './if-match.js';
import {readFields, readObject} from './json-fields.js';
import {reportIn} from './min-log-position.js';
import {removeDefinition} from './removed-definition.js';
import {storedChange} from './stored-change.js';

/** The longest conditions, mostly escaped. */
export const alertBodyBytesMax = 256 * 1024;
export const exampleAlertId = 'al_0123456789abcdef';

const unknownAlert: Failure = {code: 'not_found', message: 'no such alert'};
const outcomeUnknown = unavailable(
  'the store of alerts does not respond: the change may or may not have been made, list the alerts to see',
);
const storeSilent = unavailable('the store of alerts does not respond');

export const listAlerts: Handle = async (front, exchange) => {
  readQuery(exchange.query, noParameters);
  const states = await readAlertStates(front.hooks);
  if (states === undefined) throw new RequestFailure(storeSilent);
  exchange.json(
    '200 OK',
    JSON.stringify({data: states.map(({alert, state}) => shownAlert(alert, state, reachOf(front.hooks, alert)))}),
  );
};

export const readAlert: Handle = async (front, exchange, segment) => {
  await answer(front, exchange, known(front, exchange, segment));
};

export async function createAlert(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  readQuery(exchange.query, noParameters);
  const alert = alertOf(readFields(newAlertBody, body));
  checkReferences(front, alert);
  if (alertsOf(front.hooks).list().length >= alertsMax)
    throw new RequestFailure(invalidRequest(`there are ${alertsMax} alerts already: delete one first`));
  const author = authorOf(front, exchange);
  const created = await changed(front, () => alertsOf(front.hooks).create(alert));
  front.audit.defined('alert.created', author, created.id);
  const shown = shownAlert(created, undefined, reachOf(front.hooks, created));
  exchange.json('201 Created', JSON.stringify(shown), [etagOf(shown.version)]);
}

export async function changeAlert(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const change = readFields(alertChange, readObject(bytes));
  const alert = known(front, exchange, variedSegment(exchange));
  const {id} = alert;
  const isMeant = meantAlert(exchange);
  const edit = ({v, createdMs, ...stored}: Alert): Alert => {
    const whole = readFields(newAlertBody, mergedBody(bodyOf(stored), change));
    return {v, id, createdMs, ...alertOf(whole)};
  };
  checkReferences(front, edit(alert), alert);
  const author = authorOf(front, exchange);
  const edited = await changed(front, () => changeMeant(alertsOf(front.hooks), id, isMeant, edit));
  if (edited === undefined) throw new RequestFailure(unknownAlert);
  if (edited.isOutdated) return failOutdated(front, exchange, edited.definition);
  front.audit.defined('alert.changed', author, id);
  await answer(front, exchange, edited.definition);
}

/** Whether the client means this version of an alert; undefined: any. @throws RequestFailure */
function meantAlert(exchange: Exchange): ((alert: Alert) => boolean) | undefined {
  const isMeant = meantVersion(exchange);
  return isMeant && ((alert) => isMeant(versionOfAlert(alert)));
}

async function failOutdated(front: Front, exchange: Exchange, stored: Alert): Promise<void> {
  const alert = await withState(front, stored);
  const more: Omit<AlertChangedAnswer, 'error'> = {alert};
  exchange.failWith(changedSinceRead('alert'), more, [etagOf(alert.version)]);
}

/** A change with `gte` replaces an `lte`, and the other way round. */
function mergedBody(stored: object, change: object): object {
  const known: Record<string, unknown> = {...stored};
  if ('gte' in change || 'lte' in change) {
    delete known.gte;
    delete known.lte;
  }
  return Object.fromEntries(Object.entries({...known, ...change}).filter(([, value]) => value !== null));
}

export const deleteAlert: Handle = async (front, exchange, segment) => {
  const {id} = known(front, exchange, segment);
  const removal = {
    what: 'alert.deleted',
    unknown: unknownAlert,
    outcomeUnknown,
    isMeant: meantAlert(exchange),
  } as const;
  const removed = await removeDefinition(front, exchange, alertsOf(front.hooks), id, removal);
  if (removed.isOutdated) return failOutdated(front, exchange, removed.definition);
  // A record that is left does no harm: a sweep deletes it.
  await Promise.allSettled([forgetRecord(front.hooks.bucket, stateName(id))]);
  exchange.json('200 OK', JSON.stringify({status: 'deleted', id}));
};

export async function previewAlert(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  readQuery(exchange.query, noParameters);
  const asked = readFields(previewBody, body);
  const {for: held = 1, repeat_minutes: repeatMinutes} = asked;
  const rule = ruleOf(asked) as ReportRule;
  const alert = {rule, for: held, ...(repeatMinutes === undefined ? {} : {repeatMinutes})};
  const asker = askerOf(exchange);
  const {asOfMs, refreshMs} = await freshness(front, asker);
  const {questions, previewOf} = previewQuestions(alert, asOfMs, refreshMs, {funnel: funnelOf(front, rule)});
  const bodies: unknown[] = [];
  for (const query of questions) bodies.push(await ask(front, query, asker).then(({body: text}) => JSON.parse(text!)));
  const preview = previewOf(bodies);
  const answer: AlertPreviewAnswer = {
    from: isoText(preview.fromMs),
    to: isoText(preview.toMs),
    step_minutes: preview.stepMs / 60_000,
    fired: preview.firings.length,
    messages: preview.messages,
    firings: preview.firings
      .slice(-firingsListedMax)
      .reverse()
      .map(({fromMs, untilMs, value, bound}) => ({
        from: isoText(fromMs),
        until: untilMs === undefined ? null : isoText(untilMs),
        value,
        bound,
      })),
  };
  exchange.json('200 OK', JSON.stringify(answer));
}

/** End of what the published reports include, and the period of publications. */
async function freshness(front: Front, asker: Asker): Promise<{asOfMs: number; refreshMs: number}> {
  const {headers} = await ask(front, {report: 'events', event: '', fromMs: 0, toMs: 0, interval: 'hour'}, asker);
  const asOfMs = Date.parse(headers['Report-As-Of']);
  return {asOfMs, refreshMs: Date.parse(headers['Report-Next-By']) - asOfMs};
}

const ask = async (front: Front, query: ReportQuery, asker: Asker) =>
  reportIn(await front.asks.report({ask: 'report', query}, asker));

/** @throws RequestFailure */
function known({hooks}: Front, exchange: Exchange, segment: string): Alert {
  readQuery(exchange.query, noParameters);
  const alert = alertsOf(hooks).get(readPathId(segment));
  if (alert === undefined) throw new RequestFailure(unknownAlert);
  return alert;
}

type References = Pick<Alert, 'rule' | 'endpoints'>;

/**
 * `before`: the alert that is changed. What it named and was deleted since must not keep it from being paused or renamed.
 * @throws RequestFailure that names what there is not.
 */
function checkReferences(front: Front, {rule, endpoints = []}: References, before?: References): void {
  const added = endpoints.filter((id) => !before?.endpoints?.includes(id));
  const missing = added.find((id) => front.hooks.endpoints.get(id) === undefined);
  if (missing !== undefined) throw new RequestFailure(invalidRequest(`there is no endpoint ${missing}`, 'endpoints'));
  const chat = added.find((id) => front.hooks.endpoints.get(id)?.kind !== 'webhook');
  if (rule.kind === 'stalled' && chat !== undefined)
    throw new RequestFailure(invalidRequest(`${chat} is a chat, and stalled names users: webhooks alone`, 'endpoints'));
  if (JSON.stringify(before?.rule) !== JSON.stringify(rule)) checkFunnel(front, rule);
}

/** @throws RequestFailure */
function checkFunnel(front: Front, rule: Rule): void {
  const funnel = funnelOf(front, rule);
  if (rule.kind !== 'stalled') return;
  const stepMax = funnel!.steps.length - 1;
  if (rule.step > stepMax) throw new RequestFailure(invalidRequest(stepText(funnel!, stepMax), 'step'));
}

const stepText = ({id}: SavedFunnel, stepMax: number): string =>
  stepMax < 1
    ? `funnel ${id} has one step, after which nobody stalls`
    : `step must be 1 to ${stepMax}, as one follows it`;

/** The saved funnel that the rule names; undefined for kinds without a funnel. @throws RequestFailure */
function funnelOf({hooks}: Front, rule: Rule): SavedFunnel | undefined {
  if (rule.kind !== 'funnel_drop' && rule.kind !== 'stalled') return undefined;
  const funnel = savedFunnelsOf(hooks).get(rule.funnel);
  if (funnel === undefined)
    throw new RequestFailure(invalidRequest(`there is no saved funnel ${rule.funnel}`, 'funnel'));
  return funnel;
}

async function withState({hooks}: Front, alert: Alert) {
  try {
    return shownAlert(alert, await readAlertState(hooks, alert), reachOf(hooks, alert));
  } catch (error) {
    if (error instanceof BucketFault) throw new RequestFailure(storeSilent);
    throw error;
  }
}

async function answer(front: Front, exchange: Exchange, alert: Alert): Promise<void> {
  const shown = await withState(front, alert);
  exchange.json('200 OK', JSON.stringify(shown), [etagOf(shown.version)]);
}

const changed = <Value>(front: Front, change: () => Promise<Value>): Promise<Value> =>
  storedChange(front, outcomeUnknown, change);

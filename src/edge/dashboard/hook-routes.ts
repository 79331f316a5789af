// The dashboard's paths to actions on webhooks and alerts: handlers of the API, with the role that each needs.
//   HR1. Webhooks are the admin's: they send events and users to any address, and their secrets are shown once. Alerts are an
//        analyst's.
import {reachedBy as reachedByAlert} from '../../alerts/audience.js';
import {reachedBy as reachedByDigest} from '../../digests/reached.js';
import {endpointsMax} from '../../webhooks/endpoint.js';
import {anyText, optional, optionalList} from '../query/parameters.js';
import {readQuery} from '../query/query.js';
import type {Handle, Route} from '../route.js';
import {alertBodyBytesMax, previewAlert} from '../routes/alerts.js';
import {readUserFunnels} from '../routes/saved-funnels.js';
import {listDeliveries} from '../routes/webhook-deliveries.js';
import {replayWebhook} from '../routes/webhook-replay.js';
import {resumeWebhook, rotateWebhook, testWebhook, webhookBodyBytesMax} from '../routes/webhooks.js';
import type {ReachAnswer} from './answers/reach.js';
import {reading, writing} from './role-routes.js';

const reachForm = {
  name: optional(anyText, {description: 'Name of the alert.'}),
  funnel: optional(anyText, {description: 'Id of the saved funnel, of an alert that tells who stalls.'}),
  of: optional(anyText, {description: 'Of a digest: id of the saved report or board.'}),
  endpoint: optionalList(anyText, {
    countMax: endpointsMax,
    description: 'Id of a webhook that it names. None: it tells those that subscribe to it.',
  }),
};

/** Who would hear of an alert or a digest: for its form, whose person may not read webhooks. HR1 */
const readReach: Handle = ({kept: {store}}, exchange) => {
  // No subscription is to an empty name: those to all alerts are counted.
  const {name = '', funnel, of, endpoint} = readQuery(exchange.query, reachForm);
  const rule = funnel === undefined ? {kind: 'threshold'} : {kind: 'stalled', funnel};
  const named = endpoint.length > 0 && {endpoints: endpoint};
  const reached =
    of === undefined ? reachedByAlert(store, {name, rule, ...named}) : reachedByDigest(store, {of, ...named});
  const answer: ReachAnswer = {reaches: reached.length, endpoints: reached};
  exchange.json('200 OK', JSON.stringify(answer));
};

/** Paths below `/dashboard/api/`. */
export const hookRoutes: Readonly<Record<string, Route>> = {
  reach: {GET: reading('analyst', readReach)},
  'v1/alerts/preview': {POST: writing('analyst', previewAlert, alertBodyBytesMax)},
  'v1/user/funnels': {GET: reading('analyst', readUserFunnels)},
};

/** Routes with a generated id in their path, in the form of `Routes`. */
export const dashboardRoutesById: ReadonlyMap<string, Route> = new Map(
  Object.entries<Route>({
    'v1/webhooks/*/test': {isBeforeEnd: true, POST: writing('admin', testWebhook, webhookBodyBytesMax)},
    'v1/webhooks/*/rotate': {isBeforeEnd: true, POST: writing('admin', rotateWebhook, webhookBodyBytesMax)},
    'v1/webhooks/*/resume': {isBeforeEnd: true, POST: writing('admin', resumeWebhook, webhookBodyBytesMax)},
    'v1/webhooks/*/replay': {isBeforeEnd: true, POST: writing('admin', replayWebhook, webhookBodyBytesMax)},
    'v1/webhooks/*/deliveries': {isBeforeEnd: true, GET: reading('admin', listDeliveries)},
  }).map(([path, route]): [string, Route] => [`/dashboard/api/${path}`, {...route, isOfDashboard: true}]),
);

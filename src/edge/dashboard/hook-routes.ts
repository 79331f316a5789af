// The dashboard's paths to webhooks, alerts and saved funnels: handlers of the API, with the role that each needs.
//   HR1. Webhooks are the admin's: they send events and users to any address, and their secrets are shown once. Alerts and saved
//        funnels are an analyst's.
import {reachOf} from '../../alerts/audience.js';
import {endpointsMax} from '../../effects/endpoint.js';
import {anyText, optional, optionalList} from '../query/parameters.js';
import {readQuery} from '../query/query.js';
import type {Handle, Route} from '../route.js';
import {alertBodyBytesMax, changeAlert, createAlert, deleteAlert, listAlerts, previewAlert} from '../routes/alerts.js';
import {
  deleteFunnel,
  listFunnels,
  readUserFunnels,
  savedFunnelBodyBytesMax,
  saveFunnel,
} from '../routes/saved-funnels.js';
import {listDeliveries} from '../routes/webhook-deliveries.js';
import {replayWebhook} from '../routes/webhook-replay.js';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  resumeWebhook,
  rotateWebhook,
  testWebhook,
  webhookBodyBytesMax,
} from '../routes/webhooks.js';
import type {AlertReachAnswer} from './answers/alert-reach.js';
import {reading, writing} from './role-routes.js';

const reachForm = {
  name: optional(anyText, {description: 'Name of the alert.'}),
  funnel: optional(anyText, {description: 'Id of the saved funnel, of an alert that tells who stalls.'}),
  endpoint: optionalList(anyText, {
    countMax: endpointsMax,
    description: 'Id of a webhook or chat that the alert names. None: it tells those that subscribe to it.',
  }),
};

/** How many webhooks and chats would hear of an alert: for its form, whose person may not read webhooks. HR1 */
const readAlertReach: Handle = ({hooks}, exchange) => {
  // No subscription is to an empty name: those to all alerts are counted.
  const {name = '', funnel, endpoint} = readQuery(exchange.query, reachForm);
  const rule = funnel === undefined ? {kind: 'threshold'} : {kind: 'stalled', funnel};
  const alert = {name, rule, ...(endpoint.length > 0 && {endpoints: endpoint})};
  const answer: AlertReachAnswer = {reaches: reachOf(hooks, alert)};
  exchange.json('200 OK', JSON.stringify(answer));
};

/** Paths below `/dashboard/api/`. */
export const hookRoutes: Readonly<Record<string, Route>> = {
  'v1/webhooks': {GET: reading('admin', listWebhooks), POST: writing('admin', createWebhook, webhookBodyBytesMax)},
  'v1/alerts': {GET: reading('analyst', listAlerts), POST: writing('analyst', createAlert, alertBodyBytesMax)},
  'alert-reach': {GET: reading('analyst', readAlertReach)},
  'v1/alerts/preview': {POST: writing('analyst', previewAlert, alertBodyBytesMax)},
  'v1/funnels': {GET: reading('analyst', listFunnels), POST: writing('analyst', saveFunnel, savedFunnelBodyBytesMax)},
  'v1/user/funnels': {GET: reading('analyst', readUserFunnels)},
};

/** Routes with a generated id in their path, in the form of `Routes`. */
export const dashboardRoutesById: ReadonlyMap<string, Route> = new Map(
  Object.entries<Route>({
    'v1/webhooks/': {
      PATCH: writing('admin', changeWebhook, webhookBodyBytesMax),
      DELETE: reading('admin', deleteWebhook),
    },
    'v1/webhooks/*/test': {isBeforeEnd: true, POST: writing('admin', testWebhook, webhookBodyBytesMax)},
    'v1/webhooks/*/rotate': {isBeforeEnd: true, POST: writing('admin', rotateWebhook, webhookBodyBytesMax)},
    'v1/webhooks/*/resume': {isBeforeEnd: true, POST: writing('admin', resumeWebhook, webhookBodyBytesMax)},
    'v1/webhooks/*/replay': {isBeforeEnd: true, POST: writing('admin', replayWebhook, webhookBodyBytesMax)},
    'v1/webhooks/*/deliveries': {isBeforeEnd: true, GET: reading('admin', listDeliveries)},
    'v1/alerts/': {PATCH: writing('analyst', changeAlert, alertBodyBytesMax), DELETE: reading('analyst', deleteAlert)},
    'v1/funnels/': {DELETE: reading('analyst', deleteFunnel)},
  }).map(([path, route]): [string, Route] => [`/dashboard/api/${path}`, {...route, isOfDashboard: true}]),
);

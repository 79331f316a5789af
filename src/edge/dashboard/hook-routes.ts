// The dashboard's paths to webhooks, alerts and saved funnels: handlers of the API, with the role that each needs.
//   HR1. Webhooks are the admin's: they send events and users to any address, and their secrets are shown once. Alerts and saved
//        funnels are an analyst's.
import type {DashboardRole} from '../../keys/dashboard-role.js';
import type {Route} from '../route.js';
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

type Reading = NonNullable<Route['GET']>;
type Writing = NonNullable<Route['POST']>;

const access = 'dashboard';
const readingAs =
  (role: DashboardRole) =>
  (handle: Reading['handle']): Reading => ({access, role, handle});
const writingAs =
  (role: DashboardRole, bodyBytesMax: number) =>
  (takeBody: Writing['takeBody']): Writing => ({access, role, bodyBytesMax, takeBody});

// HR1
const hooking = readingAs('admin');
const hookWriting = writingAs('admin', webhookBodyBytesMax);
const analysing = readingAs('analyst');
const alerting = writingAs('analyst', alertBodyBytesMax);

/** Paths below `/dashboard/api/`. */
export const hookRoutes: Readonly<Record<string, Route>> = {
  'v1/webhooks': {GET: hooking(listWebhooks), POST: hookWriting(createWebhook)},
  'v1/alerts': {GET: analysing(listAlerts), POST: alerting(createAlert)},
  'v1/alerts/preview': {POST: alerting(previewAlert)},
  'v1/funnels': {GET: analysing(listFunnels), POST: writingAs('analyst', savedFunnelBodyBytesMax)(saveFunnel)},
  'v1/user/funnels': {GET: analysing(readUserFunnels)},
};

/** Routes with a generated id in their path, in the form of `Routes`. */
export const dashboardRoutesById: ReadonlyMap<string, Route> = new Map(
  Object.entries<Route>({
    'v1/webhooks/': {PATCH: hookWriting(changeWebhook), DELETE: hooking(deleteWebhook)},
    'v1/webhooks/*/test': {isBeforeEnd: true, POST: hookWriting(testWebhook)},
    'v1/webhooks/*/rotate': {isBeforeEnd: true, POST: hookWriting(rotateWebhook)},
    'v1/webhooks/*/resume': {isBeforeEnd: true, POST: hookWriting(resumeWebhook)},
    'v1/webhooks/*/replay': {isBeforeEnd: true, POST: hookWriting(replayWebhook)},
    'v1/webhooks/*/deliveries': {isBeforeEnd: true, GET: hooking(listDeliveries)},
    'v1/alerts/': {PATCH: alerting(changeAlert), DELETE: analysing(deleteAlert)},
    'v1/funnels/': {DELETE: analysing(deleteFunnel)},
  }).map(([path, route]): [string, Route] => [`/dashboard/api/${path}`, {...route, isOfDashboard: true}]),
);

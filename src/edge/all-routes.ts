// Every path of the service (docs/api/README.md).
import {batchBytesMax, eventBytesMax} from '../../actors/limits.js';
import {version} from '../version.js';
import {answerMcp, messageBytesMax} from './mcp/route.js';
import {serveDescription, serveNotices, servePage} from './openapi/routes.js';
import {resources} from './resources/all.js';
import {routesOf} from './resources/resource.js';
import type {BodyEndpoint, ReadEndpoint, Route, Routes} from './route.js';
import {usersReport} from './routes/active-users.js';
import {alertBodyBytesMax, previewAlert} from './routes/alerts.js';
import {trackBatch} from './routes/batch.js';
import {readCaller} from './routes/caller.js';
import {readChanges} from './routes/changes.js';
import {compatibleRoutes} from './routes/compatible.js';
import {deleteName, deleteUser, deleteUserInPath, readDeletion, readDeletionInPath} from './routes/deletions.js';
import {countsReport} from './routes/event-counts.js';
import {namesReport} from './routes/event-names.js';
import {readEvents} from './routes/events.js';
import {exportEvents, exportUser} from './routes/exports.js';
import {funnelReport, funnelUsersReport} from './routes/funnel.js';
import {health, readiness} from './routes/health.js';
import {hiddenBodyBytesMax, hideNames, hideProperties, readHidden} from './routes/hidden.js';
import {changeKey, createKey, listKeys, revokeKey, revokeKeyInPath} from './routes/keys.js';
import {lifecycleReport} from './routes/lifecycle.js';
import {adminBodyBytesMax} from './routes/limits.js';
import {addLinks, linksBodyBytesMax} from './routes/links.js';
import {propertiesList, propertyValuesList, traitsList, traitValuesList} from './routes/lists.js';
import {metrics} from './routes/metrics.js';
import {pathsReport} from './routes/paths.js';
import {answerQuery, queryBodyBytesMax} from './routes/query.js';
import {readRejected} from './routes/rejected.js';
import {retentionReport} from './routes/retention.js';
import {readUserFunnels, savedFunnelReport} from './routes/saved-funnels.js';
import {sdkScript, sdkScriptOfVersion} from './routes/sdk-script.js';
import {stickinessReport} from './routes/stickiness.js';
import {identify, track} from './routes/track.js';
import {userList} from './routes/user-list.js';
import {readUser, readUserInPath} from './routes/users.js';
import {listDeliveries} from './routes/webhook-deliveries.js';
import {replayWebhook} from './routes/webhook-replay.js';
import {resumeWebhook, rotateWebhook, testWebhook, webhookBodyBytesMax} from './routes/webhooks.js';

// The bound counts compact JSON; escapes and white space may make it longer on the wire: an event of 64 KiB that is escaped
// throughout has 384 KiB.
const singleBodyBytesMax = 8 * eventBytesMax;

const reading = (handle: ReadEndpoint['handle']): ReadEndpoint => ({access: 'read', limit: 'reads', handle});
/** An endpoint that reads what a read key may not: outcomes of writes and deletions, saved definitions, and webhooks. */
const overseeing = (handle: ReadEndpoint['handle']): ReadEndpoint => ({access: 'secret', limit: 'reads', handle});
const writing = (bodyBytesMax: number, takeBody: BodyEndpoint['takeBody']): BodyEndpoint => ({
  access: 'write',
  limit: 'events',
  bodyBytesMax,
  takeBody,
});
const managing = (takeBody: BodyEndpoint['takeBody'], bodyBytesMax: number): BodyEndpoint => ({
  access: 'secret',
  limit: 'reads',
  bodyBytesMax,
  takeBody,
});
const acting = (takeBody: BodyEndpoint['takeBody']): BodyEndpoint => ({
  ...managing(takeBody, webhookBodyBytesMax),
  isBodyOptional: true,
});
const kept = resources.flatMap((one) =>
  routesOf(one, '/v1/', {reads: overseeing, removes: overseeing, writes: managing}),
);
const open = (handle: ReadEndpoint['handle']): Route => ({GET: {access: 'open', handle}});

const erasing = (handle: ReadEndpoint['handle']): ReadEndpoint => ({access: 'secret', limit: 'deletions', handle});
const userInPath: Route = {GET: reading(readUserInPath), DELETE: erasing(deleteUserInPath)};

export const routes: Routes = {
  exact: new Map<string, Route>([
    ['/v1/events', {POST: writing(singleBodyBytesMax, track), GET: reading(readEvents), isWriteRoute: true}],
    ['/v1/events/batch', {POST: writing(batchBytesMax, trackBatch), isWriteRoute: true}],
    // GET and DELETE of this path mean the user of that name.
    [
      '/v1/users/identify',
      {...userInPath, POST: {...writing(singleBodyBytesMax, identify), permission: 'identify'}, isWriteRoute: true},
    ],
    ['/v1', {GET: {access: 'key', limit: 'reads', handle: readCaller}}],
    ['/v1/user', {GET: reading(readUser), DELETE: erasing(deleteUser)}],
    ['/v1/name', {DELETE: erasing(deleteName)}],
    ['/v1/deletion', {GET: overseeing(readDeletion)}],
    ['/v1/rejected', {GET: overseeing(readRejected)}],
    ['/v1/users', {GET: reading(userList)}],
    ['/v1/user/export', {GET: reading(exportUser)}],
    ['/v1/export', {GET: reading(exportEvents)}],
    ['/v1/changes', {GET: reading(readChanges)}],
    ['/v1/names', {GET: reading(namesReport)}],
    ['/v1/names/hidden', {GET: reading(readHidden('names')), PUT: managing(hideNames, hiddenBodyBytesMax)}],
    [
      '/v1/properties/hidden',
      {GET: reading(readHidden('properties')), PUT: managing(hideProperties, hiddenBodyBytesMax)},
    ],
    ['/v1/properties', {GET: reading(propertiesList)}],
    ['/v1/properties/values', {GET: reading(propertyValuesList)}],
    ['/v1/traits', {GET: reading(traitsList)}],
    ['/v1/traits/values', {GET: reading(traitValuesList)}],
    ['/v1/reports/events', {GET: reading(countsReport)}],
    ['/v1/reports/users', {GET: reading(usersReport)}],
    ['/v1/reports/funnel', {GET: reading(funnelReport)}],
    ['/v1/reports/funnel/users', {GET: reading(funnelUsersReport)}],
    ['/v1/user/funnels', {GET: overseeing(readUserFunnels)}],
    ['/v1/reports/retention', {GET: reading(retentionReport)}],
    ['/v1/reports/lifecycle', {GET: reading(lifecycleReport)}],
    ['/v1/reports/stickiness', {GET: reading(stickinessReport)}],
    ['/v1/reports/paths', {GET: reading(pathsReport)}],
    [
      '/v1/query',
      {
        POST: {
          access: 'read',
          limit: 'reads',
          isQuestion: true,
          bodyBytesMax: queryBodyBytesMax,
          takeBody: answerQuery(),
        },
      },
    ],
    [
      '/mcp',
      {POST: {access: 'read', limit: 'reads', isQuestion: true, bodyBytesMax: messageBytesMax, takeBody: answerMcp}},
    ],
    ...kept.filter(([path]) => !path.endsWith('/')),
    ['/v1/alerts/preview', {POST: managing(previewAlert, alertBodyBytesMax)}],
    [
      '/admin/v1/keys',
      {
        GET: {access: 'admin', handle: listKeys},
        POST: {access: 'admin', bodyBytesMax: adminBodyBytesMax, takeBody: createKey},
      },
    ],
    [
      '/admin/v1/key',
      {
        POST: {access: 'admin', bodyBytesMax: adminBodyBytesMax, takeBody: changeKey},
        DELETE: {access: 'admin', handle: revokeKey},
      },
    ],
    ['/admin/v1/links', {POST: {access: 'admin', bodyBytesMax: linksBodyBytesMax, takeBody: addLinks}}],
    ...compatibleRoutes.exact,
    ['/healthz', open(health)],
    ['/metrics', open(metrics)],
    ['/readyz', open(readiness)],
    ['/openapi.json', open(serveDescription())],
    ['/docs', open(servePage())],
    ['/licenses', open(serveNotices())],
    ['/sdk.js', sdkScript()],
    [`/sdk-${version}.js`, sdkScriptOfVersion()],
  ]),
  bySegment: new Map<string, Route>([
    ['/v1/users/', userInPath],
    ['/v1/deletions/', {GET: overseeing(readDeletionInPath)}],
    ['/v1/funnels/*/report', {isBeforeEnd: true, GET: overseeing(savedFunnelReport)}],
    ['/v1/webhooks/*/test', {isBeforeEnd: true, POST: acting(testWebhook)}],
    ['/v1/webhooks/*/rotate', {isBeforeEnd: true, POST: acting(rotateWebhook)}],
    ['/v1/webhooks/*/resume', {isBeforeEnd: true, POST: acting(resumeWebhook)}],
    ['/v1/webhooks/*/replay', {isBeforeEnd: true, POST: managing(replayWebhook, webhookBodyBytesMax)}],
    ['/v1/webhooks/*/deliveries', {isBeforeEnd: true, GET: overseeing(listDeliveries)}],
    ...kept.filter(([path]) => path.endsWith('/')),
    ...compatibleRoutes.bySegment,
    ['/admin/v1/keys/', {DELETE: {access: 'admin', handle: revokeKeyInPath}}],
  ]),
};

/** Whether a path is an operator's, on ADMIN_PORT where that is set. The dashboard is: it manages keys and shows people. */
const isForOperators = (path: string): boolean => /^\/(?:admin\/|dashboard|(?:healthz|readyz|metrics)?$)/.test(path);

const routesThat = ({exact, bySegment}: Routes, keep: (path: string) => boolean): Routes => ({
  exact: new Map([...exact].filter(([path]) => keep(path))),
  bySegment: new Map([...bySegment].filter(([path]) => keep(path))),
});

/** All routes, the dashboard's included: for an edge with one port, and for the two of an edge with ADMIN_PORT. */
export function servedRoutes(dashboard: Routes): Readonly<Record<'all' | 'operators' | 'clients', Routes>> {
  const all: Routes = {
    exact: new Map([...routes.exact, ...dashboard.exact]),
    bySegment: new Map([...routes.bySegment, ...dashboard.bySegment]),
  };
  return {
    all,
    operators: routesThat(all, isForOperators),
    clients: routesThat(all, (path) => !isForOperators(path)),
  };
}

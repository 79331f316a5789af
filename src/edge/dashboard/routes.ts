// The paths of the dashboard, with the role that each needs (hook-routes.ts has those with an id in them). Its data comes from
// handlers of the API, mounted here for people who are signed in: a page shows the API's answers.

import {mayAs} from '../../keys/dashboard-role.js';
import type {Failure, Header} from '../failure.js';
import type {Front} from '../front.js';
import {answerDocument, type Document} from '../http/document.js';
import type {Exchange} from '../http/exchange.js';
import {pathPrefix} from '../http/path-prefix.js';
import {resources} from '../resources/all.js';
import {routesOf} from '../resources/resource.js';
import type {Handle, Route, Routes} from '../route.js';
import {usersReport} from '../routes/active-users.js';
import {deleteUser, readDeletion} from '../routes/deletions.js';
import {countsReport} from '../routes/event-counts.js';
import {namesReport} from '../routes/event-names.js';
import {readEvents} from '../routes/events.js';
import {exportEvents, exportUser} from '../routes/exports.js';
import {funnelReport} from '../routes/funnel.js';
import {changeKey, createKey, listKeys, revokeKey} from '../routes/keys.js';
import {lifecycleReport} from '../routes/lifecycle.js';
import {propertiesList, propertyValuesList, traitsList, traitValuesList} from '../routes/lists.js';
import {pathsReport} from '../routes/paths.js';
import {answerQuery, queryBodyBytesMax} from '../routes/query.js';
import {readRejected} from '../routes/rejected.js';
import {retentionReport} from '../routes/retention.js';
import {stickinessReport} from '../routes/stickiness.js';
import {userList} from '../routes/user-list.js';
import {readUser} from '../routes/users.js';
import {answerSharedPage, type DashboardFiles, pageBehind} from './assets.js';
import type {BenchRuns} from './bench-runs.js';
import {type DashboardDoor, roleNotSufficient} from './door.js';
import {dashboardRoutesById, hookRoutes} from './hook-routes.js';
import {setInternalUsers} from './internal-users.js';
import type {Live} from './live.js';
import {readNaming} from './naming.js';
import {answerAppWithoutPage, answerNoPage} from './no-page.js';
import {createPerson, listPeople, revokePerson} from './people.js';
import {readRecord} from './record.js';
import {reading, writing} from './role-routes.js';
import type {Shares} from './shares.js';
import {type SignIn, signInBodyBytesMax} from './sign-in.js';
import {readState} from './state.js';
import {readTitles, setTitleTraits} from './titles.js';

export function dashboardRoutes(
  files: DashboardFiles | undefined,
  signIn: SignIn,
  live: Live,
  benchRuns: BenchRuns,
  shares: Shares,
  door: DashboardDoor,
): Routes {
  const page = files === undefined ? undefined : pageOf(files);
  const exact: [string, Route][] = [
    ['/', {GET: reading('nobody', leadOn)}],
    ...(files === undefined ? notBuilt() : pagesOf(files, page!, door)),
    ...Object.entries(dataRoutes(signIn, live, benchRuns)).map(
      ([path, route]) => [`/dashboard/api/${path}`, route] as [string, Route],
    ),
    ...kept.filter(([path]) => !path.endsWith('/')),
  ];
  // A link's token is a text of the service's own (RT1).
  const byText: [string, Route][] = [
    ...kept.filter(([path]) => path.endsWith('/')),
    ['/dashboard/share/', {GET: reading('nobody', page === undefined ? sayHowToBuild : sharedPage(page, shares))}],
    ['/dashboard/api/shares/', {GET: reading('nobody', shares.read)}],
  ];
  const marked = (routes: readonly [string, Route][]): Map<string, Route> =>
    new Map(routes.map(([path, route]) => [path, {...route, isOfDashboard: true}]));
  return {exact: marked(exact), bySegment: new Map([...dashboardRoutesById, ...marked(byText)])};
}

const kept = resources.flatMap((one) =>
  routesOf(one, '/dashboard/api/v1/', {
    reads: (handle) => reading(one.roles.reads, handle),
    removes: (handle) => reading(one.roles.changes, handle),
    writes: (takeBody, bodyBytesMax) => writing(one.roles.changes, takeBody, bodyBytesMax),
  }),
);

const dataRoutes = (signIn: SignIn, live: Live, benchRuns: BenchRuns): Record<string, Route> => ({
  session: {
    POST: writing('nobody', signIn.takeBody, signInBodyBytesMax),
    GET: reading('nobody', signIn.read),
    DELETE: reading('nobody', signIn.end),
  },
  sessions: {DELETE: reading('admin', signIn.endAll)},
  'sign-in-code': {POST: {...writing('nobody', signIn.createCode, signInBodyBytesMax), access: 'admin'}},
  state: {GET: reading('reader', readState)},
  load: {GET: reading('reader', live.readLoad)},
  stream: {GET: reading('reader', live.openStream)},
  'bench/runs': {GET: reading('reader', benchRuns.readRuns)},
  'bench/run': {GET: reading('reader', benchRuns.readRun)},
  'v1/reports/events': {GET: reading('reader', countsReport)},
  'v1/reports/users': {GET: reading('reader', usersReport)},
  'v1/reports/funnel': {GET: reading('reader', funnelReport)},
  'v1/reports/retention': {GET: reading('reader', retentionReport)},
  'v1/reports/lifecycle': {GET: reading('reader', lifecycleReport)},
  'v1/reports/stickiness': {GET: reading('reader', stickinessReport)},
  'v1/reports/paths': {GET: reading('reader', pathsReport)},
  'v1/query': {POST: {...writing('reader', answerQuery(refuseReaders), queryBodyBytesMax), isQuestion: true}},
  'v1/names': {GET: reading('reader', namesReport)},
  'v1/properties': {GET: reading('reader', propertiesList)},
  'v1/properties/values': {GET: reading('reader', propertyValuesList)},
  'v1/users': {GET: reading('analyst', userList)},
  'v1/traits': {GET: reading('reader', traitsList)},
  'v1/traits/values': {GET: reading('reader', traitValuesList)},
  'v1/events': {GET: reading('analyst', readEvents)},
  'v1/export': {GET: reading('analyst', exportEvents)},
  'v1/rejected': {GET: reading('analyst', readRejected)},
  'v1/user': {GET: reading('analyst', quietly(readUser)), DELETE: reading('admin', deleteUser)},
  'v1/user/export': {GET: reading('analyst', exportUser)},
  'v1/deletion': {GET: reading('admin', quietly(readDeletion))},
  titles: {POST: {...writing('analyst', readTitles), isQuestion: true}, PUT: writing('admin', setTitleTraits)},
  'internal-users': {PUT: writing('analyst', setInternalUsers)},
  naming: {GET: reading('admin', readNaming)},
  ...hookRoutes,
  keys: {GET: reading('admin', listKeys), POST: writing('admin', createKey)},
  key: {POST: writing('admin', changeKey), DELETE: reading('admin', revokeKey)},
  people: {GET: reading('admin', listPeople), POST: writing('admin', createPerson)},
  person: {DELETE: reading('admin', revokePerson)},
  record: {GET: reading('admin', readRecord)},
});

/** Readers see no people. */
const refuseReaders = ({caller: {session}}: Exchange, {report}: {readonly report: string}): Failure | undefined =>
  report === 'people' && !mayAs(session!.role, 'analyst') ? roleNotSufficient('analyst') : undefined;

/**
 * Answers an unknown id with 200 and the body of the API: browsers log a line to their console for every status of 400 and
 * above, and the page that searches for the id made no mistake.
 */
const quietly =
  (handle: Handle): Handle =>
  (front, exchange, segment) => {
    exchange.isAbsenceAnswered = true;
    return handle(front, exchange, segment);
  };

/** Redirects a browser to the dashboard; tells a program the paths of the service. */
function leadOn(front: Front, exchange: Exchange): void {
  const prefix = pathPrefix(front.operations, exchange);
  if (exchange.page!.acceptsHtml) {
    // With a type it has a length: a client that reads the body would wait for the end of the connection.
    exchange.answer('302 Found', 'text/plain; charset=utf-8', '', [
      ['Location', `${prefix}/dashboard`],
      ['Vary', 'Accept'],
    ]);
    return;
  }
  const body = {
    name: 'millrace',
    dashboard: `${prefix}/dashboard`,
    docs: `${prefix}/docs`,
    openapi: `${prefix}/openapi.json`,
  };
  exchange.json('200 OK', JSON.stringify(body), [['Vary', 'Accept']]);
}

/** Over plain http beyond loopback browsers ignore the header, and log that to the console. */
const isolated: readonly Header[] = [['Cross-Origin-Opener-Policy', 'same-origin']];

type Page = (front: Front, exchange: Exchange) => Document;

/** Answers an unknown path below `/dashboard/`, to a browser. `files` undefined: the app is not built, or not served here. */
export function noPageOf(files: DashboardFiles | undefined): (front: Front, exchange: Exchange) => void {
  if (files === undefined) return answerNoPage;
  const page = pageOf(files);
  return (front, exchange) => answerAppWithoutPage(exchange, page(front, exchange));
}

function pageOf({index}: DashboardFiles): Page {
  const behind = new Map<string, Document>();
  return (front, exchange) => {
    const prefix = pathPrefix(front.operations, exchange);
    const made = behind.get(prefix) ?? pageBehind(index, prefix);
    if (behind.size === 0) behind.set(prefix, made); // Proxies in front of one service usually have one prefix.
    return made;
  };
}

const sharedPage =
  (pageAt: Page, shares: Shares): Handle =>
  (front, exchange, token) =>
    answerSharedPage(exchange, pageAt(front, exchange), shares.originsOf(front, token));

const answerPart = (exchange: Exchange, part: Document, more: readonly Header[] = []): void =>
  answerDocument(exchange, exchange.page!.acceptEncoding, part, more);

function pagesOf({assets, pages}: DashboardFiles, pageAt: Page, door: DashboardDoor): [string, Route][] {
  const page: Handle = (front, exchange) =>
    answerPart(exchange, pageAt(front, exchange), door.isTrustworthy(exchange) ? isolated : []);
  return [
    ...pages.map((path): [string, Route] => [`/dashboard${path}`, {GET: reading('nobody', page)}]),
    ...[...assets].map(([name, asset]): [string, Route] => [
      `/dashboard/${name}`,
      {GET: reading('nobody', (_, exchange) => answerPart(exchange, asset))},
    ]),
  ];
}

const howToBuild = 'The dashboard is not built. Run "npm run build" where the service is, and start it again.\n';

const sayHowToBuild: Handle = (_, exchange) =>
  exchange.answer('503 Service Unavailable', 'text/plain; charset=utf-8', howToBuild);

const notBuilt = (): [string, Route][] =>
  ['', '/', '/sign-in'].map((path) => [`/dashboard${path}`, {GET: reading('nobody', sayHowToBuild)}]);

// Routes of libraries of other services (src/edge/compatible), and what they are answered.
//   CO1. 200 once all valid entries are on disk, also if others were refused or none was valid: libraries repeat a request that
//        was answered 400, or cannot read why. `Rejected-Events` counts the refused calls, and GET /v1/rejected lists them.
//   CO2. A request whose head has no key is admitted by the key in its body, once that is read. Reading ends where a body has too
//        many calls or fields: if its key was not found by then, it is refused for those. Libraries halve a request after 413, and
//        discard it after 401.
//   CO3. Where vendors share a path, the body decides whose request it is, and so what it is answered (`marks` in translator.ts).
import {batchBytesMax, batchEventsMax, eventBytesMax, objectKeysMax} from '../../../actors/limits.js';
import {placesOfLibraries, sentKey} from '../admission/authentication.js';
import {parseBytesMax} from '../admission/large-bodies.js';
import {dataOfForm} from '../compatible/calls.js';
import {type CallsRead, type CallsReading, readCalls} from '../compatible/reading.js';
import type {CallForm, Nameless} from '../compatible/translator.js';
import {translators} from '../compatible/translators.js';
import {type Failure, type Header, invalidRequest, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import {type Exchange, jsonType} from '../http/exchange.js';
import {pathPrefix} from '../http/path-prefix.js';
import {passTime} from '../http/turn.js';
import type {BodyEndpoint, Handle, Route} from '../route.js';
import {store} from './batch.js';
import type {KnownOutcome} from './batch-outcome.js';
import {positionHeader} from './log-position.js';
import {invalidJson, mustUseKnownNames, namesUnread, noObject, noteHeaders} from './track.js';
import {noSalt, visitorOfRequest} from './visitor.js';

const bodyFailures: Readonly<Record<Exclude<CallsReading['kind'], 'read' | 'not_json'>, Failure>> = {
  no_object: noObject,
  no_events: noObject,
  no_sent_at: noObject,
  too_many: {code: 'batch_too_large', message: `a request has at most ${batchEventsMax} calls`},
  no_salt: noSalt,
  too_many_fields: invalidRequest(`a request has at most ${objectKeysMax} fields`),
};
const someUnavailable = unavailable(
  'some calls could not be confirmed: send the request again, with the same message ids',
);

/** A call is a little longer than the event that it becomes. */
const callBytesMax = 8 * eventBytesMax;

// ---- writes ----

/** `forms`: of all vendors that have the path. */
function takeCalls(forms: readonly CallForm[]): BodyEndpoint['takeBody'] {
  const hasVisitors = forms.some(({vendor}) => translators.get(vendor)!.hasVisitors);
  return (front, exchange, bytes) => {
    const receivedMs = front.wallMs();
    const nameless = hasVisitors ? namelessOf(front, exchange, receivedMs) : undefined;
    const {partitionCount} = front;
    const {largeBodies} = front.writes;
    const caller = exchange.caller.key?.id ?? front.operations.clientAddresses.of(exchange);
    if (bytes.length > parseBytesMax)
      largeBodies.translate(caller, bytes, forms, nameless, receivedMs, (reading) => finish(front, exchange, reading));
    else finish(front, exchange, readCalls(bytes, forms, receivedMs, partitionCount, nameless));
    passTime();
  };
}

function namelessOf(front: Front, exchange: Exchange, receivedMs: number): Nameless {
  return {
    visitor: visitorOfRequest(front, exchange, receivedMs),
    key: exchange.caller.key === undefined ? undefined : sentKey(exchange, placesOfLibraries),
  };
}

function finish(front: Front, exchange: Exchange, reading: CallsReading): void {
  const {vendor} = reading.form;
  exchange.refusalForm = translators.get(vendor)!.refusalForm; // CO3
  const isKeyUnread = reading.key === undefined && (reading.kind === 'too_many' || reading.kind === 'too_many_fields');
  const refusal = exchange.caller.key === undefined && !isKeyUnread ? exchange.admitByBody(reading.key) : undefined; // CO2
  if (refusal !== undefined) {
    exchange.fail(refusal);
    return;
  }
  if (reading.kind !== 'read') {
    exchange.fail(reading.kind === 'not_json' ? invalidJson(reading.message) : bodyFailures[reading.kind]);
    return;
  }
  front.operations.traffic.noteEvents(reading.notes);
  front.operations.traffic.noteIgnoredCalls(vendor, reading.ignoredCalls);
  exchange.caller.costs(reading.eventCount + reading.refused.length);
  const {partitionCount} = front;
  const {named} = front.writes;
  const mayIdentify = exchange.caller.key!.options?.mayIdentify !== false;
  const admitted = named.ofBatch<CallsRead>(reading, partitionCount, mustUseKnownNames(exchange), mayIdentify);
  if (admitted === 'undecided') {
    front.operations.traffic.events.unavailable += reading.eventCount;
    exchange.fail(namesUnread);
    return;
  }
  store(front, exchange, admitted, (outcome) => answer(front, exchange, admitted, outcome));
}

/** CO1 */
function answer(
  front: Front,
  exchange: Exchange,
  {notes: {ignoredNames, aheadMs}, form, callCount, bodyBytes, parameters}: CallsRead,
  {refused, lost, commits}: KnownOutcome,
): void {
  if (lost.length > 0) {
    exchange.fail(someUnavailable);
    return;
  }
  const rejected: readonly Header[] = refused.length === 0 ? [] : [['Rejected-Events', String(refused.length)]];
  const refusedCount = new Set(refused.map(({index}) => index)).size;
  const {status, contentType, body} = translators.get(form.vendor)!.taken({
    kind: form.kind,
    parameters: `${exchange.query}&${parameters}`,
    callCount: callCount - refusedCount,
    bodyBytes,
    nowMs: front.wallMs(),
  });
  exchange.answer(status, contentType ?? jsonType, body, [
    ...positionHeader(commits),
    ...noteHeaders(ignoredNames, aheadMs, rejected),
  ]);
}

/** Calls in the query of a GET, which the libraries of one vendor send. */
function takeQuery(forms: readonly CallForm[]): Handle {
  const take = takeCalls(forms);
  return (front, exchange) => take(front, exchange, dataOfForm(new URLSearchParams(exchange.query)) ?? Buffer.alloc(0));
}

// ---- settings for pages ----

/** What analytics.js of Segment reads before it sends: where to. */
const segmentSettings: Handle = (front, exchange, segmentOfPath) => {
  const {host, forwardedProto} = exchange.page!;
  const isSecure = (forwardedProto || (exchange.origin ?? '')).toLowerCase().startsWith('https');
  const apiHost = `${host}${pathPrefix(front.operations, exchange)}/v1`;
  const apiKey = sentKey(exchange, {...placesOfLibraries, inPath: segmentOfPath});
  exchange.json(
    '200 OK',
    JSON.stringify({
      integrations: {'Segment.io': {apiKey, apiHost, protocol: isSecure ? 'https' : 'http'}},
      metrics: {sampleRate: 0}, // Otherwise it sends figures about itself to its own service.
    }),
  );
};

/** What RudderStack's library for pages reads before it sends: that its source is there, and has no other destinations. */
const rudderSettings: Handle = (_, exchange) => {
  const off = {enabled: false};
  const source = {
    id: exchange.caller.key!.id,
    name: 'millrace',
    writeKey: sentKey(exchange, placesOfLibraries),
    enabled: true,
    workspaceId: 'millrace',
    config: {statsCollection: {errors: off, metrics: off}},
    destinations: [],
  };
  exchange.json('200 OK', JSON.stringify({source, updatedAt: new Date(0).toISOString()}));
};

// ---- routes ----

/** `forms`: of all vendors that have the path; the last is that of a body without marks. CO3 */
function writing(bodyBytesMax: number, ...forms: readonly CallForm[]): Route {
  const [refusalForm] = forms.flatMap(({vendor}) => translators.get(vendor)!.refusalForm ?? []);
  return {
    POST: {access: 'write', limit: 'events', bodyBytesMax, takeBody: takeCalls(forms)},
    isWriteRoute: true,
    ...(refusalForm === undefined ? {} : {refusalForm}),
  };
}
/** The calls may be in the query of a GET as well. */
const writingByQuery = (bodyBytesMax: number, ...forms: readonly CallForm[]): Route => ({
  ...writing(bodyBytesMax, ...forms),
  GET: {access: 'write', limit: 'events', isWrite: true, handle: takeQuery(forms)},
});
const reading = (handle: Handle): Route => ({GET: {access: 'write', handle}});

const batch = writing(batchBytesMax, {vendor: 'segment'});
const ofKind = (kind: string): Route => writing(callBytesMax, {vendor: 'segment', kind});
const kinds = {t: 'track', i: 'identify', p: 'page', s: 'screen', g: 'group', a: 'alias'} as const;

const exact: readonly (readonly [path: string, route: Route])[] = [
  ['/v1/batch', batch],
  ['/v1/b', batch],
  ['/beacon/v1/batch', batch],
  ['/v1/import', writing(batchBytesMax, {vendor: 'segment', isImport: true})],
  ...Object.entries(kinds).flatMap(([short, kind]) => [
    [`/v1/${kind}`, ofKind(kind)] as const,
    [`/v1/${short}`, ofKind(kind)] as const,
  ]),
  ['/sourceConfig', reading(rudderSettings)],

  ['/batch', writing(batchBytesMax, {vendor: 'amplitude'}, {vendor: 'posthog'})],
  ...['/e', '/capture', '/i/v0/e'].map((path) => [path, writing(batchBytesMax, {vendor: 'posthog'})] as const),
  ...['/flags', '/decide'].map((path) => [path, writing(callBytesMax, {vendor: 'posthog', kind: 'flags'})] as const),

  ['/2/httpapi', writing(batchBytesMax, {vendor: 'amplitude'})],

  ['/track', writingByQuery(batchBytesMax, {vendor: 'openpanel'}, {vendor: 'mixpanel', kind: 'track'})],
  ['/import', writingByQuery(batchBytesMax, {vendor: 'mixpanel', kind: 'track', isImport: true})],
  ['/engage', writingByQuery(batchBytesMax, {vendor: 'mixpanel', kind: 'engage'})],
  ['/groups', writingByQuery(batchBytesMax, {vendor: 'mixpanel', kind: 'groups'})],

  ...Object.values(kinds).flatMap((kind) =>
    [`/api/s/${kind}`, `/api/s/s2s/${kind}`].map(
      (path) => [path, writing(callBytesMax, {vendor: 'jitsu', kind})] as const,
    ),
  ),
  ['/api/send', writing(callBytesMax, {vendor: 'umami'})],
  ['/api/event', writing(callBytesMax, {vendor: 'plausible'})],
];

const bySegment: readonly (readonly [path: string, route: Route])[] = [
  ['/v1/projects/*/settings', {...reading(segmentSettings), isBeforeEnd: true}],
];

/** Each route is an object of its own: metrics count by it. */
const compatible = ([path, route]: readonly [string, Route]): [string, Route] => [
  path,
  {...route, isCompatible: true, shownPath: path},
];

export const compatibleRoutes = {exact: exact.map(compatible), bySegment: bySegment.map(compatible)};

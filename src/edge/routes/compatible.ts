// Routes of libraries of other services (src/edge/compatible), and what they are answered.
//   CO1. 200 once all valid entries are on disk, also if others were refused or none was valid: libraries repeat a request that
//        was answered 400, or cannot read why. `Rejected-Events` counts the refused calls, and GET /v1/rejected lists them.
//   CO2. A request whose head has no key is admitted by the key in its body, once that is read.
import {batchBytesMax, batchEventsMax, eventBytesMax, objectKeysMax} from '../../../actors/limits.js';
import type {BatchRead} from '../../ingest/batch.js';
import {placesOfLibraries, sentKey} from '../admission/authentication.js';
import {parseBytesMax} from '../admission/large-bodies.js';
import {type CallsRead, type CallsReading, readCalls} from '../compatible/reading.js';
import type {CallForm} from '../compatible/translator.js';
import {type Failure, type Header, invalidRequest, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {pathPrefix} from '../http/path-prefix.js';
import {passTime} from '../http/turn.js';
import type {BodyEndpoint, Handle, Route} from '../route.js';
import {store} from './batch.js';
import type {KnownOutcome} from './batch-outcome.js';
import {positionHeader} from './log-position.js';
import {invalidJson, mustUseKnownNames, namesUnread, noObject, noteHeaders} from './track.js';

const bodyFailures: Readonly<Record<Exclude<CallsReading['kind'], 'read' | 'not_json'>, Failure>> = {
  no_object: noObject,
  no_events: noObject,
  no_sent_at: noObject,
  too_many: {code: 'batch_too_large', message: `a request has at most ${batchEventsMax} calls`},
  too_many_fields: invalidRequest(`a request has at most ${objectKeysMax} fields`),
};
const someUnavailable = unavailable(
  'some calls could not be confirmed: send the request again, with the same message ids',
);

/** A call is a little longer than the event that it becomes. */
const callBytesMax = 8 * eventBytesMax;

/** What a vendor's libraries expect. */
interface Vendor {
  /** Body of 200. */
  readonly accepted: string;
}

const segment: Vendor = {accepted: '{"success":true}'};

// ---- writes ----

function takeCalls(form: CallForm, vendor: Vendor): BodyEndpoint['takeBody'] {
  return (front, exchange, bytes) => {
    const receivedMs = front.wallMs();
    const {partitionCount, largeBodies} = front;
    const caller = exchange.key?.id ?? front.clientAddresses.of(exchange);
    if (bytes.length > parseBytesMax)
      largeBodies.translate(caller, bytes, form, receivedMs, (reading) =>
        finish(front, exchange, reading, form, vendor),
      );
    else finish(front, exchange, readCalls(bytes, form, receivedMs, partitionCount), form, vendor);
    passTime();
  };
}

function finish(front: Front, exchange: Exchange, reading: CallsReading, form: CallForm, {accepted}: Vendor): void {
  const refusal = exchange.key === undefined ? exchange.admitByBody(reading.key) : undefined; // CO2
  if (refusal !== undefined) {
    exchange.fail(refusal);
    return;
  }
  if (reading.kind !== 'read') {
    exchange.fail(reading.kind === 'not_json' ? invalidJson(reading.message) : bodyFailures[reading.kind]);
    return;
  }
  front.traffic.noteEvents(reading.notes);
  front.traffic.noteIgnoredCalls(form.vendor, reading.ignoredCalls);
  exchange.costs(reading.eventCount + reading.refused.length);
  const {named, partitionCount} = front;
  const mayIdentify = exchange.key!.options?.mayIdentify !== false;
  const admitted = named.ofBatch<CallsRead>(reading, partitionCount, mustUseKnownNames(exchange), mayIdentify);
  if (admitted === 'undecided') {
    front.traffic.events.unavailable += reading.eventCount;
    exchange.fail(namesUnread);
    return;
  }
  store(front, exchange, admitted, (outcome) => answer(exchange, admitted, outcome, accepted));
}

/** CO1 */
function answer(
  exchange: Exchange,
  {notes: {ignoredNames, aheadMs}}: BatchRead,
  {refused, lost, commits}: KnownOutcome,
  accepted: string,
): void {
  if (lost.length > 0) {
    exchange.fail(someUnavailable);
    return;
  }
  const rejected: readonly Header[] = refused.length === 0 ? [] : [['Rejected-Events', String(refused.length)]];
  exchange.json('200 OK', accepted, [...positionHeader(commits), ...noteHeaders(ignoredNames, aheadMs, rejected)]);
}

// ---- settings for pages ----

/** What analytics.js of Segment reads before it sends: where to. */
const segmentSettings: Handle = (front, exchange, segmentOfPath) => {
  const {host, forwardedProto} = exchange.page!;
  const isSecure = (forwardedProto || (exchange.origin ?? '')).toLowerCase().startsWith('https');
  const apiHost = `${host}${pathPrefix(front, exchange)}/v1`;
  const apiKey = sentKey(exchange, {...placesOfLibraries, inPath: segmentOfPath});
  exchange.json(
    '200 OK',
    JSON.stringify({integrations: {'Segment.io': {apiKey, apiHost, protocol: isSecure ? 'https' : 'http'}}}),
  );
};

/** What RudderStack's library for pages reads before it sends: that its source is there, and has no other destinations. */
const rudderSettings: Handle = (_, exchange) => {
  const off = {enabled: false};
  const source = {
    id: exchange.key!.id,
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

const writing = (bodyBytesMax: number, form: CallForm, vendor: Vendor): Omit<Route, 'shownPath'> => ({
  POST: {access: 'write', limit: 'events', bodyBytesMax, takeBody: takeCalls(form, vendor)},
  isWriteRoute: true,
});
const reading = (handle: Handle): Route => ({GET: {access: 'write', handle}});

const batch = writing(batchBytesMax, {vendor: 'segment'}, segment);
const ofKind = (kind: string): Route => writing(callBytesMax, {vendor: 'segment', kind}, segment);
const kinds = {t: 'track', i: 'identify', p: 'page', s: 'screen', g: 'group', a: 'alias'} as const;

const exact: readonly (readonly [path: string, route: Route])[] = [
  ['/v1/batch', batch],
  ['/v1/b', batch],
  ['/beacon/v1/batch', batch],
  ['/v1/import', writing(batchBytesMax, {vendor: 'segment', isImport: true}, segment)],
  ...Object.entries(kinds).flatMap(([short, kind]) => [
    [`/v1/${kind}`, ofKind(kind)] as const,
    [`/v1/${short}`, ofKind(kind)] as const,
  ]),
  ['/sourceConfig', reading(rudderSettings)],
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

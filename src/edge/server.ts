// The HTTP server: every request runs through the same checks in the same order (docs/api/errors.md) to its route.
//   framing -> route -> method -> key -> permission -> rate -> size -> type -> query of writes -> body -> the route
// uWebSockets.js leaves these to the server: unknown routes, OPTIONS and HEAD, repeated Content-Length, bounds of bodies and of
// slow clients. It aborts the process when a handler neither answers nor sets `onAborted`.
//   H1. A refusal before the body is read leaves the connection open: uWebSockets.js skips the rest of the body, for at most
//       10 s. Closing would cost less, but most clients would see a reset instead of the answer.
import type {KeyOptions} from '../keys/key.js';
import type {ActiveKey} from '../keys/key-ring.js';
import {didYouMean, nearestOf} from '../nearest.js';
import type {Logger} from '../observe.js';
import {StartFault} from '../start-fault.js';
import {AddressLimits, eventsPerAddress} from './admission/address-limits.js';
import {
  AdminDoor,
  type AdminTokens,
  authenticate,
  type KeyAccess,
  type KeyPlaces,
  ofPublicPlace,
  placesOfBeacons,
  placesOfLibraries,
  placesOfRoutes,
  refuseKind,
} from './admission/authentication.js';
import {declaredTooLarge, declaredTooMuch, readBody} from './admission/body.js';
import {isOpenToPages, mayPreflight, originToEcho, preflightBody, preflightHeaders} from './admission/cors.js';
import {type ContentEncoding, encodingOf} from './admission/decompression.js';
import {forbiddenBy} from './admission/key-permissions.js';
import type {DashboardDoor} from './dashboard/door.js';
import {isPageAsked} from './dashboard/no-page.js';
import type {Failure} from './failure.js';
import type {Front} from './front.js';
import type {AddressCharge} from './http/caller.js';
import {Connections} from './http/connections.js';
import {Deadlines, sweepMs} from './http/deadlines.js';
import {Exchange, type ExchangeHost} from './http/exchange.js';
import {burstSeconds, RateLimit, type RateLimits, type RateOptions, rateLimits} from './http/rate-limit.js';
import {RequestIds} from './http/request-id.js';
import type {HttpApp, Transport} from './http/transport.js';
import {onceATurn} from './http/turn.js';
import {noParameters, readQuery} from './query/query.js';
import {
  allowedMethods,
  type BodyEndpoint,
  bodyEndpoint,
  findRoute,
  type ReadEndpoint,
  type Route,
  type Routes,
  readEndpoint,
  variedSegment,
} from './route.js';
import {checkWriteQuery} from './routes/write-query.js';

interface ServerOptions {
  readonly transport: Transport;
  readonly front: Front;
  readonly routes: Routes;
  readonly connectionsMax: number;
  readonly tokens: AdminTokens;
  readonly dashboardDoor: DashboardDoor;
  /** Answers a browser that asks for an unknown path of the dashboard. */
  readonly noPage: (front: Front, exchange: Exchange) => void;
  readonly limits: RateOptions;
  /** See ExchangeHost. */
  readonly countryHeader: string | undefined;
  readonly monotonicMs: () => number;
  readonly logger: Logger;
}

const noSuchPath = 'no such path: /docs describes the API';
const unsupportedType: Failure = {
  code: 'unsupported_media_type',
  message: 'the body must be application/json (or text/plain for beacons)',
};
const unsupportedCharset: Failure = {code: 'unsupported_media_type', message: 'the charset of the body must be utf-8'};
/** Text in ASCII is also UTF-8. */
const charsets = ['utf-8', 'utf8', 'us-ascii'];
/** Requests of an address per second whose key, if any, is in the body. */
const strangersPerSecond = 500;
const ofStranger = new RateLimit('requests-without-key', strangersPerSecond * burstSeconds, burstSeconds);
const tooManyStrangers = `your address sends more than ${strangersPerSecond} requests per second without a key in their head`;
const unsupportedEncoding: Failure = {
  code: 'unsupported_media_type',
  message: 'Content-Encoding must be gzip, deflate or br, or absent',
};

export class HttpServer {
  private readonly options: ServerOptions;
  private readonly app: HttpApp;
  private readonly adminDoor: AdminDoor;
  private readonly limits: RateLimits;
  private readonly addressLimits = new AddressLimits<'events-per-address'>();
  private readonly strangers = new AddressLimits<'requests-without-key'>();
  private readonly deadlines = new Deadlines();
  private readonly connections: Connections;
  private readonly sweeping: NodeJS.Timeout;
  private readonly host: ExchangeHost;
  private openExchanges = 0;
  private whenIdle: (() => void) | undefined;
  private isClosing = false;

  constructor(options: ServerOptions) {
    this.options = options;
    this.adminDoor = new AdminDoor(options.tokens);
    this.limits = rateLimits(options.limits);
    this.host = this.createHost();
    this.sweeping = setInterval(() => this.deadlines.sweep(options.monotonicMs()), sweepMs);
    this.app = options.transport.newApp();
    this.connections = new Connections(options.connectionsMax);
    this.connections.watch(this.app);
    // The paths of most requests, matched in C++ with the same result as `findRoute`.
    for (const [path, route] of options.routes.exact) {
      if (route.POST !== undefined)
        this.app.post(path, (res, req) => this.receive(new Exchange(res, req, this.host, 'POST', path), route));
    }
    this.app.any((res, req) => {
      const exchange = new Exchange(res, req, this.host);
      this.receive(exchange, findRoute(options.routes, exchange.path));
    });
  }

  /** @returns the port. Rejects with a sentence for the operator when the port cannot be used. */
  async listen(host: string, port: number): Promise<number> {
    const bound = await this.app.listen(host, port);
    if (bound === undefined) throw new StartFault(`cannot listen on ${host}:${port}: is the port in use?`);
    return bound;
  }

  /** Accepts no connection any more; resolves when every request is answered. */
  async finish(): Promise<void> {
    this.isClosing = true;
    this.app.stopListening();
    if (this.openExchanges === 0) return;
    await new Promise<void>((resolve) => {
      this.whenIdle = resolve;
    });
  }

  /** Closes all connections. */
  close(): void {
    clearInterval(this.sweeping);
    this.app.close();
  }

  private receive(exchange: Exchange, route: Route | undefined): void {
    exchange.res.onAborted(() => exchange.abort());
    exchange.route = route;
    this.openExchanges += 1;
    this.options.front.operations.traffic.open += 1;
    if (exchange.forwardedFor !== '') this.options.front.operations.clientAddresses.noteForwarded();
    // An error in a piece of a body ends this request alone.
    try {
      this.watch(exchange, this.dispatch(exchange, route));
    } catch (error) {
      exchange.failed('handling a request', error);
    }
  }

  private createHost(): ExchangeHost {
    const {traffic} = this.options.front.operations;
    const {rejected} = this.options.front.writes;
    return {
      rejected,
      deadlines: this.deadlines,
      monotonicMs: this.options.monotonicMs,
      turnMs: onceATurn(this.options.monotonicMs),
      traffic,
      admitByBody: (exchange, key) => this.admitByBody(exchange, key),
      closesConnections: () => this.isClosing || this.connections.isCrowded,
      exchangeOver: () => {
        this.openExchanges -= 1;
        traffic.open -= 1;
        if (this.openExchanges === 0) this.whenIdle?.();
      },
      fault: (exchange, doing, error) => {
        // Log neither path nor query: they name users.
        const {stack} = error instanceof Error ? error : {stack: String(error)};
        this.options.logger.error(
          {requestId: exchange.requestId(), doing, error: stack},
          'a request failed with an internal error',
        );
      },
      requestIds: new RequestIds(),
      countryHeader: this.options.countryHeader,
    };
  }

  private watch(exchange: Exchange, promise: void | Promise<void>): void {
    if (promise !== undefined) promise.catch((error: unknown) => exchange.failed('handling a request', error));
  }

  private dispatch(exchange: Exchange, route: Route | undefined): void | Promise<void> {
    if (!isFramed(exchange)) return exchange.close();
    const {method, path, preflight} = exchange;
    if (preflight !== undefined && mayPreflight(path, route, preflight))
      return exchange.json('200 OK', preflightBody, preflightHeaders(preflight, originToEcho(route, exchange.origin)));
    exchange.isCorsOpen = isOpenToPages(path, route, method);
    exchange.echoedOrigin = originToEcho(route, exchange.origin);
    exchange.refusalForm = route?.refusalForm;
    if (route === undefined)
      return isPageAsked(exchange)
        ? this.options.noPage(this.options.front, exchange)
        : exchange.fail(notFound(exchange, this.options.routes));
    const bodied = bodyEndpoint(route, method);
    if (bodied !== undefined) return this.dispatchBody(exchange, route, bodied);
    const endpoint = readEndpoint(route, method);
    if (endpoint === undefined) return exchange.fail(methodNotAllowed(route));
    const refusal =
      this.refuseEntry(exchange, endpoint, route) ??
      (endpoint.isWrite ? this.options.front.operations.obstacles.toWriting() : undefined);
    if (refusal !== undefined) return exchange.fail(refusal);
    return endpoint.handle(this.options.front, exchange, variedSegment(exchange));
  }

  private dispatchBody(exchange: Exchange, route: Route, endpoint: BodyEndpoint): void {
    const refusal =
      this.refuseEntry(exchange, endpoint, route) ??
      declaredTooLarge(exchange, endpoint.bodyBytesMax) ??
      (route.isCompatible || (endpoint.isBodyOptional && isWithoutBody(exchange)) ? undefined : refuseType(exchange)) ??
      refuseEncoding(exchange) ??
      (route.isWriteRoute ? this.refuseWrite(exchange, route) : undefined);
    if (refusal !== undefined) {
      exchange.fail(refusal);
      return;
    }
    if (endpoint.isQuestion) exchange.isQuestion = true;
    const {bodyBytesMax: bytesMax} = endpoint;
    const encoding = readEncoding(exchange);
    const isCharged = endpoint.limit === 'events';
    readBody(exchange, {bytesMax, encoding, isCharged, host: this.options.front.writes, use: this.takeBody});
  }

  private readonly takeBody = (exchange: Exchange, bytes: Buffer): void => {
    try {
      // `receive` set the route. All bodies share this function: a closure per request costs.
      const endpoint = bodyEndpoint(exchange.route as Route, exchange.method);
      this.watch(exchange, endpoint!.takeBody(this.options.front, exchange, bytes));
    } catch (error) {
      exchange.failed('handling a request', error);
    }
  };

  /** Checks that need no body. @throws RequestFailure for a bad query. */
  private refuseWrite(exchange: Exchange, {isCompatible}: Route): Failure | undefined {
    if (!isCompatible) checkWriteQuery(exchange);
    const {obstacles} = this.options.front.operations;
    const {intake} = this.options.front.writes;
    return obstacles.toWriting() ?? declaredTooMuch(exchange, intake);
  }

  /** Audits a wrong key or token; a request without one tried none. */
  private noted<Refusal extends Failure | undefined>(
    audit: 'admin.refused' | 'key.refused',
    exchange: Exchange,
    refusal: Refusal,
  ): Refusal {
    const {front} = this.options;
    if (refusal?.code === 'invalid_key') front.kept.audit.refused(audit, front.operations.clientAddresses.of(exchange));
    return refusal;
  }

  /** Checks key, permission and rate. @throws RequestFailure for a parameter of an open route, which has none. */
  private refuseEntry(exchange: Exchange, endpoint: ReadEndpoint | BodyEndpoint, route: Route): Failure | undefined {
    const {access} = endpoint;
    if (access === 'open') {
      if (!('ignoresQuery' in endpoint)) readQuery(exchange.query, noParameters);
      return undefined;
    }
    if (access === 'dashboard') return this.options.dashboardDoor.refuse(exchange, endpoint.role ?? 'nobody');
    if (access === 'admin') return this.noted('admin.refused', exchange, this.adminDoor.refuse(exchange));
    const key = authenticate(this.options.front.kept.keys.ring, exchange, keyPlaces(exchange, route, endpoint));
    if (!('code' in key)) return this.admitKey(exchange, endpoint, access, key);
    // The calls may have the key.
    const mayHaveKey = 'takeBody' in endpoint || endpoint.isWrite;
    if (key.code === 'missing_key' && route.isCompatible && mayHaveKey) return this.admitStranger(exchange);
    return this.noted('key.refused', exchange, key);
  }

  /** Reading a body for its key costs as much whether it has one: each address may make only so many such requests. */
  private admitStranger(exchange: Exchange): Failure | undefined {
    const address = this.options.front.operations.clientAddresses.of(exchange);
    const admitted = this.strangers.admit(ofStranger, '', address, exchange.receivedMs);
    return 'code' in admitted ? {...admitted, message: tooManyStrangers} : undefined;
  }

  private admitByBody(exchange: Exchange, key: string | undefined): Failure | undefined {
    const {route, method} = exchange;
    const endpoint = bodyEndpoint(route as Route, method) ?? readEndpoint(route as Route, method)!;
    const active = ofPublicPlace(this.options.front.kept.keys.ring, key);
    if ('code' in active) return this.noted('key.refused', exchange, active);
    return this.admitKey(exchange, endpoint, 'write', active);
  }

  private admitKey(
    exchange: Exchange,
    endpoint: ReadEndpoint | BodyEndpoint,
    access: KeyAccess,
    key: ActiveKey,
  ): Failure | undefined {
    const forbidden = refuseKind(access, key.kind);
    if (forbidden !== undefined) return forbidden;
    const {limit} = endpoint;
    exchange.caller.key = key;
    key.lastUsedMs = this.options.front.wallMs();
    const rateLimit = limit === undefined ? undefined : this.limits[limit];
    if (key.options !== undefined) return this.refuseByOptions(exchange, key.options, endpoint, rateLimit);
    return rateLimit === undefined ? undefined : exchange.caller.admit(rateLimit);
  }

  /** An address over its limit must not use up the key's: its limit is charged first, and refunded when the key refuses. */
  private refuseByOptions(
    exchange: Exchange,
    options: KeyOptions,
    endpoint: ReadEndpoint | BodyEndpoint,
    rateLimit: RateLimit | undefined,
  ): Failure | undefined {
    const forbidden = forbiddenBy(options, exchange, 'permission' in endpoint ? endpoint.permission : undefined);
    if (forbidden !== undefined) return forbidden;
    const charge = this.admitAddress(exchange, options);
    if (charge !== undefined && 'code' in charge) return charge;
    const refusal = rateLimit === undefined ? undefined : exchange.caller.admit(rateLimit);
    if (refusal === undefined) exchange.caller.chargeAddress = charge;
    else charge?.(-1);
    return refusal;
  }

  private admitAddress(
    exchange: Exchange,
    {eventsPerSecondPerAddress}: KeyOptions,
  ): Failure | AddressCharge | undefined {
    if (eventsPerSecondPerAddress === undefined) return undefined;
    const address = this.options.front.operations.clientAddresses.of(exchange);
    const limit = eventsPerAddress(eventsPerSecondPerAddress);
    return this.addressLimits.admit(limit, exchange.caller.key!.id, address, exchange.receivedMs);
  }
}

function keyPlaces(
  exchange: Exchange,
  {isCompatible, isBeforeEnd, isWriteRoute}: Route,
  endpoint: ReadEndpoint | BodyEndpoint,
): KeyPlaces {
  if (isCompatible) return isBeforeEnd ? {...placesOfLibraries, inPath: variedSegment(exchange)} : placesOfLibraries;
  return isWriteRoute && 'takeBody' in endpoint ? placesOfBeacons : placesOfRoutes;
}

/**
 * RFC 9112, 6.3: a message whose end can be read in two ways can smuggle a request. The server closes its connection without an
 * answer: after an answer uWebSockets.js would read the rest as the next request.
 */
function isFramed({isFramingAmbiguous, transferEncoding, contentLength, declaredBytes}: Exchange): boolean {
  if (isFramingAmbiguous) return false;
  if (transferEncoding !== undefined)
    return transferEncoding.toLowerCase() === 'chunked' && contentLength === undefined;
  return !Number.isNaN(declaredBytes);
}

/** Names the path of the API that was probably meant. */
function notFound({path}: Exchange, {exact}: Routes): Failure {
  const paths = path.startsWith('/v1/') ? [...exact.keys()].filter((known) => known.startsWith('/v1')) : [];
  return {code: 'not_found', message: noSuchPath + didYouMean(nearestOf(path, paths))};
}

const methodNotAllowed = (route: Route): Failure => ({
  code: 'method_not_allowed',
  message: 'this path does not support this method',
  headers: [['Allow', allowedMethods(route)]],
});

const encodingName = ({contentEncoding}: Exchange): string => contentEncoding.trim().toLowerCase();

function refuseEncoding(exchange: Exchange): Failure | undefined {
  if (exchange.contentEncoding === '') return undefined; // The usual case.
  const name = encodingName(exchange);
  const isPlain = name === '' || name === 'identity';
  return isPlain || encodingOf(name) !== undefined ? undefined : unsupportedEncoding;
}

const readEncoding = (exchange: Exchange): ContentEncoding | undefined =>
  exchange.contentEncoding === '' ? undefined : encodingOf(encodingName(exchange));

const isWithoutBody = ({contentType, declaredBytes, transferEncoding}: Exchange): boolean =>
  contentType === '' && declaredBytes === 0 && transferEncoding === undefined;

function refuseType({contentType}: Exchange): Failure | undefined {
  if (contentType === 'application/json') return undefined;
  const [mediaType, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (mediaType !== 'application/json' && mediaType !== 'text/plain') return unsupportedType;
  return parameters.every(isReadable) ? undefined : unsupportedCharset;
}

/** Whether the parameter allows UTF-8. Bytes in another charset would be refused, or read as other characters. */
function isReadable(parameter: string): boolean {
  const [, charset] = /^charset *= *"?(.*?)"?$/.exec(parameter) ?? [];
  return charset === undefined || charsets.includes(charset);
}

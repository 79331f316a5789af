// Routes as data: paths, the needs of each method, handlers.
import type {Access} from './admission/authentication.js';
import type {Permission} from './admission/key-permissions.js';
import type {NeededRole} from './dashboard/door.js';
import type {RefusalForm} from './failure.js';
import type {Front} from './front.js';
import type {Exchange} from './http/exchange.js';
import type {LimitName} from './http/rate-limit.js';

export const routedMethods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const;
export type Method = (typeof routedMethods)[number];

/** `segment`: the one of the path that varies, undecoded; the last one where none does. A returned promise is awaited only for its failure. */
export type Handle = (front: Front, exchange: Exchange, segment: string) => void | Promise<void>;

export interface ReadEndpoint {
  readonly access: Access;
  /** Rate limit of the key that counts the request, where a route needs a key. */
  readonly limit?: LimitName;
  /** Role that the session needs, on routes of the dashboard; absent: no session is needed. */
  readonly role?: NeededRole;
  /** An open endpoint that takes any query, and none means anything; the others refuse each parameter. */
  readonly ignoresQuery?: true;
  /** It stores what its query has: HEAD is refused, and the key may be in what the query has. */
  readonly isWrite?: true;
  readonly handle: Handle;
}

/** Takes a JSON body; a body that was not copied is valid only during the call. */
export interface BodyEndpoint {
  readonly access: Access;
  /** Rate limit of the key that counts the request, where a route needs a key. */
  readonly limit?: LimitName;
  readonly role?: NeededRole;
  /** Permission that options of a key may withhold. */
  readonly permission?: Permission;
  /** A request without a body, and without a type of one, counts as one with `{}`. */
  readonly isBodyOptional?: true;
  /** It changes nothing: its answer is compressed as one to GET. */
  readonly isQuestion?: true;
  /** Bound of the body's bytes, before and after decompression. */
  readonly bodyBytesMax: number;
  readonly takeBody: (front: Front, exchange: Exchange, bytes: Buffer) => void | Promise<void>;
}

export interface Route {
  readonly GET?: ReadEndpoint;
  readonly DELETE?: ReadEndpoint;
  readonly PUT?: BodyEndpoint;
  readonly POST?: BodyEndpoint;
  readonly PATCH?: BodyEndpoint;
  /** One of the three write routes: any origin may POST, and the URL may have a write key. */
  readonly isWriteRoute?: boolean;
  /**
   * For libraries of other services (compatible/README.md): their key may be in the places where they put it, pages of any origin
   * read every answer with their credentials, a slash may end the path, and bodies have any content type.
   */
  readonly isCompatible?: true;
  /** Form of its refusals, until the body says whose it is. */
  readonly refusalForm?: RefusalForm;
  /** Shown in place of the path that was asked, which may have a key in it. */
  readonly shownPath?: string;
  /** RT2 */
  readonly isOfDashboard?: boolean;
  /** The last segment but one varies: `bySegment` has a star in its place. */
  readonly isBeforeEnd?: true;
}

/**
 * Paths by their exact text. Those of `bySegment` end in one further segment that is not empty, or have it in place of their star,
 * before a last word.
 *   RT1. No new route has a client's text in its path: proxies decode and normalise paths, and with a write key anybody can
 *        choose an id that then means another user. Each route with such a path also has a form with the id in the query. Ids
 *        that the service generates (src/kept/definition.ts) may stand in paths.
 *   RT2. Routes of the dashboard are not part of the API: they change with its pages. They have no description, and metrics
 *        count them as one.
 */
export interface Routes {
  readonly exact: ReadonlyMap<string, Route>;
  readonly bySegment: ReadonlyMap<string, Route>;
}

/** Splits the path before decoding; with a trailing slash it is another path (docs/api/errors.md), but for compatible routes. */
export function findRoute(routes: Routes, path: string): Route | undefined {
  const exact = routes.exact.get(path);
  if (exact !== undefined) return exact;
  const slash = path.lastIndexOf('/');
  if (slash === path.length - 1) {
    const bare = path.slice(0, -1);
    const route = bare === '' || bare.endsWith('/') ? undefined : findRoute(routes, bare);
    return route?.isCompatible ? route : undefined;
  }
  const before = path.lastIndexOf('/', slash - 1);
  return (
    routes.bySegment.get(path.slice(0, slash + 1)) ??
    (slash - before < 2 ? undefined : routes.bySegment.get(`${path.slice(0, before + 1)}*${path.slice(slash)}`))
  );
}

export function readEndpoint(route: Route, method: string): ReadEndpoint | undefined {
  if (method === 'GET') return route.GET;
  if (method === 'HEAD') return route.GET?.isWrite ? undefined : route.GET;
  return method === 'DELETE' ? route.DELETE : undefined;
}

export function bodyEndpoint(route: Route, method: string): BodyEndpoint | undefined {
  if (method === 'POST') return route.POST;
  if (method === 'PATCH') return route.PATCH;
  return method === 'PUT' ? route.PUT : undefined;
}

/** The segment of an exchange's path that varies, undecoded; the last one where none does. */
export function variedSegment({path, route}: Exchange): string {
  const {isBeforeEnd, isCompatible} = route as Route;
  const pathEnd = isCompatible && path.endsWith('/') ? path.length - 1 : path.length;
  const end = isBeforeEnd ? path.lastIndexOf('/', pathEnd - 1) : pathEnd;
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end);
}

/** Methods with an endpoint; HEAD comes with GET, OPTIONS with CORS. */
export const methodsOf = (route: Route): Method[] => routedMethods.filter((method) => route[method] !== undefined);

export function allowedMethods(route: Route): string {
  const names = methodsOf(route).flatMap((method) =>
    method === 'GET' && !route.GET?.isWrite ? ['GET', 'HEAD'] : [method],
  );
  return [...names, ...(route.isWriteRoute || route.isCompatible ? ['OPTIONS'] : [])].join(', ');
}

// Routes as data: which paths exist, what each method needs, who handles it.
import type {Access} from './admission/authentication.js';
import type {Permission} from './admission/key-permissions.js';
import type {LimitName} from './admission/rate-limit.js';
import type {NeededRole} from './dashboard/door.js';
import type {Front} from './front.js';
import type {Exchange} from './http/exchange.js';

export type Method = 'GET' | 'POST' | 'DELETE';

/** Gets the request with the last segment of its path, undecoded. A promise is awaited only for its failure. */
export type Handle = (front: Front, exchange: Exchange, segment: string) => void | Promise<void>;

export interface ReadEndpoint {
  readonly access: Access;
  /** Which rate limit of the key a request falls under, where it needs a key. */
  readonly limit?: LimitName;
  /** Of who asks, on routes of the dashboard; absent: nobody needs to be signed in. */
  readonly role?: NeededRole;
  readonly handle: Handle;
}

/** Takes a JSON body; a body that was not copied is valid only during the call. */
export interface BodyEndpoint {
  readonly access: Access;
  /** Which rate limit of the key a request falls under, where it needs a key. */
  readonly limit?: LimitName;
  readonly role?: NeededRole;
  /** What the options of a key may forbid. */
  readonly permission?: Permission;
  /** Bytes of the body, before and after decompression. */
  readonly bodyBytesMax: number;
  readonly takeBody: (front: Front, exchange: Exchange, bytes: Buffer) => void | Promise<void>;
}

export interface Route {
  readonly GET?: ReadEndpoint;
  readonly DELETE?: ReadEndpoint;
  readonly POST?: BodyEndpoint;
  /** One of the three write routes: any origin may POST, and a write key may stand in the URL. */
  readonly isWriteRoute?: boolean;
  /** RT2 */
  readonly isOfDashboard?: boolean;
}

/**
 * Paths by their exact text; those of `bySegment` end in one further segment that is not empty.
 *   RT1. No new route takes a client's text in its path: proxies decode and normalise paths, and a write key is enough to
 *        choose an id that then means another user. Each route that does has a form with the id in the query.
 *   RT2. Those of the dashboard are no API: its pages change with them. They are not described, and counted as one.
 */
export interface Routes {
  readonly exact: ReadonlyMap<string, Route>;
  readonly bySegment: ReadonlyMap<string, Route>;
}

/** Paths are split before they are decoded, and a trailing slash is another path (docs/api.md, Errors). */
export function findRoute(routes: Routes, path: string): Route | undefined {
  const exact = routes.exact.get(path);
  if (exact !== undefined) return exact;
  const slash = path.lastIndexOf('/');
  return slash === path.length - 1 ? undefined : routes.bySegment.get(path.slice(0, slash + 1));
}

export function readEndpoint(route: Route, method: string): ReadEndpoint | undefined {
  if (method === 'GET' || method === 'HEAD') return route.GET;
  return method === 'DELETE' ? route.DELETE : undefined;
}

export const lastSegment = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Those with an endpoint of their own: HEAD comes with GET, OPTIONS with CORS. */
export const methodsOf = (route: Route): Method[] =>
  (['GET', 'POST', 'DELETE'] as const).filter((method) => route[method] !== undefined);

export function allowedMethods(route: Route): string {
  const names: string[] = [];
  if (route.GET !== undefined) names.push('GET', 'HEAD');
  if (route.POST !== undefined) names.push('POST');
  if (route.DELETE !== undefined) names.push('DELETE');
  if (route.isWriteRoute) names.push('OPTIONS');
  return names.join(', ');
}

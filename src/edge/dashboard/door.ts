// The door of the dashboard's routes. A browser sends its cookie with any request that any page makes it send, so a valid
// cookie is not enough:
//   D1. The host must be one that no other party can point at this service: an address, `localhost`, or a name of
//       DASHBOARD_HOSTS. Otherwise a foreign page whose name resolves to this service would have the same origin (DNS rebinding).
//   D2. A request that changes something must come from a page of this host: with `X-Millrace: 1`, an `Origin` that is the host
//       asked, and `Sec-Fetch-Site` in agreement where the browser sends it.
//   D3. The cookie opens only the dashboard's own routes, which are in one table with the role that each needs.
import {isIP} from 'node:net';
import {type DashboardRole, mayAs} from '../../keys/dashboard-role.js';
import type {Session} from '../../keys/session.js';
import {sessionMsMax} from '../../keys/sign-in-record.js';
import type {Failure, Header} from '../failure.js';
import type {ClientAddresses} from '../http/client-address.js';
import type {Exchange} from '../http/exchange.js';
import type {PageRequest} from '../http/page-request.js';
import {RateLimit} from '../http/rate-limit.js';
import type {Sessions} from './session.js';

const cookieName = 'millrace_session';
const readsPerMinute = 1_200;
const sessionsCountedMax = 10_000;

/** `nobody`: the route needs no session, for signing in and for the files of the pages. */
export type NeededRole = DashboardRole | 'nobody';

const unknownHost: Failure = {
  code: 'host_not_allowed',
  message: 'the dashboard is not served under this host name: list it in DASHBOARD_HOSTS',
};
const forged: Failure = {
  code: 'origin_not_allowed',
  message: 'a change must come from a page of the dashboard, at the same origin',
};
const signedOut: Failure = {code: 'not_signed_in', message: 'sign in first: /dashboard/sign-in'};
export const roleNotSufficient = (needed: DashboardRole): Failure => ({
  code: 'role_not_sufficient',
  message: `this needs the role ${needed}`,
});

export class DashboardDoor {
  private readonly limit = new RateLimit('session', readsPerMinute, 60);
  /** Usage of the rate limit by session; the least recent first. */
  private readonly usages = new Map<string, Record<'session', number>>();

  constructor(
    private readonly hosts: readonly string[],
    private readonly sessions: Sessions,
    private readonly addresses: ClientAddresses,
  ) {}

  /** @returns the refusal. Without one `exchange.session` is set, where a session is needed. */
  refuse(exchange: Exchange, needed: NeededRole): Failure | undefined {
    const page = exchange.page!;
    if (!this.isOurHost(page.host)) return unknownHost; // D1
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD' && isForged(exchange, page)) return forged; // D2
    if (needed === 'nobody') return undefined;
    const session = this.sessionOf(page);
    if (session === undefined) return signedOut;
    if (!mayAs(session.role, needed)) return roleNotSufficient(needed);
    exchange.caller.session = session;
    return this.limit.admit(this.usageOf(session), exchange.receivedMs);
  }

  sessionOf({cookie}: PageRequest): Session | undefined {
    const value = cookieValue(cookie);
    return value === undefined ? undefined : this.sessions.read(value);
  }

  /** The header that begins or renews a session. */
  cookie(exchange: Exchange, value: string, prefix: string): Header {
    return this.cookieHeader(exchange, value, prefix, sessionMsMax / 1_000);
  }

  emptyCookie(exchange: Exchange, prefix: string): Header {
    return this.cookieHeader(exchange, '', prefix, 0);
  }

  private cookieHeader(exchange: Exchange, value: string, prefix: string, seconds: number): Header {
    const secure = this.isSecure(exchange) ? '; Secure' : '';
    const place = `; HttpOnly; SameSite=Strict; Path=${prefix}/dashboard; Max-Age=${seconds}`;
    return ['Set-Cookie', `${cookieName}=${value}${place}${secure}`];
  }

  /** Whether the browser used https: the service itself speaks http, and only a trusted proxy knows better. */
  isSecure(exchange: Exchange): boolean {
    return exchange.page!.forwardedProto.toLowerCase() === 'https' && this.addresses.isByProxy(exchange);
  }

  /** Browsers trust an origin that is https, or this machine by its own address or as `localhost`. */
  isTrustworthy(exchange: Exchange): boolean {
    const name = hostName(exchange.page!.host);
    return name === 'localhost' || name === '::1' || name.startsWith('127.') || this.isSecure(exchange);
  }

  private isOurHost(host: string): boolean {
    const name = hostName(host);
    return name === 'localhost' || isIP(name) !== 0 || this.hosts.includes(name);
  }

  private usageOf({id}: Session): Record<'session', number> {
    const usage = this.usages.get(id) ?? {session: 0};
    this.usages.delete(id);
    this.usages.set(id, usage);
    if (this.usages.size > sessionsCountedMax) this.usages.delete(this.usages.keys().next().value!);
    return usage;
  }
}

/** D2 */
function isForged({origin = ''}: Exchange, {isByPage, fetchSite, host}: PageRequest): boolean {
  if (!isByPage || (fetchSite !== '' && fetchSite !== 'same-origin')) return true;
  return !/^https?:\/\//.test(origin) || withoutPort(origin) !== withoutPort(`http://${host}`);
}

/** Removes the port: either side may leave out its scheme's port, and a proxy may use another scheme than the service. */
const withoutPort = (origin: string): string =>
  origin
    .replace(/^https?:\/\//, '')
    .replace(/:(?:80|443)$/, '')
    .toLowerCase();

function hostName(host: string): string {
  const [, bracketed, name] = /^(?:\[([^\]]+)\]|([^:]*))(?::\d+)?$/.exec(host) ?? [];
  return (bracketed ?? name ?? '').toLowerCase();
}

function cookieValue(cookies: string): string | undefined {
  for (const pair of cookies.split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === cookieName) return value;
  }
  return undefined;
}

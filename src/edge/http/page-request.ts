// Headers that browsers send. Only routes of the dashboard, and of settings for libraries, read them: events do not pay for it.
import type {HttpRequest} from './transport.js';

export interface PageRequest {
  readonly host: string;
  readonly cookie: string;
  /** X-Millrace: a page of another origin can send it only after a preflight, which is refused. */
  readonly isByPage: boolean;
  /** Sec-Fetch-Site; empty over plain http beyond loopback, where browsers do not send it. */
  readonly fetchSite: string;
  /** X-Forwarded-Proto, trusted or not. */
  readonly forwardedProto: string;
  readonly acceptsHtml: boolean;
  readonly acceptEncoding: string;
}

/** `/` leads to the dashboard, and is checked like it. Settings of a project name the host under which the page reached them. */
export const isPagePath = (path: string): boolean =>
  path === '/' || path.startsWith('/dashboard') || path.startsWith('/v1/projects/');

export const readPageRequest = (req: HttpRequest): PageRequest => ({
  host: req.getHeader('host'),
  cookie: req.getHeader('cookie'),
  isByPage: req.getHeader('x-millrace') === '1',
  fetchSite: req.getHeader('sec-fetch-site'),
  forwardedProto: req.getHeader('x-forwarded-proto'),
  acceptsHtml: req.getHeader('accept').includes('text/html'),
  acceptEncoding: req.getHeader('accept-encoding'),
});

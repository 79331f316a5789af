// What requests of browsers say beside their events: what the context of these lacks (src/ingest/web-context.ts), and who sent those that
// name nobody.
import {WebContext, type WebRequest} from '../../ingest/web-context.js';
import type {ActiveKey} from '../../keys/key-ring.js';
import type {Exchange} from '../http/exchange.js';
import type {Countries} from './countries.js';
import {UserAgents} from './user-agents.js';

export class Web {
  readonly context: WebContext;
  private readonly countries: Countries;

  constructor(countries: Countries) {
    const agents = new UserAgents();
    this.context = new WebContext((userAgent) => agents.factsOf(userAgent));
    this.countries = countries;
  }

  /** Undefined: the key is not one of pages. */
  requestOf(exchange: Exchange): WebRequest | undefined {
    if (!isOfPages(exchange.caller.key!)) return undefined;
    return {userAgent: exchange.userAgent, country: this.countries.of(exchange)};
  }
}

/** Whether the key is for pages: its option `web`, else whether it has origins. */
export const isOfPages = ({options}: Pick<ActiveKey, 'options'>): boolean =>
  options?.isWeb ?? options?.origins !== undefined;

// The dashboard: its door, and a handler for each of its paths.
import type {KeyStore} from '../../keys/store.js';
import type {AdminTokens} from '../admission/authentication.js';
import type {Front} from '../front.js';
import type {ClientAddresses} from '../http/client-address.js';
import type {Exchange} from '../http/exchange.js';
import type {Routes} from '../route.js';
import type {ApiPlace} from './answers/session.js';
import {readDashboardFiles} from './assets.js';
import {BenchRuns, projectHistoryPath, projectResultsFolder} from './bench-runs.js';
import {DashboardDoor} from './door.js';
import {Live} from './live.js';
import {dashboardRoutes, noPageOf} from './routes.js';
import {Sessions} from './session.js';
import {Shares} from './shares.js';
import {SignIn} from './sign-in.js';

interface DashboardOptions {
  readonly keys: KeyStore;
  readonly tokens: AdminTokens;
  /** Host names under which it is served, in addition to addresses and `localhost`. */
  readonly hosts: readonly string[];
  readonly addresses: ClientAddresses;
  /** Undefined: the project's folder. */
  readonly benchResultsDir: string | undefined;
  readonly wallMs: () => number;
  readonly monotonicMs: () => number;
}

export class Dashboard {
  readonly door: DashboardDoor;
  /** Live side of the dashboard; the edge starts it with the sources that it reads. */
  readonly live = new Live();
  readonly routes: Routes;
  /** Answers an unknown path of the dashboard, where it is served. */
  readonly noPage: (front: Front, exchange: Exchange) => void;
  /** False before the build: the page says how to run it. */
  readonly isBuilt: boolean;
  /** Port of the API, where it differs from the pages' port. Set once the API listens. */
  apiPort: number | undefined;

  constructor({keys, tokens, hosts, addresses, benchResultsDir, wallMs, monotonicMs}: DashboardOptions) {
    const sessions = new Sessions(keys, tokens.admin, wallMs);
    this.door = new DashboardDoor(hosts, sessions, addresses);
    const apiPlace = (exchange: Exchange): ApiPlace => {
      if (this.apiPort === undefined) return {at: 'here'};
      const isThroughProxy = exchange.forwardedFor !== '' && addresses.isByProxy(exchange);
      return isThroughProxy ? {at: 'elsewhere'} : {at: 'port', port: this.apiPort};
    };
    const signIn = new SignIn({keys, sessions, door: this.door, tokens, wallMs, apiPlace});
    const files = readDashboardFiles();
    this.isBuilt = files !== undefined;
    const benchRuns = new BenchRuns({
      historyPath: projectHistoryPath,
      resultsFolder: benchResultsDir ?? projectResultsFolder,
      monotonicMs,
    });
    this.noPage = noPageOf(files);
    this.routes = dashboardRoutes(files, signIn, this.live, benchRuns, new Shares(monotonicMs), this.door);
  }
}

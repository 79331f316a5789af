// Open connections. Above the bound the edge closes a new one at once: a process without free files cannot even accept and close
// it, polls it without end, and cannot reconnect to NATS.

import type {Logger} from '../../observe.js';
import {readIfReadable} from '../../system-file.js';
import type {HttpApp} from './transport.js';

/** Files for everything else: NATS, parts, workers, logs, the port of operators. */
const otherFiles = 256;
/** Bound of memory: a connection takes some 20 KB, mostly in the kernel. */
const clientConnectionsMax = 50_000;
/** Bound on the port of operators: load balancers, Prometheus, the command line, dashboards with their streams. */
export const operatorConnectionsMax = 192;
/**
 * Connections held in reserve, at most an eighth of the bound. While the reserve is used, every answer ends its connection, so
 * that the edge can accept others, health checks included. A client that only holds connections can use up the reserve, too:
 * against that, operators have their own port.
 */
const spareMax = 64;

/** A limit below this number was probably set without this service in mind. */
const fewConnections = 1_000;

/** Connections of the public port: as many as the open files of the process allow. */
export function clientConnections(logger: Logger): number {
  const max = Math.min(clientConnectionsMax, Math.max(openFilesMax() - otherFiles, 1));
  if (max < fewConnections)
    logger.warn({connections: max}, 'few connections are possible: raise the limit of open files (ulimit -n)');
  return max;
}

export class Connections {
  private readonly spare: number;
  private count = 0;

  constructor(readonly max: number) {
    this.spare = Math.min(spareMax, max >> 3);
  }

  /** The reserve is in use. */
  get isCrowded(): boolean {
    return this.count > this.max - this.spare;
  }

  /** Call it before `app` listens. */
  watch(app: Pick<HttpApp, 'onConnection'>): void {
    app.onConnection(this.change);
  }

  private readonly change = (by: 1 | -1, close: () => void): void => {
    this.count += by;
    if (by > 0 && this.count > this.max) close();
  };
}

/** Number of files that this process may open; a common number where the system does not say. */
export function openFilesMax(): number {
  const limits = readIfReadable('/proc/self/limits');
  if (limits === undefined) return 1_024;
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? clientConnectionsMax : Number(soft);
}

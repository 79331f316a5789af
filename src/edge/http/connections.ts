// Open connections. Past the bound a new one is closed at once: without files left the process could not even accept and
// close it, would be asked about it for ever, and could not reach NATS again after a lost connection.

import type {Logger} from '../../observe.js';
import {readIfReadable} from '../../system-file.js';
import type {HttpApp} from './transport.js';

/** Files for everything else: NATS, parts, workers, logs, the door of operators. */
const otherFiles = 256;
/** More than that takes memory that nobody planned for: some 20 KB each, in the kernel mostly. */
const clientConnectionsMax = 50_000;
/** On the port of operators: balancers, Prometheus, the command line, dashboards with their streams. */
export const operatorConnectionsMax = 192;
/**
 * Connections held in reserve, at most an eighth of the bound. While the reserve is used, every answer ends its connection, so
 * that others are accepted, health checks among them. A client that only holds connections can use up the reserve, too:
 * against that, operators have a port of their own.
 */
const spareMax = 64;

/** With fewer somebody set a limit without knowing of this service. */
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

  /** Before `app` listens. */
  watch(app: Pick<HttpApp, 'onConnection'>): void {
    app.onConnection(this.change);
  }

  private readonly change = (by: 1 | -1, close: () => void): void => {
    this.count += by;
    if (by > 0 && this.count > this.max) close();
  };
}

/** How many files this process may open. Where the system does not tell, a number that is common. */
export function openFilesMax(): number {
  const limits = readIfReadable('/proc/self/limits');
  if (limits === undefined) return 1_024;
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? clientConnectionsMax : Number(soft);
}

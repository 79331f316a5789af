// The failures that acknowledged messages survive on this NATS server, by the server's own settings.
//   U1. An external server may be replaced, or come back with other settings: it is asked again after every reconnect. One that
//       does not say counts as the lower class.
//   U2. In a cluster any server may belong to the majority of an ack: all are asked, again whenever one joins or leaves, and the
//       weakest counts.
//   U3. An address of a server may be unreachable from here, or another server's: an answer counts for the server with its id,
//       and the connected server lists the servers.
//   U4. Monitoring is asked at the URLs that the operator names; without any, at the usual port of each known address.
//   U5. One that did not say may have been busy, and one that joins a cluster may be listed a moment later: they are asked again.

import {setTimeout as delay} from 'node:timers/promises';
import type {NatsConnection} from 'nats';
import type {Logger} from '../../observe.js';
import {isOfCluster} from '../client/connection.js';
import {askMonitor} from './monitor.js';

/** `power-cut`: synced to disk before every ack. `process-crash`: a power cut may take the last acks back. */
export type DurabilityClass = 'power-cut' | 'process-crash';

/** Deadline of a guessed port: one that drops packets must not delay the start. */
const guessMsMax = 1_000;
const monitoringPort = 8222;
/** Tries for a server that has just come back, and may not listen there yet. */
const guessesMax = 3;
const guessAgainMs = 1_000;
/** U5 */
const againEveryMs = 15_000;
/** Before a server of our own, which listens, is asked again. */
const readAgainMs = 100;

interface ServerVariables {
  readonly server_id?: string;
  readonly jetstream?: {readonly config?: {readonly sync_always?: boolean}};
}

/** Durability at this moment. */
export interface Durability {
  readonly class: DurabilityClass;
}

/** Reads the class from the monitoring endpoint at `monitorUrl`. On a busy machine a connection may break or come late: it tries again. */
export async function readDurability(monitorUrl: string, answerMsMax: number, tries = 3): Promise<DurabilityClass> {
  try {
    return classOf(await readMonitor<ServerVariables>(`${monitorUrl}/varz`, answerMsMax));
  } catch (error) {
    if (tries === 1) throw error;
    await delay(readAgainMs);
    return readDurability(monitorUrl, answerMsMax, tries - 1);
  }
}

async function readMonitor<Answer>(url: string, answerMsMax: number): Promise<Answer> {
  return JSON.parse((await askMonitor(url, answerMsMax)).text) as Answer;
}

/** A server that does not know `sync_always` (before 2.10) does not sync. */
const classOf = ({jetstream}: ServerVariables): DurabilityClass =>
  jetstream?.config?.sync_always === true ? 'power-cut' : 'process-crash';

interface ServerRoutes {
  readonly server_id?: string;
  readonly routes?: readonly {readonly remote_id: string; readonly remote_name: string}[];
}

/** A server's own answer. */
interface ServerClass {
  /** The server, for the log. */
  readonly server: string;
  /** Undefined: it does not say. */
  readonly class: DurabilityClass | undefined;
}

/** Durability of external servers: only their monitoring shows their settings. U4 */
export class ExternalDurability implements Durability {
  private constructor(
    private weakest: ServerClass,
    private readonly monitors: readonly string[] | undefined,
  ) {}

  /** `monitors`: URLs that the operator names. */
  static async read(nc: NatsConnection, logger: Logger, monitors?: readonly string[]): Promise<ExternalDurability> {
    const durability = new ExternalDurability(await ask(nc, monitors), monitors);
    if (durability.class !== 'power-cut') durability.warn(logger);
    return durability;
  }

  get class(): DurabilityClass {
    return this.weakest.class ?? 'process-crash';
  }

  /** Resolves when the connection is closed. U1, U2, U5 */
  async follow(nc: NatsConnection, logger: Logger): Promise<void> {
    const again = setInterval(() => {
      if (this.weakest.class === undefined || isOfCluster(nc)) void this.readAgain(nc, logger);
    }, againEveryMs);
    for await (const {type} of nc.status()) {
      if (type === 'reconnect' || (type === 'update' && isOfCluster(nc))) await this.readAgain(nc, logger);
    }
    clearInterval(again);
  }

  private async readAgain(nc: NatsConnection, logger: Logger): Promise<void> {
    const before = this.class;
    this.weakest = await askPatiently(nc, this.monitors);
    if (this.class === before) return;
    if (this.class === 'power-cut')
      logger.warn({durability: this.class}, 'an acknowledged event survives a power cut again');
    else this.warn(logger);
  }

  private warn(logger: Logger): void {
    const {server, class: told} = this.weakest;
    const why =
      told === undefined
        ? `no monitoring port reports the sync_interval of ${server}; NATS_MONITOR_URL names where to ask`
        : `the sync_interval of ${server} is not always, as its monitoring port reports`;
    warnOfPowerCuts(logger, why);
  }
}

export function warnOfPowerCuts(logger: Logger, why: string): void {
  const durability: DurabilityClass = 'process-crash';
  logger.warn({durability}, `an acknowledged event survives a crash of the process, but maybe not a power cut: ${why}`);
}

/** The class of the weakest server. U2 */
async function ask(nc: NatsConnection, named: readonly string[] | undefined): Promise<ServerClass> {
  const monitors = named ?? monitorsOf(nc);
  const answers = Promise.all(monitors.map((monitor) => guess<ServerVariables>(`${urlOf(monitor)}/varz`)));
  const name = `NATS at ${named === undefined ? monitorOf(nc.getServer()) : nc.getServer()}`;
  const servers = await serversOf(nc, name, monitors);
  const variables = await answers;
  const told = servers.map(({id, name}): ServerClass => {
    const answer = variables.find((one) => one?.server_id === id);
    return {server: name, class: answer && classOf(answer)};
  });
  return told.find((one) => one.class === 'process-crash') ?? told.find((one) => one.class === undefined) ?? told[0]!;
}

/** The servers of the cluster, as the connected one lists them. U3 */
async function serversOf(
  nc: NatsConnection,
  ownName: string,
  monitors: readonly string[],
): Promise<readonly {readonly id: string; readonly name: string}[]> {
  // A lost connection has no server: the next reconnect asks again.
  const own = {id: nc.info?.server_id ?? '', name: ownName};
  if (!isOfCluster(nc)) return [own];
  const lists = await Promise.all(monitors.map((monitor) => guess<ServerRoutes>(`${urlOf(monitor)}/routez`)));
  const routes = lists.find((list) => list?.server_id === own.id)?.routes;
  if (routes === undefined) return [own, {id: '', name: `the cluster of ${own.name}`}];
  return [own, ...routes.map(({remote_id: id, remote_name}) => ({id, name: `the NATS server ${remote_name}`}))];
}

/** Usual addresses of the monitoring of the connected server, and of those of its cluster. */
function monitorsOf(nc: NatsConnection): readonly string[] {
  const ofCluster = isOfCluster(nc) ? (nc.info?.connect_urls ?? []) : [];
  return [...new Set([nc.getServer(), ...ofCluster].map(monitorOf))];
}

const monitorOf = (server: string): string => `${server.replace(/:\d+$/, '')}:${monitoringPort}`;

/** Addresses that servers advertise have no scheme. */
const urlOf = (monitor: string): string => (monitor.includes('://') ? monitor : `http://${monitor}`);

/** Undefined: no answer there, or not to us. */
const guess = <Answer>(url: string): Promise<Answer | undefined> =>
  readMonitor<Answer>(url, guessMsMax).catch(() => undefined);

async function askPatiently(nc: NatsConnection, monitors: readonly string[] | undefined): Promise<ServerClass> {
  for (let guesses = 1; ; guesses++) {
    const told = await ask(nc, monitors);
    if (told.class !== undefined || guesses === guessesMax || nc.isClosed()) return told;
    await delay(guessAgainMs);
  }
}

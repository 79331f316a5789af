// The failures that acknowledged messages survive on this NATS server, by the server's own settings.
//   U1. An external server may be replaced, or come back with other settings: it is asked again after every reconnect. One that
//       does not say counts as the lower class.
//   U2. In a cluster any server may belong to the majority of an ack: all are asked, again whenever one joins or leaves, and the
//       weakest counts.
//   U3. An address of a server may be unreachable from here, or another server's: an answer counts for the server with its id,
//       and the connected server lists the servers.

import {setTimeout as delay} from 'node:timers/promises';
import type {NatsConnection} from 'nats';
import type {Logger} from '../../observe.js';
import {isOfCluster} from '../client/connection.js';

/** `power-cut`: synced to disk before every ack. `process-crash`: a power cut may take the last acks back. */
export type DurabilityClass = 'power-cut' | 'process-crash';

/** Deadline of a guessed port: one that drops packets must not delay the start. */
const guessMsMax = 1_000;
const monitoringPort = 8222;
/** Tries for a server that has just come back, and may not listen there yet. */
const guessesMax = 3;
const guessAgainMs = 1_000;

interface ServerVariables {
  readonly server_id?: string;
  readonly jetstream?: {readonly config?: {readonly sync_always?: boolean}};
}

/** Durability at this moment. */
export interface Durability {
  readonly class: DurabilityClass;
}

/** Reads the class from the monitoring endpoint at `monitorUrl`. */
export async function readDurability(monitorUrl: string, answerMsMax: number): Promise<DurabilityClass> {
  return classOf(await readMonitor<ServerVariables>(`${monitorUrl}/varz`, answerMsMax));
}

async function readMonitor<Answer>(url: string, answerMsMax: number): Promise<Answer> {
  const response = await fetch(url, {signal: AbortSignal.timeout(answerMsMax)});
  return (await response.json()) as Answer;
}

/** A server that does not know `sync_always` (before 2.10) does not sync. */
const classOf = ({jetstream}: ServerVariables): DurabilityClass =>
  jetstream?.config?.sync_always === true ? 'power-cut' : 'process-crash';

interface ServerRoutes {
  readonly routes?: readonly {readonly remote_id: string; readonly remote_name: string}[];
}

/** A server's own answer. */
interface Told {
  /** The server, for the log. */
  readonly server: string;
  /** Undefined: it does not say. */
  readonly class: DurabilityClass | undefined;
}

/** Durability of external servers: only their monitoring ports show their settings, and are tried at the usual number. */
export class ExternalDurability implements Durability {
  private constructor(private weakest: Told) {}

  static async read(nc: NatsConnection, logger: Logger): Promise<ExternalDurability> {
    const durability = new ExternalDurability(await ask(nc));
    if (durability.class !== 'power-cut') durability.warn(logger);
    return durability;
  }

  get class(): DurabilityClass {
    return this.weakest.class ?? 'process-crash';
  }

  /** Resolves when the connection is closed. U1, U2 */
  async follow(nc: NatsConnection, logger: Logger): Promise<void> {
    for await (const {type} of nc.status()) {
      if (type === 'reconnect' || (type === 'update' && isOfCluster(nc))) await this.readAgain(nc, logger);
    }
  }

  private async readAgain(nc: NatsConnection, logger: Logger): Promise<void> {
    const before = this.class;
    this.weakest = await askPatiently(nc);
    if (this.class === before) return;
    if (this.class === 'power-cut')
      logger.warn({durability: this.class}, 'an acknowledged event survives a power cut again');
    else this.warn(logger);
  }

  private warn(logger: Logger): void {
    const {server, class: told} = this.weakest;
    const why =
      told === undefined
        ? `no monitoring port reports the sync_interval of ${server}`
        : `the sync_interval of ${server} is not always, as its monitoring port reports`;
    warnOfPowerCuts(logger, why);
  }
}

export function warnOfPowerCuts(logger: Logger, why: string): void {
  const durability: DurabilityClass = 'process-crash';
  logger.warn({durability}, `an acknowledged event survives a crash of the process, but maybe not a power cut: ${why}`);
}

/** The class of the weakest server. U2 */
async function ask(nc: NatsConnection): Promise<Told> {
  const answers = Promise.all(monitorsOf(nc).map((monitor) => guess<ServerVariables>(`${monitor}/varz`)));
  const servers = await serversOf(nc);
  const variables = await answers;
  const told = servers.map(({id, name}): Told => {
    const answer = variables.find((one) => one?.server_id === id);
    return {server: name, class: answer && classOf(answer)};
  });
  return told.find((one) => one.class === 'process-crash') ?? told.find((one) => one.class === undefined) ?? told[0]!;
}

/** The servers of the cluster, as the connected one lists them. U3 */
async function serversOf(nc: NatsConnection): Promise<readonly {readonly id: string; readonly name: string}[]> {
  const monitor = monitorOf(nc.getServer());
  // A lost connection has no server: the next reconnect asks again.
  const own = {id: nc.info?.server_id ?? '', name: `NATS at ${monitor}`};
  if (!isOfCluster(nc)) return [own];
  const routes = (await guess<ServerRoutes>(`${monitor}/routez`))?.routes;
  if (routes === undefined) return [own, {id: '', name: `the cluster of ${own.name}`}];
  return [own, ...routes.map(({remote_id: id, remote_name}) => ({id, name: `the NATS server ${remote_name}`}))];
}

/** Monitoring addresses of the connected server, and of those of its cluster. */
function monitorsOf(nc: NatsConnection): readonly string[] {
  const ofCluster = isOfCluster(nc) ? (nc.info?.connect_urls ?? []) : [];
  return [...new Set([nc.getServer(), ...ofCluster].map(monitorOf))];
}

const monitorOf = (server: string): string => `${server.replace(/:\d+$/, '')}:${monitoringPort}`;

/** Undefined: no answer there, or not to us. */
const guess = <Answer>(at: string): Promise<Answer | undefined> =>
  readMonitor<Answer>(`http://${at}`, guessMsMax).catch(() => undefined);

async function askPatiently(nc: NatsConnection): Promise<Told> {
  for (let guesses = 1; ; guesses++) {
    const told = await ask(nc);
    if (told.class !== undefined || guesses === guessesMax || nc.isClosed()) return told;
    await delay(guessAgainMs);
  }
}

// What an acknowledgement of this NATS server survives: read from the server, never from what we asked it to be.
//   U1. A server that others run may come back as another one, or with other settings: it is asked again whenever a
//       connection came back. One that does not say is taken at the lower class.
//   U2. In a cluster any of its servers may belong to the majority that an acknowledgement rests on: all are asked, again
//       whenever one of them comes or goes, and the weakest counts.
//   U3. A server may have addresses that lead nowhere from here, or to somebody else: an answer counts for the server whose
//       id it has, and which servers there are tells the one that we are connected to.

import {setTimeout as delay} from 'node:timers/promises';
import type {NatsConnection} from 'nats';
import type {Logger} from '../../observe.js';
import {isOfCluster} from '../client/connection.js';

/** `power-cut`: synced to disk before every ack. `process-crash`: a power cut may take the last acks back. */
export type DurabilityClass = 'power-cut' | 'process-crash';

/** Of a guess: a port that drops what it gets must not hold up the start. */
const guessMsMax = 1_000;
const monitoringPort = 8222;
/** Of a server that just came back, and may not listen there yet. */
const guessesMax = 3;
const guessAgainMs = 1_000;

interface ServerVariables {
  readonly server_id?: string;
  readonly jetstream?: {readonly config?: {readonly sync_always?: boolean}};
}

/** What it is now. */
export interface Durability {
  readonly class: DurabilityClass;
}

/** From the monitoring endpoint at `monitorUrl`. */
export async function readDurability(monitorUrl: string, answerMsMax: number): Promise<DurabilityClass> {
  return classOf(await readMonitor<ServerVariables>(`${monitorUrl}/varz`, answerMsMax));
}

async function readMonitor<Answer>(url: string, answerMsMax: number): Promise<Answer> {
  const response = await fetch(url, {signal: AbortSignal.timeout(answerMsMax)});
  return (await response.json()) as Answer;
}

/** A server that does not know `sync_always` (before 2.10) has no such sync. */
const classOf = ({jetstream}: ServerVariables): DurabilityClass =>
  jetstream?.config?.sync_always === true ? 'power-cut' : 'process-crash';

interface ServerRoutes {
  readonly routes?: readonly {readonly remote_id: string; readonly remote_name: string}[];
}

/** What is known of a server. */
interface Told {
  /** Which one, for the log. */
  readonly server: string;
  /** Undefined: it does not say. */
  readonly class: DurabilityClass | undefined;
}

/** Of servers that others run. Their settings show on their monitoring ports alone, looked for at the usual number. */
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
        ? `no monitoring port tells the sync_interval of ${server}`
        : `the sync_interval of ${server} is not always, as its monitoring port tells`;
    warnOfPowerCuts(logger, why);
  }
}

export function warnOfPowerCuts(logger: Logger, why: string): void {
  const durability: DurabilityClass = 'process-crash';
  logger.warn({durability}, `an acknowledged event survives a crash of the process, but maybe not a power cut: ${why}`);
}

/** The weakest of all servers. U2 */
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

/** U3 */
async function serversOf(nc: NatsConnection): Promise<readonly {readonly id: string; readonly name: string}[]> {
  const monitor = monitorOf(nc.getServer());
  // A connection that broke again has no server: the next reconnect asks the one that comes.
  const own = {id: nc.info?.server_id ?? '', name: `NATS at ${monitor}`};
  if (!isOfCluster(nc)) return [own];
  const routes = (await guess<ServerRoutes>(`${monitor}/routez`))?.routes;
  if (routes === undefined) return [own, {id: '', name: `the cluster of ${own.name}`}];
  return [own, ...routes.map(({remote_id: id, remote_name}) => ({id, name: `the NATS server ${remote_name}`}))];
}

/** Of the server that is connected to, and of those of its cluster that it knows now. */
function monitorsOf(nc: NatsConnection): readonly string[] {
  const ofCluster = isOfCluster(nc) ? (nc.info?.connect_urls ?? []) : [];
  return [...new Set([nc.getServer(), ...ofCluster].map(monitorOf))];
}

const monitorOf = (server: string): string => `${server.replace(/:\d+$/, '')}:${monitoringPort}`;

/** Undefined: nobody answers there, or not to us. */
const guess = <Answer>(at: string): Promise<Answer | undefined> =>
  readMonitor<Answer>(`http://${at}`, guessMsMax).catch(() => undefined);

async function askPatiently(nc: NatsConnection): Promise<Told> {
  for (let guesses = 1; ; guesses++) {
    const told = await ask(nc);
    if (told.class !== undefined || guesses === guessesMax || nc.isClosed()) return told;
    await delay(guessAgainMs);
  }
}

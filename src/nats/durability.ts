// What an acknowledgement of this NATS server survives: read from the server, never from what we asked it to be.
//   U1. A server that others run may come back as another one, or with other settings: it is asked again whenever a
//       connection came back. One that does not say is taken at the lower class.

import {setTimeout as delay} from 'node:timers/promises';
import type {NatsConnection} from 'nats';
import type {Logger} from '../observe.js';

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
  return classOf(await readVariables(monitorUrl, answerMsMax));
}

async function readVariables(monitorUrl: string, answerMsMax: number): Promise<ServerVariables> {
  const response = await fetch(`${monitorUrl}/varz`, {signal: AbortSignal.timeout(answerMsMax)});
  return (await response.json()) as ServerVariables;
}

/** A server that does not know `sync_always` (before 2.10) has no such sync. */
const classOf = ({jetstream}: ServerVariables): DurabilityClass =>
  jetstream?.config?.sync_always === true ? 'power-cut' : 'process-crash';

/** Of a server that others run. Its setting shows on its monitoring port alone, looked for at the usual number. */
export class ExternalDurability implements Durability {
  private current: DurabilityClass | undefined;

  /** Undefined where no monitoring port tells. U1 */
  private constructor(current: DurabilityClass | undefined) {
    this.current = current;
  }

  static async read(nc: NatsConnection, logger: Logger): Promise<ExternalDurability> {
    const durability = new ExternalDurability(await guess(nc));
    if (durability.class !== 'power-cut') durability.warn(nc, logger);
    return durability;
  }

  get class(): DurabilityClass {
    return this.current ?? 'process-crash';
  }

  /** Resolves when the connection is closed. U1 */
  async follow(nc: NatsConnection, logger: Logger): Promise<void> {
    for await (const {type} of nc.status()) if (type === 'reconnect') await this.readAgain(nc, logger);
  }

  private async readAgain(nc: NatsConnection, logger: Logger): Promise<void> {
    const before = this.class;
    this.current = await guessPatiently(nc);
    if (this.class === before) return;
    if (this.class === 'power-cut')
      logger.warn({durability: this.class}, 'an acknowledged event survives a power cut again');
    else this.warn(nc, logger);
  }

  private warn(nc: NatsConnection, logger: Logger): void {
    const why =
      this.current === undefined
        ? `no monitoring port of NATS at ${monitorOf(nc)} tells its sync_interval`
        : `the sync_interval of NATS is not always, as ${monitorOf(nc)} tells`;
    warnOfPowerCuts(logger, why);
  }
}

export function warnOfPowerCuts(logger: Logger, why: string): void {
  const durability: DurabilityClass = 'process-crash';
  logger.warn({durability}, `an acknowledged event survives a crash of the process, but maybe not a power cut: ${why}`);
}

const monitorOf = (nc: NatsConnection): string => `${nc.getServer().replace(/:\d+$/, '')}:${monitoringPort}`;

/** Undefined: it has no monitoring port, or not for us. */
async function guess(nc: NatsConnection): Promise<DurabilityClass | undefined> {
  try {
    const variables = await readVariables(`http://${monitorOf(nc)}`, guessMsMax);
    // Any program may listen on the port we guessed; only this server's own answer counts.
    return variables.server_id === nc.info!.server_id ? classOf(variables) : undefined;
  } catch {
    return undefined;
  }
}

async function guessPatiently(nc: NatsConnection): Promise<DurabilityClass | undefined> {
  for (let guesses = 1; ; guesses++) {
    const guessed = await guess(nc);
    if (guessed !== undefined || guesses === guessesMax || nc.isClosed()) return guessed;
    await delay(guessAgainMs);
  }
}

// What an acknowledgement of this NATS server survives: read from the server, never from what we asked it to be.

import type {NatsConnection} from 'nats';

/** `power-cut`: synced to disk before every ack. `process-crash`: a power cut may take the last acks back. */
export type DurabilityClass = 'power-cut' | 'process-crash';

/** Of a guess: a port that drops what it gets must not hold up the start. */
const guessMsMax = 1_000;
const monitoringPortDefault = 8222;

interface ServerVariables {
  readonly server_id?: string;
  readonly jetstream?: {readonly config?: {readonly sync_always?: boolean}};
}

/** From the monitoring endpoint at `monitorUrl`. A server that does not know `sync_always` (before 2.10) has no such sync. */
export async function readDurability(
  monitorUrl: string,
  answerMsMax: number,
  serverId?: string,
): Promise<DurabilityClass> {
  const response = await fetch(`${monitorUrl}/varz`, {signal: AbortSignal.timeout(answerMsMax)});
  const variables = (await response.json()) as ServerVariables;
  // Any program may listen on the port we guessed; only this server's own answer counts.
  if (serverId !== undefined && variables.server_id !== serverId) return 'process-crash';
  return variables.jetstream?.config?.sync_always === true ? 'power-cut' : 'process-crash';
}

/**
 * Of a server that others run. Its setting shows only on its monitoring port, looked for at the usual number; a server
 * that does not say is taken at the lower class.
 */
export async function readExternalDurability(nc: NatsConnection): Promise<DurabilityClass> {
  const host = nc.getServer().replace(/:\d+$/, '');
  try {
    return await readDurability(`http://${host}:${monitoringPortDefault}`, guessMsMax, nc.info!.server_id);
  } catch {
    return 'process-crash'; // No monitoring port, or not for us.
  }
}

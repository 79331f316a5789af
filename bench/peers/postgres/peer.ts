// Peer A as the benchmark starts it: a cluster, and in front of it the server.

import {fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import type {Say} from '../../bench.js';
import {secretKey, writeKey} from '../../machine/service.js';
import type {Target} from '../../machine/target.js';
import {postgresObstacle, startPostgres} from './cluster.js';
import type {PeerSettings} from './main.js';

export interface Peer extends Target {
  readonly baseUrl: string;
}

const program = fileURLToPath(new URL('./main.js', import.meta.url));

/** Null, and that is said loudly, where PostgreSQL is missing. */
export async function startPeer(say: Say): Promise<Peer | null> {
  const obstacle = postgresObstacle();
  if (obstacle !== null) {
    say(`PEER A IS SKIPPED: ${obstacle}`);
    return null;
  }
  const postgres = await startPostgres();
  const settings: PeerSettings = {connection: postgres.connection, writeKey, secretKey};
  const server = fork(program, [], {execArgv: [], env: {...process.env, PEER_SETTINGS: JSON.stringify(settings)}});
  const stop = async (): Promise<void> => {
    server.kill('SIGKILL');
    await postgres.stop();
  };
  const ended = once(server, 'exit').then(() => undefined);
  const message = await Promise.race([once(server, 'message'), ended]);
  if (message === undefined) {
    await postgres.stop();
    throw new Error('the server of peer A did not start');
  }
  const {port} = message[0] as {port: number};
  return {host: '127.0.0.1', port, baseUrl: `http://127.0.0.1:${port}`, pid: [server.pid!, postgres.pid], stop};
}

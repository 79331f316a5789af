// PostgreSQL of the system's packages: a cluster of its own in a temporary folder, reached over a socket in that folder.
//   S1. It never outlives the benchmark: a small shell holds the end of a pipe from us, and ends the server when we have ended.
//   S2. The same durability class as ours: a commit is on disk before it is answered (fsync, synchronous_commit, full page
//       writes, and tables with a write-ahead log).

import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chownSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir, totalmem} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {Client} from 'pg';
import {monotonicMs} from '../../../src/clock.js';
import {postgresProgram} from '../../machine/postgres-programs.js';

export interface PostgresCluster {
  /** Root of its processes. */
  readonly pid: number;
  /** For `pg`: the folder of the socket and the login. */
  readonly connection: {readonly host: string; readonly user: string; readonly database: string};
  stop(): Promise<void>;
}

const user = 'bench';
const startMsMax = 60_000;
const pollMs = 50;
const stopMsMax = 20_000;

/** S1. Words: the program and its arguments. SIGINT is PostgreSQL's fast shutdown. */
const guardScript = `
exec 3<&0
"$@" </dev/null 3<&- & server=$!
{ read -r _ <&3; kill -INT "$server"; } 2>/dev/null &
exec 3<&-
wait "$server"
`;

/** A quarter of the memory, as PostgreSQL's manual suggests, and no more than the workload can fill. */
const sharedBuffersMib = Math.min(2_048, Math.floor(totalmem() / 2 ** 20 / 4));

const settings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '20',
  shared_buffers: `${sharedBuffersMib}MB`,
  effective_cache_size: `${3 * sharedBuffersMib}MB`,
  maintenance_work_mem: '256MB',
  work_mem: '64MB',
  // S2.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // As little log as a durable server writes, and no checkpoint (with its full pages) while a round runs.
  wal_level: 'minimal',
  max_wal_senders: '0',
  wal_buffers: '64MB',
  max_wal_size: '16GB',
  min_wal_size: '2GB',
  checkpoint_timeout: '30min',
  jit: 'off',
  timezone: 'UTC',
};

/** Why there is none on this machine; null: `startPostgres` can start one. */
export function postgresObstacle(): string | null {
  if (postgresProgram('initdb') === null || postgresProgram('postgres') === null) {
    return 'PostgreSQL is not installed (its initdb and postgres are not in /usr/lib/postgresql/*/bin or on the PATH)';
  }
  if (process.getuid!() === 0 && packageUser() === null) {
    return 'PostgreSQL does not run as root, and there is no user "postgres" to run it as';
  }
  return null;
}

export async function startPostgres(): Promise<PostgresCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-pg-'));
  const owner = process.getuid!() === 0 ? packageUser() : null;
  if (owner !== null) chownSync(folder, owner.uid, owner.gid);
  const options = {...(owner ?? {}), cwd: folder, env: {PATH: '/usr/bin:/bin', LC_ALL: 'C'}};
  const dataFolder = join(folder, 'data');
  execFileSync(
    postgresProgram('initdb')!,
    ['-D', dataFolder, '-U', user, '--auth=trust', '--encoding=UTF8', '--locale=C'],
    {...options, stdio: 'pipe'},
  );
  const words = Object.entries({...settings, unix_socket_directories: folder}).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const guard = spawn(
    '/bin/sh',
    ['-c', guardScript, 'millrace-bench-postgres', postgresProgram('postgres')!, '-D', dataFolder, ...words],
    {...options, stdio: ['pipe', 'ignore', 'pipe']},
  );
  const stop = async (): Promise<void> => {
    await stopGuard(guard);
    rmSync(folder, {recursive: true, force: true});
  };
  const connection = {host: folder, user, database: 'postgres'};
  try {
    await untilAnswering(guard, connection);
    return {pid: guard.pid!, connection, stop};
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The user that the system's package made; null: none. */
function packageUser(): {readonly uid: number; readonly gid: number} | null {
  const line = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return line === null ? null : {uid: Number(line[1]), gid: Number(line[2])};
}

async function untilAnswering(guard: ChildProcess, connection: PostgresCluster['connection']): Promise<void> {
  let printed = '';
  guard.stderr!.setEncoding('utf8').on('data', (text: string) => {
    printed = (printed + text).slice(-5_000);
  });
  const endMs = monotonicMs() + startMsMax;
  while (guard.exitCode === null && monotonicMs() < endMs) {
    if (await answers(connection)) return;
    await pause(pollMs);
  }
  throw new Error(`PostgreSQL did not start:\n${printed}`);
}

async function answers(connection: PostgresCluster['connection']): Promise<boolean> {
  const client = new Client(connection);
  client.on('error', () => {}); // The server may end while it starts: the next poll sees it.
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false; // Not listening yet, or still starting.
    throw error;
  }
}

async function stopGuard(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  const exited = once(guard, 'exit');
  guard.stdin!.end();
  const tooLate = setTimeout(() => guard.kill('SIGKILL'), stopMsMax);
  await exited;
  clearTimeout(tooLate);
}

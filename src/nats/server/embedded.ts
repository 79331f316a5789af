// The service's own nats-server: a child on loopback with a random port and token, its store under DATA_DIR/nats.
//   E1. It never outlives the service: a small shell between the two waits for the end of a pipe that only the service holds
//       open. The kernel closes that pipe at any end, kill -9 included. A server that does not end then (it is stopped, or its
//       disk hangs) is killed: it would hold the lock of DATA_DIR (E3), and no start would get it.
//   E2. After a crash it is started again on the same port with the same token: clients reconnect by themselves.
//   E3. Never two on one store: a start needs the lock of DATA_DIR, and the shell of E1 holds that lock, too.
//   E4. A server that cannot write although the disk has room (it was full before) is restarted.
//   E5. A server that is killed while it rewrites a storage block leaves an unfinished copy, which no server removes: bytes of a
//       deleted user would stay in it. A start removes these first.
//   E6. No server finishes erases that a killed one had begun. A start does that first.

import {type ChildProcess, execFile, spawn} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {join, resolve} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {promisify} from 'node:util';
import {monotonicMs} from '../../clock.js';
import {commandLine} from '../../command-line.js';
import type {DataLock} from '../../data-lock.js';
import {memoryLimitBytes} from '../../memory-plan.js';
import type {Logger} from '../../observe.js';
import {isRunning} from '../../process-life.js';
import {promised} from '../../promised.js';
import {StartFault} from '../../start-fault.js';
import type {NatsAddress} from '../../worker-messages.js';
import {blocksFolder} from '../store/storage-block.js';
import {bucketStream, partsBuckets} from '../topology.js';
import {isAtLeast, serverVersionSyncAlways, versionRefusal} from '../version.js';
import {type DurabilityClass, readDurability} from './durability.js';
import {watchStore} from './store-watch.js';
import {finishErases} from './unfinished-erases.js';

interface EmbeddedNatsOptions {
  readonly dataDir: string;
  /** Path of the nats-server to run. */
  readonly serverBin: string;
  /** Proof that no other process uses `dataDir`. E3 */
  readonly lock: DataLock;
  readonly logger: Logger;
}

export interface EmbeddedNats {
  /** Folder of its store, below DATA_DIR. */
  readonly folder: string;
  readonly address: NatsAddress;
  readonly version: string;
  readonly durability: DurabilityClass;
  /** Pid of the nats-server, while it runs. */
  pid(): number | undefined;
  /** Why the server cannot write (E4), in its words; undefined while it can. */
  writeFault(): string | undefined;
  /** Number of restarts. */
  restarts(): number;
  /** Resolves when the server has closed its store and ended; after `patienceMs` it is killed. */
  stop(patienceMs?: number): Promise<void>;
}

/** The server could not be started; the message is one line for the operator. */
export class NatsServerFault extends StartFault {}

// Its heap is cached storage blocks of 8 MiB, as many as the log writes and reads in some seconds. Go lets a heap grow to twice
// its live bytes before it collects. A growth by half costs the same CPU within the noise, and takes 390 instead of 490 MiB on
// a saturated machine. A limit in bytes that is below the live bytes takes three quarters of the throughput, and live bytes grow
// with the machine. So there is none where memory is plenty; where it is short, slow is better than killed.
const heapGrowthPercent = 50;
/** Share of the memory of a small machine from which on the server collects at once. */
const memoryShare = 0.25;
const smallMachineBytesMax = 2 * 1024 * 1024 * 1024;

function goMemory(limitBytes: number): {GOGC: string; GOMEMLIMIT?: string} {
  const GOGC = String(heapGrowthPercent);
  return limitBytes >= smallMachineBytesMax ? {GOGC} : {GOGC, GOMEMLIMIT: String(Math.floor(limitBytes * memoryShare))};
}

const payloadBytesMax = 1_048_576;
// Bytes that may wait for one slow reader before the server cuts it off. A consumer requests 4 MiB at a time; a thread that is
// busy folding while parts and replies arrive soon exceeds the default of 64 MiB.
const pendingBytesMax = 268_435_456;
const logBytesMax = 10_485_760;
const logFilesMax = 3;

// Opening a large store takes time: its recovery is not a failure while the process lives. But a damaged file can keep nats-server
// busy for ever, and its memory grows: a small store has a minute.
const openingMsMin = 60_000;
const openingMsMax = 600_000;
const openingBytesPerMs = 8_192;
const startPollMs = 5;
// The monitor answers within milliseconds, but on a busy machine a second was not enough.
const monitorMsMax = 30_000;
const stopMsMax = 10_000;
const restartWaitMsMin = 10;
const restartWaitMsMax = 2_000;
// A crash after this time counts as the first one: the next start waits the shortest time.
const settledMs = 30_000;

// Shorter than the next start waits for the lock (data-lock.ts).
const orphanSecondsMax = 7;

/**
 * E1. Arguments: binary, configuration. Its stdin is the pipe; `read` returns when the only writer, the service, has ended. At
 * the end it signals the whole process group, which kills what is left of the watcher.
 */
const guardScript = `
exec 3<&0
"$1" -c "$2" </dev/null 3<&- & server=$!
{ read -r _ <&3; kill -TERM "$server"; sleep ${orphanSecondsMax}; kill -KILL "$server"; } 2>/dev/null &
exec 3<&-
wait "$server"; code=$?
trap '' TERM
kill -TERM 0
exit "$code"
`;

/** Settings that all runs of the server share. */
interface NatsPlan {
  readonly options: EmbeddedNatsOptions;
  readonly folder: string;
  readonly version: string;
  readonly token: string;
}

interface RunningServer {
  readonly guard: ChildProcess;
  /** Resolves with the exit's description, once guard and server have ended. */
  readonly exited: Promise<string>;
  readonly pid: number;
  readonly port: number;
  readonly monitorUrl: string;
}

/** @throws NatsServerFault when the server is missing, too old, or does not start. */
export async function startEmbeddedNats(options: EmbeddedNatsOptions): Promise<EmbeddedNats> {
  const version = await readVersion(options.serverBin);
  const folder = resolve(options.dataDir, 'nats');
  mkdirSync(folder, {recursive: true, mode: 0o700});
  const plan: NatsPlan = {options, folder, version, token: randomBytes(24).toString('base64url')};
  const opening = startServer(plan, -1);
  const first = await promised('nats-server, which opens its store,', opening, {
    logger: options.logger,
    msMax: openingMsMax + monitorMsMax,
  });
  const durability = await readDurability(first.monitorUrl, monitorMsMax).catch(async (cause: Error) => {
    await stopServer(first);
    throw new NatsServerFault(`nats-server does not report whether it syncs: ${cause.message}`, {cause});
  });
  const supervisor = supervise(plan, first);
  return {
    folder,
    address: {servers: [`127.0.0.1:${first.port}`], token: plan.token, storeFolder: folder},
    version,
    durability,
    pid: supervisor.pid,
    writeFault: supervisor.writeFault,
    restarts: supervisor.restarts,
    stop: supervisor.stop,
  };
}

async function readVersion(serverBin: string): Promise<string> {
  if (serverBin === '')
    throw new NatsServerFault(
      `no nats-server: \`${commandLine('serve')}\` finds or fetches one, or set NATS_SERVER_BIN or NATS_URL`,
    );
  const {stdout} = await promisify(execFile)(serverBin, ['--version']).catch((cause: Error) => {
    throw new NatsServerFault(`the nats-server at ${serverBin} does not run: ${cause.message.split('\n')[0]}`, {cause});
  });
  const version = /nats-server: v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined) throw new NatsServerFault(`${serverBin} is not a nats-server`);
  const refusal = versionRefusal(version);
  if (refusal !== undefined) throw new NatsServerFault(`the nats-server at ${serverBin} ${refusal}`);
  return version;
}

// -- one run of the server --------------------------------------------------------------------------------------------

/** `port` -1: any free one. */
async function startServer(plan: NatsPlan, port: number): Promise<RunningServer> {
  const {folder, options} = plan;
  const portsFolder = join(folder, 'ports');
  rmSync(portsFolder, {recursive: true, force: true});
  mkdirSync(portsFolder, {mode: 0o700});
  removeUnfinishedBlocks(folder); // E5
  finishBegunErases(folder, options.logger); // E6
  const configFile = join(folder, 'server.conf');
  // The token is in a file, since every user of the machine can read a command line.
  writeFileSync(configFile, serverConfig(plan, port), {mode: 0o600});

  const complaints = openSync(join(folder, 'server.err'), 'w', 0o600);
  const guard = spawn('/bin/sh', ['-c', guardScript, 'millrace-nats', options.serverBin, configFile], {
    stdio: ['pipe', complaints, complaints],
    detached: true, // Ctrl-C in a terminal is for the service: the server ends after the last write, by E1.
    env: {PATH: '/usr/bin:/bin', ...goMemory(memoryLimitBytes())},
  });
  closeSync(complaints);
  guard.stdin!.on('error', () => {}); // Nothing is written; the end of its reader shows as the exit.
  const exited = once(guard, 'exit').then(([code, signal]) => `${signal ?? `code ${code}`}`);
  options.lock.addHolder(guard.pid!);
  return {guard, exited, ...(await untilListening(plan, portsFolder, guard))};
}

function removeUnfinishedBlocks(folder: string): void {
  const unfinished = readdirSync(folder, {recursive: true, encoding: 'utf8'}).filter((path) =>
    path.endsWith('.blk.tmp'),
  );
  for (const path of unfinished) rmSync(join(folder, path), {force: true});
}

/** Parts that held a deleted user, and salts of visitor ids. */
const streamsWithErases = [...partsBuckets(), 'keys' as const].map(bucketStream);

function finishBegunErases(folder: string, logger: Logger): void {
  let [erased, left] = [0, 0];
  for (const stream of streamsWithErases) {
    const done = finishErases(blocksFolder(folder, stream), stream);
    erased += done.erased;
    left += done.left;
  }
  if (erased > 0) logger.warn({values: erased}, 'finished the erases that a killed nats-server had begun');
  if (left > 0) {
    logger.error(
      {values: left},
      'erases that a killed nats-server had begun cannot be finished: their storage blocks are not in the expected state',
    );
  }
}

/** Time for which nats-server may open a store of that many bytes: it reads all of them where it cannot use its index. */
export const openingMsOf = (bytes: number): number =>
  Math.min(openingMsMax, openingMsMin + Math.round(bytes / openingBytesPerMs));

function bytesUnder(folder: string): number {
  if (!existsSync(folder)) return 0;
  const paths = readdirSync(folder, {recursive: true, encoding: 'utf8'});
  return paths.reduce((sum, path) => sum + (statSync(join(folder, path), {throwIfNoEntry: false})?.size ?? 0), 0);
}

async function untilListening(
  plan: NatsPlan,
  portsFolder: string,
  guard: ChildProcess,
): Promise<{pid: number; port: number; monitorUrl: string}> {
  const msMax = openingMsOf(bytesUnder(join(plan.folder, 'jetstream')));
  const deadlineMs = monotonicMs() + msMax;
  while (guard.exitCode === null && guard.signalCode === null) {
    const listening = readPorts(portsFolder);
    if (listening !== undefined) return listening;
    if (monotonicMs() > deadlineMs) {
      killGroup(guard);
      throw new NatsServerFault(
        `nats-server did not open its store within ${Math.round(msMax / 1_000)} s: read its log (${plan.folder}/server.log) and check the disk; if a file is damaged, restore a backup`,
      );
    }
    await delay(startPollMs);
  }
  throw new NatsServerFault(`nats-server ended during its start: ${lastComplaint(plan.folder)}`);
}

/** The server writes `nats-server_<pid>.ports` once it accepts connections. */
function readPorts(portsFolder: string): {pid: number; port: number; monitorUrl: string} | undefined {
  const name = readdirSync(portsFolder).find((entry) => /^nats-server_\d+\.ports$/.test(entry));
  if (name === undefined) return undefined;
  const text = readFileSync(join(portsFolder, name), 'utf8');
  if (!text.trimEnd().endsWith('}')) return undefined; // The server is still writing it.
  const ports = JSON.parse(text) as {nats: string[]; monitoring: string[]};
  return {
    pid: Number(/\d+/.exec(name)![0]),
    port: Number(new URL(ports.nats[0]!.replace('nats:', 'http:')).port),
    monitorUrl: ports.monitoring[0]!,
  };
}

/** Strings are JSON strings, which the server's configuration language reads in the same way. */
function serverConfig({folder, version, token}: NatsPlan, port: number): string {
  const text = JSON.stringify;
  const syncs = isAtLeast(version, serverVersionSyncAlways);
  return [
    'server_name: millrace',
    `listen: ${text(`127.0.0.1:${port}`)}`,
    `http: ${text('127.0.0.1:-1')}`,
    `authorization { token: ${text(token)} }`,
    `max_payload: ${payloadBytesMax}`,
    `max_pending: ${pendingBytesMax}`,
    `ports_file_dir: ${text(join(folder, 'ports'))}`,
    `log_file: ${text(join(folder, 'server.log'))}`,
    `logfile_size_limit: ${logBytesMax}`,
    // Older servers refuse an unknown word; their log then keeps all its files.
    ...(syncs ? [`logfile_max_num: ${logFilesMax}`] : []),
    'jetstream {',
    `  store_dir: ${text(folder)}`,
    ...(syncs ? ['  sync_interval: always'] : []),
    '}',
    '',
  ].join('\n');
}

function lastComplaint(folder: string): string {
  const lines = ['server.err', 'server.log'].flatMap((name) => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').slice(-20) : [];
  });
  const telling = lines.filter((line) => /\[(FTL|ERR)\]|nats-server:/.test(line)).at(-1);
  return telling?.replace(/^\[\d+\] \S+ \S+ /, '') ?? `see ${join(folder, 'server.log')}`;
}

// -- over all runs ----------------------------------------------------------------------------------------------------

function supervise(
  plan: NatsPlan,
  first: RunningServer,
): Pick<EmbeddedNats, 'pid' | 'writeFault' | 'restarts' | 'stop'> {
  let current: RunningServer | undefined = first;
  let writeFault: string | undefined;
  let restarts = 0;
  const stopping = new AbortController();

  const watching = (async () => {
    let waitMs = restartWaitMsMin;
    while (current !== undefined) {
      const startedMs = monotonicMs();
      const exit = await current.exited;
      killGroup(current.guard); // A killed guard leaves its server running, with the store open.
      if (stopping.signal.aborted) return;
      if (monotonicMs() - startedMs > settledMs) waitMs = restartWaitMsMin;
      plan.options.logger.error({exit, complaint: lastComplaint(plan.folder)}, 'nats-server died: restarting it');
      current = undefined;
      current = await restart(first.port, waitMs);
      restarts += 1;
      waitMs = Math.min(waitMs * 2, restartWaitMsMax);
    }
  })();

  async function restart(port: number, firstWaitMs: number): Promise<RunningServer | undefined> {
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, restartWaitMsMax)) {
      await delay(waitMs, undefined, {signal: stopping.signal}).catch(() => {});
      if (stopping.signal.aborted) return undefined;
      try {
        const server = await startServer(plan, port); // E2
        plan.options.logger.warn({pid: server.pid}, 'nats-server runs again');
        if (stopping.signal.aborted) await stopServer(server);
        return server;
      } catch (cause) {
        plan.options.logger.error(
          {reason: (cause as Error).message},
          'nats-server could not be restarted: trying again',
        );
      }
    }
  }

  // E4
  const watchingStore = watchStore(
    {
      folder: plan.folder,
      monitorUrl: () => current?.monitorUrl,
      onLook(fault) {
        writeFault = fault;
      },
      async onStuck(reason) {
        plan.options.logger.error({reason}, 'nats-server cannot write any more: restarting it');
        if (current !== undefined) await stopServer(current);
      },
      onGivenUp(reason) {
        plan.options.logger.error(
          {alarm: 'store_fault', reason},
          'alarm: nats-server cannot write, and restarts do not help: a file of its store is damaged; check the disk, stop the service and restore a backup',
        );
      },
    },
    stopping.signal,
  );

  return {
    pid: () => current?.pid,
    writeFault: () => writeFault,
    restarts: () => restarts,
    async stop(patienceMs) {
      stopping.abort();
      if (current !== undefined) await stopServer(current, patienceMs);
      await Promise.all([watching, watchingStore]);
    },
  };
}

/** Ends the pipe (E1); kills a server that does not end by itself. */
async function stopServer({guard, exited, pid}: RunningServer, patienceMs = stopMsMax): Promise<void> {
  guard.stdin!.end();
  const killer = setTimeout(() => killGroup(guard), patienceMs);
  await exited;
  clearTimeout(killer);
  // The killed guard may end before the killed server, whose exit nobody then reports.
  const deadlineMs = monotonicMs() + stopMsMax;
  while (isRunning(pid) && monotonicMs() < deadlineMs) await delay(startPollMs);
}

/** The guard leads its own process group, to which the server belongs. */
function killGroup(guard: ChildProcess): void {
  try {
    process.kill(-guard.pid!, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // ESRCH: all of them have ended.
  }
}

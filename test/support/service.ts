// A whole service for integration tests: the compiled program as a child process, on a free port, in its own folder.
// Needs `dist/` and nats-server; `npm test` and the global set-up of vitest see to both.

import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setInterval as every} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {nodeFlags} from '../../src/node-flags.js';

export interface ServiceOptions {
  /** On top of the defaults below: any variable of the configuration. */
  readonly env?: Readonly<Record<string, string>>;
  /** A folder that an earlier service wrote: this one goes on with its data. Default: a new one. */
  readonly dataDir?: string;
  /** `listening`: for one that will not be ready. Default: ready. */
  readonly awaits?: 'ready' | 'listening';
}

export interface Service {
  readonly baseUrl: string;
  /** Where health, metrics and admin routes are: the same, unless ADMIN_PORT is set. */
  readonly adminUrl: string;
  readonly writeKey: string;
  readonly secretKey: string;
  readonly adminToken: string;
  readonly dataDir: string;
  readonly pid: number;
  /** SIGTERM, unless another signal is named; resolves with the exit code. */
  stop(signal?: 'SIGTERM' | 'SIGINT'): Promise<number>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Everything it printed so far, both streams. */
  logs(): string;
}

export const testWriteKey = 'sk_write_testWriteKey0000000001';
export const testSecretKey = 'sk_live_testSecretKey0000000001';
export const testAdminToken = 'admin-token-of-the-tests';

const program = fileURLToPath(new URL('../../dist/service/main.js', import.meta.url));
// Generous: on a loaded machine of two cores a start takes seconds, and a slow start is not what these tests are about.
const startMsMax = 120_000;

const running = new Set<ChildProcess>();
const ownFolders = new Set<string>();
process.once('exit', cleanUp);
// This is how vitest ends a worker whose file is done; without a handler, `exit` would not be emitted.
process.once('SIGTERM', () => {
  cleanUp();
  process.kill(process.pid, 'SIGTERM');
});

function cleanUp(): void {
  for (const child of running) child.kill('SIGKILL');
  for (const {pid} of running) untilGone(pid!);
  for (const folder of ownFolders) {
    killOrphan(folder);
    removeFolder(folder);
    removeFolder(`${folder}-deletions`);
  }
}

/** It may still write into its folder until then. Nobody reaps it any more: what is left of it is a zombie. */
function untilGone(pid: number): void {
  const nobody = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const isGone = () =>
    /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')) && readdirSync(`/proc/${pid}/task`).length === 1;
  for (let turns = 0; turns < 200 && !isGone(); turns++) Atomics.wait(nobody, 0, 0, 10);
}

/** The nats-server of a killed service closes its store by itself: on a busy machine that may take longer than we are here. */
function killOrphan(dataDir: string): void {
  const pid = natsServerPid({dataDir});
  try {
    // Its note stays when it is killed, and another process may have its number by now.
    if (pid !== undefined && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDir))
      process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error; // It is gone.
  }
}

/** Retried: somebody may still be closing files in there. One that cannot be removed fails no test. */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, {recursive: true, force: true, maxRetries: 10, retryDelay: 50});
  } catch (error) {
    process.stderr.write(`${folder} is left behind: ${(error as Error).message}\n`);
  }
}

/** A folder of this test process; it goes when the process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  ownFolders.add(folder);
  return folder;
}

/** Resolves once `/readyz` answers 200; a start that fails throws with everything the service printed. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const dataDir = options.dataDir ?? temporaryFolder();
  mkdirSync(dataDir, {recursive: true});
  // A note that a killed predecessor left behind would name a dead port.
  rmSync(join(dataDir, 'service.json'), {force: true});
  const child = spawn(process.execPath, [...nodeFlags, program], {
    env: serviceEnvironment(dataDir, options.env ?? {}),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const exited = once(child, 'exit').then(([code, signal]) => {
    running.delete(child);
    return (code as number | null) ?? `signal ${signal}`;
  });
  const logs = collectOutput(child);
  const {baseUrl, adminUrl} = await untilReady(child, dataDir, logs, options.awaits === 'listening');
  return {
    baseUrl,
    adminUrl,
    writeKey: testWriteKey,
    secretKey: testSecretKey,
    adminToken: testAdminToken,
    dataDir,
    pid: child.pid!,
    logs,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const code = await exited;
      if (typeof code !== 'number') throw new Error(`the service ended by ${code}\n${logs()}`);
      return code;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function serviceEnvironment(dataDir: string, own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NATS_SERVER_BIN: process.env.NATS_SERVER_BIN,
    ...externalNats(dataDir),
    PORT: '0',
    DATA_DIR: dataDir,
    BOOTSTRAP_WRITE_KEY: testWriteKey,
    BOOTSTRAP_SECRET_KEY: testSecretKey,
    ADMIN_TOKEN: testAdminToken,
    REPORT_REFRESH_SECONDS: '1',
    // Tests ask more often than a client may; those of the limits set their own.
    RATE_LIMIT_EVENTS_PER_SECOND: '0',
    RATE_LIMIT_READS_PER_MINUTE: '0',
    RATE_LIMIT_DELETES_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
    ...own,
  };
}

/**
 * `npm run test:containers` has one NATS server for all services of all tests: TEST_NATS_URL, with `{account}` where each
 * data folder gets an account of its own, numbered by claiming a folder in TEST_NATS_CLAIMS. Otherwise: embedded.
 */
function externalNats(dataDir: string): {NATS_URL?: string} {
  const {TEST_NATS_URL: url, TEST_NATS_CLAIMS: claims} = process.env;
  if (url === undefined || claims === undefined) return {};
  const note = join(dataDir, 'test-nats-account');
  if (!existsSync(note)) writeFileSync(note, `t${claimNumber(claims)}`);
  return {NATS_URL: url.replace('{account}', readFileSync(note, 'utf8'))};
}

function claimNumber(claims: string): number {
  for (let n = 0; ; n++) {
    try {
      mkdirSync(join(claims, String(n))); // Atomic: of two test processes, one goes on to the next number.
      return n;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** False under `npm run test:containers`: no service has a nats-server, or a disk of its own. */
export const hasOwnNats = process.env.TEST_NATS_URL === undefined;

/** Of the nats-server that a running service started, from the file that it writes itself; undefined: it has none. */
export function natsServerPid({dataDir}: Pick<Service, 'dataDir'>): number | undefined {
  const folder = join(dataDir, 'nats', 'ports');
  const name = existsSync(folder) ? readdirSync(folder).find((entry) => entry.endsWith('.ports')) : undefined;
  return name === undefined ? undefined : Number(/\d+/.exec(name)![0]);
}

function collectOutput(child: ChildProcess): () => string {
  let output = '';
  const add = (chunk: string): void => {
    output += chunk;
  };
  child.stdout!.setEncoding('utf8').on('data', add);
  child.stderr!.setEncoding('utf8').on('data', add);
  return () => output;
}

type Addresses = Pick<Service, 'baseUrl' | 'adminUrl'>;

async function untilReady(
  child: ChildProcess,
  dataDir: string,
  logs: () => string,
  isListeningEnough: boolean,
): Promise<Addresses> {
  const deadlineMs = Date.now() + startMsMax;
  for await (const _ of every(25)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the service ended while starting (${child.exitCode ?? child.signalCode}):\n${logs()}`);
    }
    const written = writtenAddresses(dataDir);
    if (written !== undefined && (isListeningEnough || (await isReady(written.adminUrl)))) return written;
    if (Date.now() > deadlineMs) {
      child.kill('SIGKILL');
      throw new Error(`the service was not ready after ${startMsMax} ms:\n${logs()}`);
    }
  }
  throw new Error('unreachable: the interval never ends');
}

function writtenAddresses(dataDir: string): Addresses | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'service.json'), 'utf8')) as Addresses;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function isReady(adminUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${adminUrl}/readyz`, {signal: AbortSignal.timeout(5_000)})).status === 200;
  } catch {
    return false; // Not listening yet: the loop asks again until its deadline.
  }
}

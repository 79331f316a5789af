// A whole service for integration tests: the compiled program as a child process, on a free port, in its own folder.
// Needs `dist/` and nats-server; `npm test` and the global set-up of vitest see to both.

import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {
  type Addresses,
  adminToken,
  natsServerPid,
  type ReadySettings,
  ServiceProcess,
  secretKey,
  sendSignal,
  writeKey,
} from '../../tools/service-process.js';

export {
  adminToken as testAdminToken,
  natsServerPid,
  secretKey as testSecretKey,
  writeKey as testWriteKey,
} from '../../tools/service-process.js';

export interface ServiceOptions extends Pick<ReadySettings, 'awaits'> {
  /** Any variable of the configuration. */
  readonly env?: Readonly<Record<string, string>>;
  /** A folder that an earlier service wrote: this one goes on with its data. Default: a new one. */
  readonly dataDir?: string;
}

export interface Service extends Addresses {
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

const running = new Set<ServiceProcess>();
const ownFolders = new Set<string>();
/** Folder of the service that files of this process share, one after the other; undefined: there is none. */
let sharedFolder: string | undefined;
process.once('exit', () => {
  sharedFolder = undefined;
  cleanUp();
});
// This is how vitest ends a worker whose files are done; `exit` tells all who started programs, which a signal alone does not.
process.once('SIGTERM', () => process.exit(143));

/**
 * Ends what the tests so far started, but for the shared service, and removes their folders: the next file of tests finds the process
 * as a new one would be. `folders`: only what has its data there.
 */
export function cleanUp(folders?: ReadonlySet<string>): void {
  const isLeft = (folder: string): boolean => folder === sharedFolder || folders?.has(folder) === false;
  const ended = [...running].filter(({dataDir}) => !isLeft(dataDir));
  for (const {child} of ended) child.kill('SIGKILL');
  for (const {pid} of ended) untilGone(pid);
  for (const folder of ownFolders) {
    if (isLeft(folder)) continue;
    killOrphan(folder);
    removeFolder(folder);
    removeFolder(`${folder}-deletions`);
    ownFolders.delete(folder);
  }
}

/** Folders of the tests so far. */
export const foldersNow = (): ReadonlySet<string> => new Set(ownFolders);

/** The next files may use the service of this folder, too; undefined: it ends with the next `cleanUp`. */
export function share(folder: string | undefined): void {
  sharedFolder = folder;
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
  // Its file stays when it is killed, and another process may have its number by now.
  if (pid !== undefined && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDir)) sendSignal(pid, 'SIGKILL');
}

/** Retried: somebody may still be closing files in there. One that cannot be removed fails no test. */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, {recursive: true, force: true, maxRetries: 10, retryDelay: 50});
  } catch (error) {
    process.stderr.write(`${folder} is left behind: ${(error as Error).message}\n`);
  }
}

/** A folder of this file of tests; it goes when the file ends. `onDisk`: not in memory (memory-folder.ts). */
export function temporaryFolder({onDisk = false} = {}): string {
  const parent = onDisk ? process.env.TEST_DISK_DIR : undefined;
  const folder = mkdtempSync(join(parent ?? tmpdir(), 'millrace-test-'));
  ownFolders.add(folder);
  return folder;
}

/** Resolves once `/readyz` answers 200; a start that fails throws with everything the service printed. */
export async function startService({
  env,
  dataDir = temporaryFolder(),
  awaits = 'ready',
}: ServiceOptions = {}): Promise<Service> {
  mkdirSync(dataDir, {recursive: true});
  const service = new ServiceProcess({dataDir, env: {...ofThisRun(dataDir), REPORT_REFRESH_SECONDS: '1', ...env}});
  running.add(service);
  void service.ended.then(() => running.delete(service));
  return {
    ...(await service.ready({awaits})),
    writeKey,
    secretKey,
    adminToken,
    dataDir,
    pid: service.pid,
    logs: () => service.output(),
    async stop(signal = 'SIGTERM') {
      const code = await service.end(signal);
      if (typeof code !== 'number') throw new Error(`the service ended by ${code}\n${service.output()}`);
      return code;
    },
    async kill() {
      await service.end('SIGKILL');
    },
  };
}

/** Where a run of all tests has its own NATS server, or its own HTTP server. */
const ofThisRun = (dataDir: string): Readonly<Record<string, string>> => ({
  ...externalNats(dataDir),
  ...(process.env.TEST_HTTP === 'node' && withoutNativeHttp),
});

/** A service that serves HTTP by node:http. With TEST_HTTP=node all services of all tests do. */
export const withoutNativeHttp = {
  NODE_OPTIONS: `--import=${new URL('without-native-http.mjs', import.meta.url).href}`,
};

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

// The compiled service as a child process, for tests, benches and tools.
//   SP1. It ends with the process that started it, however that ends, except by SIGKILL.
//   SP2. It gets no variable of this process's environment except PATH and NATS_SERVER_BIN: a shell's settings change no run.

import {type ChildProcess, type StdioOptions, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {monotonicMs} from '../src/clock.js';
import {readServiceNote} from '../src/data-dir.js';
import {nodeFlags} from '../src/node-flags.js';
import {ask} from './http-client.js';

export const writeKey = 'sk_write_ofTestsAndTools00000001';
export const secretKey = 'sk_live_ofTestsAndTools000000001';
export const adminToken = 'admin-token-of-tests-and-tools';

export interface ServiceSettings {
  readonly dataDir: string;
  /** Variables of the service, in addition to `defaults`: no rate limits, a free port, fixed keys, warnings alone. */
  readonly env?: Readonly<Record<string, string>>;
  readonly defaults?: Readonly<Record<string, string>>;
  /** Default: `output()` keeps both output streams. */
  readonly stdio?: StdioOptions;
  /** Arguments of Node, after the service's own. */
  readonly nodeArguments?: readonly string[];
  /** Words before those of the program, which run it elsewhere, as the same process. Default: none. */
  readonly launcher?: readonly string[];
  /** `modules`: not bundled, so that modules which `nodeArguments` import can replace functions. */
  readonly program?: 'bundle' | 'modules';
}

export interface ReadySettings {
  /** `listening`: for a service that will not be ready. */
  readonly awaits?: 'ready' | 'listening';
  readonly msMax?: number;
}

export interface Addresses {
  readonly baseUrl: string;
  /** Address of health, metrics and admin routes: equal to `baseUrl` unless ADMIN_PORT is set. */
  readonly adminUrl: string;
}

const standardEnvironment = {
  PORT: '0',
  BOOTSTRAP_WRITE_KEY: writeKey,
  BOOTSTRAP_SECRET_KEY: secretKey,
  ADMIN_TOKEN: adminToken,
  RATE_LIMIT_EVENTS_PER_SECOND: '0',
  RATE_LIMIT_READS_PER_MINUTE: '0',
  RATE_LIMIT_DELETES_PER_SECOND: '0',
  LOG_LEVEL: 'warn',
};

// A start takes seconds on a busy machine; one that hangs still ends.
const readyMsMax = 120_000;
const pollMs = 25;
const outputCharactersMax = 10_000_000;

/** The nearest folder above that has a build: this file runs from its source, from `dist`, and from a bundle. */
function distFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'dist/service/main.js'))) return join(folder, 'dist');
    if (folder === dirname(folder)) throw new Error('there is no dist/service: npm run build');
  }
}

const programs = {bundle: 'service/main.js', modules: 'src/main.js'};

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL'); // SP1
});

export class ServiceProcess {
  readonly dataDir: string;
  readonly child: ChildProcess;
  /** Resolves with the exit code, or with the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  private printed = '';

  /** Starts it. A caller that needs an answer from it waits for `ready`. */
  constructor({
    dataDir,
    env = {},
    defaults = standardEnvironment,
    stdio,
    nodeArguments = [],
    program = 'bundle',
    launcher = [],
  }: ServiceSettings) {
    this.dataDir = dataDir;
    const {PATH, NATS_SERVER_BIN} = process.env; // SP2
    const words = [
      ...launcher,
      process.execPath,
      ...nodeFlags,
      ...nodeArguments,
      join(distFolder(), programs[program]),
    ];
    this.child = spawn(words[0]!, words.slice(1), {
      env: {PATH, NATS_SERVER_BIN, ...defaults, ...env, DATA_DIR: dataDir},
      stdio: stdio ?? ['ignore', 'pipe', 'pipe'],
    });
    running.add(this.child);
    this.ended = once(this.child, 'exit').then(([code, signal]) => {
      running.delete(this.child);
      return (code ?? signal) as number | NodeJS.Signals;
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.printed = (this.printed + text).slice(-outputCharactersMax);
      });
    }
  }

  get pid(): number {
    return this.child.pid!;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Everything that it printed, both streams. */
  output(): string {
    return this.printed;
  }

  /** Resolves once `/readyz` answers 200. @throws with its output when it ends before; kills it when it takes too long. */
  async ready({awaits = 'ready', msMax = readyMsMax}: ReadySettings = {}): Promise<Addresses> {
    const deadlineMs = monotonicMs() + msMax;
    while (this.isRunning) {
      const note = readServiceNote(this.dataDir);
      const isOwn = note?.pid === this.pid; // A killed service leaves its note.
      if (isOwn && (awaits === 'listening' || (await isReady(note.adminUrl))))
        return {baseUrl: note.baseUrl, adminUrl: note.adminUrl};
      if (monotonicMs() > deadlineMs) {
        await this.end('SIGKILL');
        throw new Error(`the service was not ready after ${msMax / 1_000} s:\n${this.output()}`);
      }
      await pause(pollMs);
    }
    throw new Error(`the service ended while starting (${await this.ended}):\n${this.output()}`);
  }

  /** SIGTERM and SIGINT drain it; resolves with how it ended. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | NodeJS.Signals> {
    if (this.isRunning) this.child.kill(signal);
    return this.ended;
  }
}

/** Pid of the nats-server that a service on this folder started; undefined while none runs. */
export function natsServerPid({dataDir}: Pick<ServiceSettings, 'dataDir'>): number | undefined {
  const folder = join(dataDir, 'nats', 'ports');
  if (!existsSync(folder)) return undefined;
  // A killed server leaves its file.
  const pids = readdirSync(folder).map((name) => Number(/^nats-server_(\d+)\.ports$/.exec(name)?.[1]));
  return pids.find((pid) => pid > 0 && sendSignal(pid, 0));
}

/** False when there is no such process. */
export function sendSignal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

async function isReady(adminUrl: string): Promise<boolean> {
  try {
    return (await ask(`${adminUrl}/readyz`, {silentMsMax: 5_000})).status === 200;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false; // The service does not listen yet.
    throw error;
  }
}

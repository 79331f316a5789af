// The real program under a supervisor, killed and started again on one port and folder; and the nats-server that it starts.

import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, mkdirSync, openSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {nodeFlags} from '../../src/node-flags.js';
import type {Keys} from './sender.js';

export interface ServiceOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly keys: Keys;
  /** Gets what the service prints, over all its starts. */
  readonly logPath: string;
  readonly env: Readonly<Record<string, string>>;
}

const program = fileURLToPath(new URL('../../service/main.js', import.meta.url));
const stopMsMax = 35_000;
const pollMs = 10;

// However the tool ends, what it started ends with it.
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export class SupervisedService {
  /** How it ended when nobody had asked it to. */
  readonly ownEnds: string[] = [];
  private child: ChildProcess | undefined;
  private exited: Promise<void> = Promise.resolve();

  constructor(readonly options: ServiceOptions) {}

  start(): void {
    const {dataDir, logPath} = this.options;
    mkdirSync(dataDir, {recursive: true});
    const log = openSync(logPath, 'a');
    const child = spawn(process.execPath, [...nodeFlags, program], {
      env: this.environment(),
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.child = child;
    running.add(child);
    this.exited = once(child, 'exit').then(([code, signal]) => {
      running.delete(child);
      if (this.child === child) this.ownEnds.push(`${signal ?? `code ${code}`}`);
    });
  }

  private environment(): NodeJS.ProcessEnv {
    const {dataDir, port, keys, env} = this.options;
    return {
      PATH: process.env.PATH,
      NATS_SERVER_BIN: process.env.NATS_SERVER_BIN,
      DATA_DIR: dataDir,
      PORT: String(port),
      BOOTSTRAP_WRITE_KEY: keys.write,
      BOOTSTRAP_SECRET_KEY: keys.secret,
      RATE_LIMIT_EVENTS_PER_SECOND: '0',
      RATE_LIMIT_READS_PER_MINUTE: '0',
      RATE_LIMIT_DELETES_PER_SECOND: '0',
      REPORT_REFRESH_SECONDS: '1',
      MEMORY_CACHE_MIB: '32',
      LOG_LEVEL: 'warn',
      ...env,
    };
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  get pid(): number {
    return this.child!.pid!;
  }

  /** SIGKILL; resolves when the process is gone. Its nats-server notices and closes by itself. */
  async kill(): Promise<void> {
    const {child, exited} = this;
    if (child === undefined) return;
    this.child = undefined;
    child.kill('SIGKILL');
    await exited;
  }

  /** SIGKILL for both: nobody gets to close anything. */
  async killAll(): Promise<void> {
    const nats = this.natsPid();
    if (nats !== undefined) signal(nats, 'SIGKILL');
    await this.kill();
  }

  /** SIGTERM; resolves with words about the exit. */
  async stop(): Promise<string> {
    const {child} = this;
    if (child === undefined) return 'was not running';
    const exit = once(child, 'exit');
    this.child = undefined;
    if (child.exitCode !== null || child.signalCode !== null) return 'had ended before';
    child.kill('SIGTERM');
    const killer = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
    const [code, by] = await exit;
    clearTimeout(killer);
    return `${by ?? `code ${code}`}`;
  }

  /** The end of what it printed. */
  lastWords(): string {
    return readFileSync(this.options.logPath, 'utf8').trimEnd().split('\n').slice(-3).join(' | ');
  }

  /** A supervisor's part: a service that ended by itself is started again. */
  revive(): void {
    if (!this.isRunning) this.start();
  }

  /** Of the embedded nats-server that accepts connections now; it says so by a file of its own. */
  natsPid(): number | undefined {
    try {
      const names = readdirSync(join(this.options.dataDir, 'nats', 'ports'));
      const pids = names.map((name) => Number(/^nats-server_(\d+)\.ports$/.exec(name)?.[1]));
      return pids.find((pid) => pid > 0 && signal(pid, 0));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Resolves with the pid of a nats-server other than `old`; undefined when none comes up in time. */
  async nextNatsPid(old: number | undefined, msMax: number): Promise<number | undefined> {
    const deadlineMs = performance.now() + msMax;
    while (performance.now() < deadlineMs) {
      const pid = this.natsPid();
      if (pid !== undefined && pid !== old) return pid;
      await delay(pollMs);
    }
    return undefined;
  }
}

/** False when there is no such process (any more). */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

// The real program under a supervisor, killed and restarted on one port and folder, with the nats-server that it starts.

import {closeSync, mkdirSync, openSync, readFileSync} from 'node:fs';
import {setTimeout as delay} from 'node:timers/promises';
import {natsServerPid, ServiceProcess, sendSignal} from '../service-process.js';
import type {Keys} from './sender.js';

export interface ServiceOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly keys: Keys;
  /** File of the output of all its starts. */
  readonly logPath: string;
  readonly env: Readonly<Record<string, string>>;
  /** Words before those of the program (tools/chaos/hosts.ts). */
  readonly launcher?: readonly string[];
}

const stopMsMax = 35_000;
const pollMs = 10;
/** A busy machine may take as long to load the program. Until then a signal ends it as it ends any program. */
const loadMsMax = 20_000;

export class SupervisedService {
  /** Exits that this run did not cause. */
  readonly ownEnds: string[] = [];
  private process: ServiceProcess | undefined;
  private startedMs = 0;

  constructor(readonly options: ServiceOptions) {}

  start(): void {
    const {dataDir, port, keys, env, logPath, launcher = []} = this.options;
    mkdirSync(dataDir, {recursive: true});
    const log = openSync(logPath, 'a');
    const started = new ServiceProcess({
      dataDir,
      env: {
        PORT: String(port),
        BOOTSTRAP_WRITE_KEY: keys.write,
        BOOTSTRAP_SECRET_KEY: keys.secret,
        REPORT_REFRESH_SECONDS: '1',
        MEMORY_CACHE_MIB: '32',
        ...env,
      },
      stdio: ['ignore', log, log],
      launcher,
    });
    closeSync(log);
    this.process = started;
    this.startedMs = performance.now();
    void started.ended.then((how) => {
      if (this.process === started) this.ownEnds.push(wordsOf(how));
    });
  }

  get isRunning(): boolean {
    return this.process?.isRunning === true;
  }

  get pid(): number {
    return this.process!.pid;
  }

  /** SIGKILL; resolves when the process has ended. Its nats-server notices and closes by itself. */
  async kill(): Promise<void> {
    const ending = this.process;
    this.process = undefined;
    await ending?.end('SIGKILL');
  }

  /** SIGKILL for both: neither closes anything. */
  async killAll(): Promise<void> {
    const nats = this.natsPid();
    if (nats !== undefined) sendSignal(nats, 'SIGKILL');
    await this.kill();
  }

  /** SIGTERM; resolves with a description of the exit. */
  async stop(): Promise<string> {
    const ending = this.process;
    this.process = undefined;
    if (ending === undefined) return 'was not running';
    if (!ending.isRunning) return 'had ended before';
    const mayBeLoading = performance.now() - this.startedMs < loadMsMax;
    const killer = setTimeout(() => void ending.end('SIGKILL'), stopMsMax);
    const how = await ending.end('SIGTERM');
    clearTimeout(killer);
    return how === 'SIGTERM' && mayBeLoading ? 'had not begun' : wordsOf(how);
  }

  /** The end of its output. */
  lastWords(): string {
    return readFileSync(this.options.logPath, 'utf8').trimEnd().split('\n').slice(-3).join(' | ');
  }

  /** Restarts a service that ended by itself, as a supervisor would. */
  revive(): void {
    if (!this.isRunning) this.start();
  }

  /** Pid of the embedded nats-server that accepts connections now. */
  natsPid(): number | undefined {
    return natsServerPid(this.options);
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

const wordsOf = (how: number | NodeJS.Signals): string => (typeof how === 'number' ? `code ${how}` : how);

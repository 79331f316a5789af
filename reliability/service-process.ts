// The compiled service as a child process on a data folder that outlives it.
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {monotonicMs} from '../src/clock.js';
import {nodeFlags} from '../src/node-flags.js';

const program = fileURLToPath(new URL('../service/main.js', import.meta.url));
const readyMsMax = 120_000;
const pollMs = 50;

export const writeKey = 'sk_write_reliabilityWriteKey0001';
export const secretKey = 'sk_live_reliabilitySecretKey0001';

export class ServiceProcess {
  readonly baseUrl: string;
  readonly pid: number;
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess, baseUrl: string) {
    this.child = child;
    this.baseUrl = baseUrl;
    this.pid = child.pid as number;
  }

  /** Resolves when /readyz says so. */
  static async start(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
    const {PATH, NATS_SERVER_BIN} = process.env;
    const serviceFile = join(dataDir, 'service.json');
    rmSync(serviceFile, {force: true});
    const child = spawn(process.execPath, [...nodeFlags, program], {
      env: {
        PATH,
        NATS_SERVER_BIN,
        PORT: '0',
        REPORT_REFRESH_SECONDS: '300',
        DATA_DIR: dataDir,
        BOOTSTRAP_WRITE_KEY: writeKey,
        BOOTSTRAP_SECRET_KEY: secretKey,
        ADMIN_TOKEN: 'admin-token-of-the-reliability-tools',
        RATE_LIMIT_EVENTS_PER_SECOND: '0',
        RATE_LIMIT_READS_PER_MINUTE: '0',
        RATE_LIMIT_DELETES_PER_SECOND: '0',
        LOG_LEVEL: 'warn',
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let printed = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-10_000);
    });
    const endMs = monotonicMs() + readyMsMax;
    while (monotonicMs() < endMs && child.exitCode === null) {
      const baseUrl = readBaseUrl(serviceFile);
      if (baseUrl !== undefined && (await answers(`${baseUrl}/readyz`))) return new ServiceProcess(child, baseUrl);
      await pause(pollMs);
    }
    child.kill('SIGKILL');
    throw new Error(`the service did not become ready:\n${printed}`);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** SIGTERM (it drains) or SIGKILL; resolves with the exit code when it is gone, null when a signal ended it. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (!this.isRunning) return this.child.exitCode;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    await exited;
    return this.child.exitCode;
  }
}

function readBaseUrl(path: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as {baseUrl: string}).baseUrl;
  } catch {
    return undefined; // Not written yet, or half written.
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).status === 200;
  } catch {
    return false;
  }
}

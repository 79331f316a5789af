// The service of a demo: the program that `npm start` runs, as a child that shares the terminal, on a folder of its own.
//   DS1. Nothing of what the environment says about where data is kept reaches it: a demo writes into no real deployment.
//   DS2. The folder goes when the service has ended.
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {monotonicMs} from '../../src/clock.js';
import {readServiceNote} from '../../src/data-dir.js';
import {nodeFlags} from '../../src/node-flags.js';

const program = fileURLToPath(new URL('../../service/main.js', import.meta.url));
const readyMsMax = 120_000;
const pollMs = 50;

/** DS1 */
const ofDeployments =
  /^(DATA_DIR|DELETIONS_DIR|NATS_(?!SERVER_BIN).*|ROLES|REPLICAS|PARTITIONS|ADMIN_PORT|(BOOTSTRAP|ADMIN)_.*(KEY|TOKEN)(_FILE)?)$/;

export class DemoService {
  readonly folder: string;
  readonly dataDir: string;
  private readonly child: ChildProcess;
  /** Resolves with how it ended. */
  readonly ended: Promise<string>;

  /** Prints what `npm start` prints, where this process prints. */
  constructor(environment: NodeJS.ProcessEnv) {
    this.folder = mkdtempSync(join(tmpdir(), 'millrace-demo-'));
    this.dataDir = join(this.folder, 'data');
    const inherited = Object.entries(environment).filter(([name]) => !ofDeployments.test(name));
    this.child = spawn(process.execPath, [...nodeFlags, program], {
      env: {
        PORT: '0',
        REPORT_REFRESH_SECONDS: '5',
        LOG_LEVEL: 'warn',
        ...Object.fromEntries(inherited),
        DATA_DIR: this.dataDir,
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    this.ended = once(this.child, 'exit').then(([code, signal]) => `${code === null ? signal : `code ${code}`}`);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves with its address when it is ready. @throws when it ends before. */
  async ready(): Promise<string> {
    const endMs = monotonicMs() + readyMsMax;
    while (this.isRunning && monotonicMs() < endMs) {
      const note = readServiceNote(this.dataDir);
      if (note !== undefined && (await isReady(note.adminUrl))) return note.baseUrl;
      await pause(pollMs);
    }
    throw new Error('the service did not become ready');
  }

  /** It finishes what it took. DS2 */
  async end(): Promise<void> {
    if (this.isRunning) this.child.kill('SIGTERM');
    await this.ended;
    rmSync(this.folder, {recursive: true, force: true, maxRetries: 10, retryDelay: 100});
  }
}

async function isReady(adminUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${adminUrl}/readyz`)).status === 200;
  } catch {
    return false;
  }
}

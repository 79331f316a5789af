// The service of a demo: the program that `npm start` runs, as a child that shares the terminal, with its own folder.
//   DS1. It gets no variable about the place of data: a demo never writes into a real deployment.
//   DS2. The folder is removed after the service has ended.
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {ServiceProcess} from '../service-process.js';

/** Variables that it does not get. DS1 */
const ofDeployments =
  /^(DATA_DIR|DELETIONS_DIR|NATS_(?!SERVER_BIN).*|ROLES|REPLICAS|PARTITIONS|ADMIN_PORT|(BOOTSTRAP|ADMIN)_.*(KEY|TOKEN)(_FILE)?)$/;

export const startedWith = {PORT: '0', REPORT_REFRESH_SECONDS: '5', LOG_LEVEL: 'warn'};

/** The environment of a demo's services. DS1 */
export function withoutDeployment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const inherited = Object.entries(environment).filter(([name]) => !ofDeployments.test(name));
  return Object.fromEntries(inherited as [string, string][]);
}

export class DemoService {
  readonly folder: string;
  private readonly service: ServiceProcess;

  /** Prints the output of `npm start`. */
  constructor(environment: NodeJS.ProcessEnv) {
    this.folder = mkdtempSync(join(tmpdir(), 'millrace-demo-'));
    this.service = new ServiceProcess({
      dataDir: join(this.folder, 'data'),
      defaults: startedWith,
      env: withoutDeployment(environment),
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  }

  get dataDir(): string {
    return this.service.dataDir;
  }

  get isRunning(): boolean {
    return this.service.isRunning;
  }

  /** Resolves with a description of its end. */
  get ended(): Promise<string> {
    return this.service.ended.then((how) => (typeof how === 'number' ? `code ${how}` : how));
  }

  /** Resolves when it is ready. @throws when it ends before. */
  async ready(): Promise<void> {
    await this.service.ready();
  }

  /** Stops it; it finishes the requests that it took. DS2 */
  async end(): Promise<void> {
    await this.service.end('SIGTERM');
    rmSync(this.folder, {recursive: true, force: true, maxRetries: 10, retryDelay: 100});
  }
}

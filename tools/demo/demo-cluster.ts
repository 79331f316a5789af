// A deployment of many processes on this machine: three nats-servers of which each stores everything, and roles in processes of their
// own.
//   DC1. The folder of all of them is removed after the last one has ended.
//   DC2. A process that ends without being asked ends the demo.
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../src/clock.js';
import {freePort} from '../chaos/free-port.js';
import {NatsCluster} from '../chaos/nats-cluster.js';
import {isWhole} from '../chaos/whole-cluster.js';
import {ServiceProcess} from '../service-process.js';
import {startedWith, withoutDeployment} from './demo-service.js';

const natsServers = [1, 2, 3];
/** Processes by name, with the roles of each. */
const kinds = [
  {kind: 'worker', roles: 'partition', count: 3},
  {kind: 'report', roles: 'report,deliver', count: 2},
  {kind: 'edge', roles: 'edge', count: 2},
];
/** Two for each worker. */
const partitions = 6;
const pollMs = 100;
const readyMsMax = 120_000;

/** A process of the deployment that can be killed, by the name that is shown. */
export interface Killable {
  readonly name: string;
  /** kill -9 */
  kill(): Promise<void>;
  /** Resolves when it does its work again. */
  startAgain(): Promise<void>;
}

export class DemoCluster {
  readonly baseUrls: readonly string[];
  readonly processes: readonly Killable[];
  /** DATA_DIR of the first edge, for commands. */
  readonly dataDir: string;
  /** Resolves with a description of the first end that nobody asked for. DC2 */
  readonly ended: Promise<string>;
  /** False behind such an end. */
  isRunning = true;

  private constructor(
    readonly folder: string,
    private readonly nats: NatsCluster,
    private readonly members: readonly Member[],
  ) {
    const edges = members.filter(({baseUrl}) => baseUrl !== undefined);
    this.baseUrls = edges.map(({baseUrl}) => baseUrl!);
    this.dataDir = edges[0]!.dataDir;
    const servers = natsServers.map((number, i) => ({
      name: `nats-server ${number}`,
      kill: () => nats.end([i], 'kill'),
      startAgain: async () => {
        await nats.startAgain([i]);
        await until(`nats-server ${number} has what the others have`, () => isWhole(nats.urls));
      },
    }));
    this.processes = [...servers, ...members];
    this.ended = Promise.race(members.map(({lost}) => lost)).then((how) => {
      this.isRunning = false;
      return how;
    });
  }

  /** Starts all of them. The first edge prints what `npm start` prints. */
  static async start(environment: NodeJS.ProcessEnv): Promise<DemoCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-demo-'));
    const stores = natsServers.map((number) => join(folder, `nats-${number}`, 'store'));
    let nats: NatsCluster;
    try {
      nats = await NatsCluster.start(folder, stores);
    } catch (error) {
      rmSync(folder, {recursive: true, force: true});
      throw error;
    }
    const shared = {...withoutDeployment(environment), ...nats.env, PARTITIONS: `${partitions}`};
    const members: Member[] = [];
    for (const {kind, roles, count} of kinds) {
      for (let number = 1; number <= count; number++) {
        const isFirstEdge = kind === 'edge' && number === 1;
        const port =
          kind !== 'edge' ? undefined : ((isFirstEdge ? environment.PORT : undefined) ?? `${await freePort()}`);
        const env = {...shared, ROLES: roles, ...(port === undefined ? {} : {PORT: port})};
        members.push(new Member(`${kind} ${number}`, join(folder, `${kind}-${number}`), env, port, isFirstEdge));
      }
    }
    return new DemoCluster(folder, nats, members);
  }

  /** Resolves when all of them are ready. @throws when one ends before. */
  async ready(): Promise<void> {
    await Promise.all(this.members.map((member) => member.ready()));
  }

  /** Stops all of them. DC1 */
  async end(): Promise<void> {
    await Promise.all(this.members.map((member) => member.end()));
    await this.nats.stop();
    rmSync(this.folder, {recursive: true, force: true, maxRetries: 10, retryDelay: 100});
  }
}

/** A process of Millrace, and those that follow it on its folder. */
class Member implements Killable {
  readonly baseUrl: string | undefined;
  readonly lost: Promise<string>;
  private process: ServiceProcess;
  private isAsked = false;
  private tellLost!: (how: string) => void;

  constructor(
    readonly name: string,
    readonly dataDir: string,
    private readonly env: Readonly<Record<string, string>>,
    port: string | undefined,
    private readonly isShown: boolean,
  ) {
    this.baseUrl = port === undefined ? undefined : `http://127.0.0.1:${port}`;
    this.lost = new Promise((resolve) => (this.tellLost = resolve));
    this.process = this.start();
  }

  async ready(): Promise<void> {
    if (this.baseUrl !== undefined) await this.process.ready();
    // A process that does not listen says so in its log alone.
    else await until(`${this.name} is ready`, () => this.process.output().includes('"msg":"ready"'));
  }

  async kill(): Promise<void> {
    this.isAsked = true;
    await this.process.end('SIGKILL');
  }

  async startAgain(): Promise<void> {
    this.isAsked = false;
    this.process = this.start();
    await this.ready();
  }

  async end(): Promise<void> {
    this.isAsked = true;
    await this.process.end('SIGTERM');
  }

  private start(): ServiceProcess {
    const process = new ServiceProcess({
      dataDir: this.dataDir,
      // What the kills bring about is no news.
      defaults: {...startedWith, LOG_LEVEL: 'fatal'},
      env: this.baseUrl === undefined ? {...this.env, LOG_LEVEL: 'info'} : this.env,
      ...(this.isShown ? {stdio: ['ignore', 'inherit', 'inherit']} : {}),
    });
    void process.ended.then((how) => {
      const code = typeof how === 'number' ? `code ${how}` : how;
      if (!this.isAsked) this.tellLost(`${this.name}, ${code}\n${process.output()}`);
    });
    return process;
  }
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = monotonicMs() + readyMsMax;
  while (!(await isSo())) {
    if (monotonicMs() > deadlineMs) throw new Error(`not within ${readyMsMax / 1_000} s: ${what}`);
    await pause(pollMs);
  }
}

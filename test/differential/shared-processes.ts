// A deployment of many processes on one NATS: three that fold, two that answer reports and share each question, an edge.
import {connect, type NatsConnection} from 'nats';
import {expect} from 'vitest';
import {ServiceProcess} from '../../tools/service-process.js';
import {ExternalNats} from '../support/external-nats.js';
import {type Service, startService, temporaryFolder} from '../support/service.js';

const workersCount = 3;
const reportersCount = 2;

export class SharedProcesses {
  /** Members that were asked for shares. */
  readonly asked = new Set<string>();

  private constructor(
    private readonly env: Readonly<Record<string, string>>,
    private readonly nats: ExternalNats,
    private readonly nc: NatsConnection,
    readonly edge: Service,
    private readonly workers: ServiceProcess[],
    private readonly reporters: ServiceProcess[],
  ) {
    nc.subscribe('ask.partial.*', {callback: (_, {subject}) => void this.asked.add(subject)});
  }

  static async start(settings: Readonly<Record<string, string>>): Promise<SharedProcesses> {
    const nats = await ExternalNats.start();
    const env = {REPORT_REFRESH_SECONDS: '1', ...settings, NATS_URL: nats.url};
    const start = (role: string): ServiceProcess =>
      new ServiceProcess({dataDir: temporaryFolder(), env: {...env, ROLES: role}});
    const workers = Array.from({length: workersCount}, () => start('partition'));
    const reporters = Array.from({length: reportersCount}, () => start('report'));
    const edge = await startService({env: {...env, ROLES: 'edge'}});
    const nc = await connect({servers: nats.url});
    return new SharedProcesses(env, nats, nc, edge, workers, reporters);
  }

  /** What is no question harms nobody. */
  async sendGarbage(): Promise<void> {
    for (const subject of this.asked)
      for (const garbage of ['', '\xc1', '{}']) {
        this.nc.publish(subject, garbage);
        this.nc.publish(subject, garbage, {reply: 'nowhere'});
      }
    await this.nc.flush();
  }

  /** Kills one that folds, which starts again on its folder, and one that answers reports, which does not: one is left alone. */
  async killSome(): Promise<void> {
    const {workers, reporters} = this;
    const worker = workers.shift()!;
    const reporter = reporters.length > 1 ? reporters.shift() : undefined;
    await Promise.all([worker.end('SIGKILL'), reporter?.end('SIGKILL')]);
    workers.push(new ServiceProcess({dataDir: worker.dataDir, env: {...this.env, ROLES: 'partition'}}));
  }

  async stop(): Promise<void> {
    await this.nc.close();
    expect(await this.edge.stop()).toBe(0);
    const ends = [...this.workers, ...this.reporters].map((each) => each.end('SIGTERM'));
    expect(await Promise.all(ends)).toEqual(ends.map(() => 0));
    await this.nats.stop();
  }

  /** For the end of a failed run, too. */
  async abandon(): Promise<void> {
    await Promise.all([this.edge.kill(), ...[...this.workers, ...this.reporters].map((each) => each.end('SIGKILL'))]);
    await this.nc.close();
    await this.nats.stop();
  }
}

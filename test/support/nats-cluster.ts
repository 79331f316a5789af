// Three nats-servers as one cluster, as an operator configures them: what a majority of them has is stored.
import {jetstreamManager} from '@nats-io/jetstream';
import {connectNats} from '../../src/nats/client/connection.js';
import {clusterLines} from '../../tools/chaos/cluster-lines.js';
import {isWhole} from '../../tools/chaos/whole-cluster.js';
import {ExternalNats, type ExternalNatsOptions, monitored} from './external-nats.js';
import {until} from './until.js';

export class NatsCluster {
  private constructor(
    readonly servers: readonly ExternalNats[],
    private readonly options: readonly ExternalNatsOptions[],
  ) {}

  static async start(): Promise<NatsCluster> {
    const options = (await clusterLines()).map((lines, server) => {
      const own = monitored(server);
      return {...own, lines: [...own.lines, ...lines], jetstream: 'sync_interval: always'};
    });
    const servers: ExternalNats[] = [];
    for (const each of options) servers.push(await ExternalNats.start(each));
    const cluster = new NatsCluster(servers, options);
    await cluster.untilWhole();
    return cluster;
  }

  get url(): string {
    return this.servers.map(({url}) => url).join(',');
  }

  kill(server: number): Promise<void> {
    return this.servers[server]!.kill();
  }

  startAgain(server: number): Promise<void> {
    return this.servers[server]!.startAnew(this.options[server]);
  }

  /** A power cut of it takes the last two minutes. */
  startWithoutSync(server: number): Promise<void> {
    return this.servers[server]!.startAnew({...this.options[server], jetstream: ''});
  }

  /** Connections to it stay, and nothing is answered. */
  freeze(server: number): Promise<void> {
    return this.servers[server]!.halt();
  }

  thaw(server: number): void {
    this.servers[server]!.goOn();
  }

  /** The number of the server that takes what is written to it. */
  async leaderOf(stream: string): Promise<number> {
    const nc = await connectNats({servers: this.servers.map(({url}) => url)}, 'test');
    try {
      const {cluster} = await (await jetstreamManager(nc)).streams.info(stream);
      return Number(/^server-(\d)$/.exec(cluster!.leader!)![1]);
    } finally {
      await nc.close();
    }
  }

  /** Every stream has a leader, and followers that have what it has. */
  async untilWhole(): Promise<void> {
    const urls = this.servers.map(({url}) => url);
    await until('every server of the cluster has everything', () => isWhole(urls));
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}

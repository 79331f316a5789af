// Three nats-servers of the run as one cluster, for nemeses that end them.

import {join} from 'node:path';
import {clusterLines, clusterSize} from './cluster-lines.js';
import {freePort} from './free-port.js';
import {type Host, loopback} from './hosts.js';
import {NatsProcess} from './nats-process.js';

interface Place {
  readonly folder: string;
  readonly storeDir: string;
  readonly port: number;
  readonly lines: readonly string[];
  readonly monitorPort: number;
  readonly host: Host;
}

export class NatsCluster {
  private constructor(
    private readonly places: readonly Place[],
    private readonly servers: NatsProcess[],
  ) {}

  /** `storeDirs` and `hosts`: one for each server. */
  static async start(
    folder: string,
    storeDirs: readonly string[],
    hosts: readonly Host[] = storeDirs.map(() => loopback),
  ): Promise<NatsCluster> {
    // Clients know the addresses that they were given, and no others: a nemesis puts proxies there.
    const places = (await clusterLines(', no_advertise: true', hosts)).map(async (lines, i) => {
      const monitorPort = await freePort();
      return {
        folder: join(folder, `nats-${i}`),
        storeDir: storeDirs[i]!,
        port: await freePort(),
        lines: [...lines, `http: ${hosts[i]!.address}:${monitorPort}`],
        monitorPort,
        host: hosts[i]!,
      };
    });
    const settled = await Promise.all(places);
    return new NatsCluster(settled, await Promise.all(settled.map(startIn)));
  }

  get urls(): readonly string[] {
    return this.places.map(({port, host}) => `nats://${host.address}:${port}`);
  }

  /** Environment of a service that stores every message on all of them. */
  get env(): Readonly<Record<string, string>> {
    const monitors = this.places.map(({monitorPort, host}) => `http://${host.address}:${monitorPort}`);
    return {
      NATS_URL: this.urls.join(','),
      NATS_MONITOR_URL: monitors.join(','),
      REPLICAS: `${clusterSize}`,
      PARTITIONS: '2',
    };
  }

  signal(server: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.servers[server]!.signal(signal);
  }

  async end(which: readonly number[], how: 'kill' | 'stop'): Promise<void> {
    await Promise.all(which.map((server) => this.servers[server]![how]()));
  }

  async startAgain(which: readonly number[]): Promise<void> {
    for (const server of which) this.servers[server] = await startIn(this.places[server]!);
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}

const startIn = ({port, lines, ...place}: Place): Promise<NatsProcess> =>
  NatsProcess.start(place, port, 'always', lines);

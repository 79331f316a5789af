// A cluster of three nats-servers with REPLICAS=3: one or two of them are killed, ended or frozen, and the service is killed,
// now and then while one of them is silent.

import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {Random} from '../../../test/differential/random.js';
import {clusterLines, clusterSize} from '../cluster-lines.js';
import {freePort} from '../free-port.js';
import {NatsProcess} from '../nats-process.js';
import type {Nemesis, Stage} from '../nemesis.js';

// Longer than an election takes, which is up to nine seconds, so that both sides of it are met.
const awayMsMax = 12_000;
const shortlyAwayMsMax = 1_500;

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly lines: readonly string[];
}

export class Cluster implements Nemesis {
  readonly strikes = {min: 1, max: 2};
  private places: readonly Place[] = [];
  private servers: NatsProcess[] = [];

  async prepare(folder: string) {
    const servers = (await clusterLines()).map(async (lines, i) => ({
      folder: join(folder, `nats-${i}`),
      port: await freePort(),
      lines,
    }));
    this.places = await Promise.all(servers);
    this.servers = await Promise.all(this.places.map(startIn));
    const urls = this.places.map(({port}) => `nats://127.0.0.1:${port}`);
    return {dataDir: join(folder, 'data'), env: {NATS_URL: urls.join(','), REPLICAS: '3', PARTITIONS: '2'}};
  }

  async strike({service}: Stage, random: Random): Promise<void> {
    const ms = random.between(50, random.chance(0.5) ? awayMsMax : shortlyAwayMsMax);
    const one = random.between(0, clusterSize - 1);
    const what = random.pick(['kill', 'end', 'freeze', 'kill two', 'kill the service beside a frozen one'] as const);
    if (what === 'kill two') await this.away([one, (one + 1) % clusterSize], 'kill', ms);
    else if (what === 'kill' || what === 'end') await this.away([one], what === 'kill' ? 'kill' : 'stop', ms);
    else {
      this.servers[one]!.signal('SIGSTOP');
      if (what !== 'freeze') {
        await service.kill();
        service.start();
      }
      await delay(ms);
      this.servers[one]!.signal('SIGCONT');
    }
  }

  private async away(which: readonly number[], how: 'kill' | 'stop', ms: number): Promise<void> {
    await Promise.all(which.map((i) => this.servers[i]![how]()));
    await delay(ms);
    for (const i of which) this.servers[i] = await startIn(this.places[i]!);
  }

  async finish(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}

const startIn = ({folder, port, lines}: Place): Promise<NatsProcess> =>
  NatsProcess.start({folder, storeDir: join(folder, 'store')}, port, 'always', lines);

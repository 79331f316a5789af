// A cluster of three nats-servers with REPLICAS=3: one or two of them are killed, stopped or frozen, and sometimes the service is
// killed while one of them is silent.

import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {Random} from '../../random.js';
import {clusterMembers} from '../cluster-lines.js';
import {NatsCluster} from '../nats-cluster.js';
import type {Nemesis, Stage} from '../nemesis.js';

// Longer than an election, which takes up to nine seconds: strikes end before and after it.
const awayMsMax = 12_000;
const shortlyAwayMsMax = 1_500;

export class Cluster implements Nemesis {
  readonly strikes = {min: 1, max: 2};
  private cluster: NatsCluster | undefined;

  async prepare(folder: string) {
    const storeDirs = clusterMembers.map((member) => join(folder, `store-${member}`));
    this.cluster = await NatsCluster.start(folder, storeDirs);
    return {dataDir: join(folder, 'data'), env: this.cluster.env};
  }

  async strike({service}: Stage, random: Random): Promise<void> {
    const cluster = this.cluster!;
    const ms = random.between(50, random.chance(0.5) ? awayMsMax : shortlyAwayMsMax);
    const one = random.pick(clusterMembers);
    const what = random.pick(['kill', 'end', 'freeze', 'kill two', 'kill the service beside a frozen one'] as const);
    if (what === 'kill' || what === 'end' || what === 'kill two') {
      const which = what === 'kill two' ? clusterMembers.filter((member) => member !== one) : [one];
      await cluster.end(which, what === 'end' ? 'stop' : 'kill');
      await delay(ms);
      await cluster.startAgain(which);
    } else {
      cluster.signal(one, 'SIGSTOP');
      if (what !== 'freeze') {
        await service.kill();
        service.start();
      }
      await delay(ms);
      cluster.signal(one, 'SIGCONT');
    }
  }

  async finish(): Promise<void> {
    await this.cluster?.stop();
  }
}

// One, two or all machines of a cluster with REPLICAS=3 lose their power: the store of each nats-server is on its own disk, which
// loses unsynced bytes (disk-image.ts). The service is on another machine; with all three it sometimes fails, too.

import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {Random} from '../../random.js';
import {clusterMembers} from '../cluster-lines.js';
import {DiskImage} from '../disk-image.js';
import {NatsCluster} from '../nats-cluster.js';
import type {Nemesis, Stage} from '../nemesis.js';

const awayMsMax = 12_000;

export class ClusterPowercut implements Nemesis {
  readonly strikes = {min: 1, max: 2};
  private readonly disks: DiskImage[] = [];
  private cluster: NatsCluster | undefined;

  async prepare(folder: string) {
    for (const member of clusterMembers) {
      const machine = join(folder, `machine-${member}`);
      mkdirSync(machine);
      this.disks.push(DiskImage.make(machine, join(machine, 'disk')));
    }
    this.cluster = await NatsCluster.start(
      folder,
      this.disks.map(({path}) => path),
    );
    return {dataDir: join(folder, 'data'), env: this.cluster.env};
  }

  async strike({service}: Stage, random: Random): Promise<void> {
    const cluster = this.cluster!;
    const first = random.pick(clusterMembers);
    const count = random.between(1, clusterMembers.length);
    const which = clusterMembers.map((_, i) => clusterMembers[(first + i) % clusterMembers.length]!).slice(0, count);
    const isServiceToo = count === clusterMembers.length && random.chance(0.5);
    await Promise.all([cluster.end(which, 'kill'), isServiceToo && service.kill()]);
    await Promise.all(which.map((member) => this.disks[member]!.cutPower()));
    await delay(random.between(0, awayMsMax));
    await cluster.startAgain(which);
    if (isServiceToo) service.start(); // Without any server a start ends.
  }

  async finish(): Promise<void> {
    await this.cluster?.stop();
    for (const disk of this.disks) await disk.unmount();
  }
}

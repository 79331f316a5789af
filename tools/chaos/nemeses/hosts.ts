// Three hosts (tools/chaos/hosts.ts), each with a nats-server of the cluster and a worker; edge, reports and webhooks are on a fourth.
// A host is cut off, hears another one no longer, loses what it sends, is slow, or ends with all that it runs.

import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {Random} from '../../random.js';
import type {Broken} from '../broken.js';
import {clusterMembers} from '../cluster-lines.js';
import {freePort} from '../free-port.js';
import {Hosts} from '../hosts.js';
import {NatsCluster} from '../nats-cluster.js';
import type {Nemesis, Stage} from '../nemesis.js';
import type {Keys} from '../sender.js';
import {SupervisedService} from '../supervised-service.js';

const partitions = '6';
const strikes = ['cut off', 'one way', 'mute', 'slow', 'power'] as const;
type Strike = (typeof strikes)[number];
/** Shorter and longer than an election, and than what it takes to call a member dead. */
const apartMs = {min: 500, usual: 30_000, max: 200_000};
const awayMsMax = 15_000;

export class SeveralHosts implements Nemesis {
  readonly strikes = {min: 1, max: 2};
  private hosts: Hosts | undefined;
  private cluster: NatsCluster | undefined;
  private readonly workers: SupervisedService[] = [];
  private permitted: readonly Strike[] = strikes;
  private readonly counts: Record<string, number> = {};

  async prepare(folder: string, keys: Keys) {
    this.hosts = new Hosts(clusterMembers.length);
    if (!this.hosts.canDelay()) this.leaveOut('slow', 'this kernel delays no packets');
    const storeDirs = clusterMembers.map((member) => join(folder, `store-${member}`));
    this.cluster = await NatsCluster.start(folder, storeDirs, this.hosts.all);
    const env = {...this.cluster.env, PARTITIONS: partitions};
    for (const [number, {launcher}] of this.hosts.all.entries()) {
      const home = join(folder, `worker-${number}`);
      mkdirSync(home);
      const worker = new SupervisedService({
        dataDir: join(home, 'data'),
        port: await freePort(),
        keys,
        logPath: join(home, 'worker.log'),
        env: {...env, ROLES: 'partition'},
        launcher,
      });
      this.workers.push(worker);
      worker.start();
    }
    return {dataDir: join(folder, 'data'), env: {...env, ROLES: 'edge,report,deliver'}};
  }

  async strike(_stage: Stage, random: Random): Promise<void> {
    const what = random.pick(this.permitted);
    const one = random.pick(clusterMembers);
    const other = random.pick(clusterMembers.filter((member) => member !== one));
    const ms = random.between(apartMs.min, random.chance(0.1) ? apartMs.max : apartMs.usual);
    this.counts[what] = (this.counts[what] ?? 0) + 1;
    const hosts = this.hosts!;
    const others = clusterMembers.filter((member) => member !== one);
    switch (what) {
      case 'cut off':
        hosts.setCable(one, 'down');
        await delay(ms);
        hosts.setCable(one, 'up');
        return;
      case 'one way':
        hosts.loseOnTheWay(one, other);
        await delay(ms);
        hosts.findOnTheWay(one, other);
        return;
      case 'mute':
        for (const to of others) hosts.loseOnTheWay(one, to);
        await delay(ms);
        for (const to of others) hosts.findOnTheWay(one, to);
        return;
      case 'slow':
        hosts.delay(one);
        await delay(ms);
        hosts.hurry(one);
        return;
      case 'power':
        await Promise.all([this.workers[one]!.kill(), this.cluster!.end([one], 'kill')]);
        await delay(random.between(0, awayMsMax));
        await this.cluster!.startAgain([one]);
        this.workers[one]!.start();
    }
  }

  private leaveOut(what: Strike, why: string): void {
    process.stderr.write(`chaos: hosts: no strike is "${what}": ${why}\n`);
    this.permitted = this.permitted.filter((one) => one !== what);
  }

  async check(): Promise<Broken[]> {
    const ends = this.workers.flatMap((worker) => worker.ownEnds.map(() => worker.lastWords()));
    return ends.map((detail) => ({invariant: 'recovery', detail: `a worker ended: ${detail}`}));
  }

  account() {
    return this.counts;
  }

  async finish(): Promise<void> {
    for (const worker of this.workers) await worker.stop();
    await this.cluster?.stop();
    this.hosts?.remove();
  }
}

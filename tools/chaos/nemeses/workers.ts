// Three workers share the partitions of a cluster of three nats-servers, behind one edge with reports: workers are killed, paused,
// cut off, join and leave, alone and one after the other, and a nats-server ends while partitions move.
//   The wire of a worker to each nats-server is a proxy of its own.

import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {Random} from '../../random.js';
import {sendSignal} from '../../service-process.js';
import type {Broken} from '../broken.js';
import {clusterMembers} from '../cluster-lines.js';
import {freePort} from '../free-port.js';
import {NatsCluster} from '../nats-cluster.js';
import type {Nemesis, Stage} from '../nemesis.js';
import type {Keys} from '../sender.js';
import {SupervisedService} from '../supervised-service.js';
import {TcpProxy, type Wire} from '../tcp-proxy.js';

const workersCount = 3;
const partitions = '6';
const strikes = ['kill', 'pause', 'cut', 'nats-server', 'storm', 'rolling restart'] as const;
/** Longer than the time after which others take a member for dead, and shorter. */
const awayMsMax = 15_000;
const cutMsMax = 30_000;
const pauseMs = {min: 1_000, usual: 20_000, max: 200_000};

interface Place {
  readonly service: SupervisedService;
  readonly wires: readonly TcpProxy[];
}

export class Workers implements Nemesis {
  readonly strikes = {min: 1, max: 2};
  private cluster: NatsCluster | undefined;
  private readonly places: Place[] = [];
  private readonly counts: Record<string, number> = {};
  private readonly badEnds: string[] = [];

  async prepare(folder: string, keys: Keys) {
    const storeDirs = clusterMembers.map((member) => join(folder, `store-${member}`));
    this.cluster = await NatsCluster.start(folder, storeDirs);
    const env = {...this.cluster.env, PARTITIONS: partitions};
    for (let i = 0; i < workersCount; i++) this.places.push(await this.placeOf(folder, keys, env, i));
    for (const {service} of this.places) service.start();
    return {dataDir: join(folder, 'data'), env: {...env, ROLES: 'edge,report,deliver'}};
  }

  private async placeOf(
    folder: string,
    keys: Keys,
    env: Readonly<Record<string, string>>,
    number: number,
  ): Promise<Place> {
    const wires = await Promise.all(this.cluster!.urls.map((url) => TcpProxy.start(Number(new URL(url).port))));
    const urls = wires.map(({port}) => `nats://127.0.0.1:${port}`).join(',');
    const home = join(folder, `worker-${number}`);
    mkdirSync(home);
    const service = new SupervisedService({
      dataDir: join(home, 'data'),
      port: await freePort(),
      keys,
      logPath: join(home, 'worker.log'),
      env: {...env, NATS_URL: urls, ROLES: 'partition'},
    });
    return {service, wires};
  }

  async strike(_stage: Stage, random: Random): Promise<void> {
    const what = random.pick(strikes);
    const place = random.pick(this.places);
    this.counts[what] = (this.counts[what] ?? 0) + 1;
    switch (what) {
      case 'kill':
        await place.service.kill();
        await delay(random.between(0, awayMsMax));
        place.service.start();
        return;
      case 'pause':
        await this.pause(place, random);
        return;
      case 'cut':
        await this.cut(place, random.pick(['deaf', 'mute', 'silent', 'cut']), random.between(500, cutMsMax));
        return;
      case 'nats-server':
        await this.endNats(place, random);
        return;
      case 'storm':
        for (let left = random.between(2, 5); left > 0; left--) {
          await this.restart(random.pick(this.places), random.between(0, 1_500));
          await delay(random.between(0, 3_000));
        }
        return;
      case 'rolling restart':
        for (const each of this.places) await this.restart(each, 0);
    }
  }

  private async pause({service}: Place, random: Random): Promise<void> {
    const {pid} = service;
    sendSignal(pid, 'SIGSTOP');
    await delay(random.between(pauseMs.min, random.chance(0.1) ? pauseMs.max : pauseMs.usual));
    sendSignal(pid, 'SIGCONT');
  }

  private async cut({wires}: Place, wire: Wire, ms: number): Promise<void> {
    for (const one of wires) one.set(wire);
    await delay(ms);
    for (const one of wires) one.set('whole');
  }

  /** A nats-server is away while a worker gives its partitions away. */
  private async endNats(place: Place, random: Random): Promise<void> {
    const server = random.pick(clusterMembers);
    const leaving = this.stop(place);
    await delay(random.between(0, 1_000));
    await this.cluster!.end([server], random.pick(['kill', 'stop']));
    await leaving;
    place.service.start();
    await delay(random.between(0, awayMsMax));
    await this.cluster!.startAgain([server]);
  }

  private async restart(place: Place, awayMs: number): Promise<void> {
    await this.stop(place);
    await delay(awayMs);
    place.service.start();
  }

  private async stop({service}: Place): Promise<void> {
    const end = await service.stop();
    if (end !== 'code 0' && end !== 'had ended before') this.badEnds.push(end);
  }

  async check(): Promise<Broken[]> {
    const own = this.places.flatMap(({service}) => service.ownEnds.map(() => service.lastWords()));
    return [...own, ...this.badEnds].map((detail) => ({invariant: 'recovery', detail: `a worker ended: ${detail}`}));
  }

  account() {
    return this.counts;
  }

  async finish(): Promise<void> {
    for (const {service, wires} of this.places) {
      await service.stop();
      for (const wire of wires) await wire.stop();
    }
    await this.cluster?.stop();
  }
}

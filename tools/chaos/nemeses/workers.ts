// Three workers share the partitions of a cluster of three nats-servers, behind two edges that share reports: workers are killed, paused,
// cut off, join and leave, alone and one after the other, a nats-server ends while partitions move, and so does an edge with its reports.
//   The wire of a worker, and of that edge, to each nats-server is a proxy of its own.

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
const strikes = ['kill', 'pause', 'cut', 'nats-server', 'storm', 'rolling restart', 'edge'] as const;
const wires = ['deaf', 'mute', 'silent', 'cut'] as const;
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
  /** Beside the service itself. */
  private edge: Place | undefined;
  private readonly counts: Record<string, number> = {};
  private readonly badEnds: string[] = [];

  async prepare(folder: string, keys: Keys) {
    const storeDirs = clusterMembers.map((member) => join(folder, `store-${member}`));
    this.cluster = await NatsCluster.start(folder, storeDirs);
    const env = {...this.cluster.env, PARTITIONS: partitions};
    for (let i = 0; i < workersCount; i++)
      this.places.push(await this.placeOf(folder, keys, {...env, ROLES: 'partition'}, `worker-${i}`));
    this.edge = await this.placeOf(folder, keys, {...env, ROLES: 'edge,report'}, 'edge');
    for (const {service} of this.all) service.start();
    const edges = [this.edge.service.options.port];
    return {dataDir: join(folder, 'data'), env: {...env, ROLES: 'edge,report,deliver'}, edges};
  }

  private get all(): readonly Place[] {
    return this.edge === undefined ? this.places : [...this.places, this.edge];
  }

  private async placeOf(
    folder: string,
    keys: Keys,
    env: Readonly<Record<string, string>>,
    name: string,
  ): Promise<Place> {
    const wires = await Promise.all(this.cluster!.urls.map((url) => TcpProxy.start(Number(new URL(url).port))));
    const urls = wires.map(({port}) => `nats://127.0.0.1:${port}`).join(',');
    const home = join(folder, name);
    mkdirSync(home);
    const service = new SupervisedService({
      dataDir: join(home, 'data'),
      port: await freePort(),
      keys,
      logPath: join(home, 'service.log'),
      env: {...env, NATS_URL: urls},
    });
    return {service, wires};
  }

  async strike(_stage: Stage, random: Random): Promise<void> {
    const what = random.pick(strikes);
    const place = random.pick(this.places);
    this.counts[what] = (this.counts[what] ?? 0) + 1;
    switch (what) {
      case 'kill':
        await this.kill(place, random);
        return;
      case 'pause':
        await this.pause(place, random, random.chance(0.1) ? pauseMs.max : pauseMs.usual);
        return;
      case 'cut':
        await this.cut(place, random);
        return;
      case 'edge':
        await this.strikeEdge(this.edge!, random);
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

  private async strikeEdge(edge: Place, random: Random): Promise<void> {
    const how = random.pick(['kill', 'pause', 'cut'] as const);
    if (how === 'kill') await this.kill(edge, random);
    else if (how === 'cut') await this.cut(edge, random);
    else await this.pause(edge, random, pauseMs.usual); // A client would take a longer silence for a fault.
  }

  private async kill({service}: Place, random: Random): Promise<void> {
    await service.kill();
    await delay(random.between(0, awayMsMax));
    service.start();
  }

  private async pause({service}: Place, random: Random, msMax: number): Promise<void> {
    const {pid} = service;
    sendSignal(pid, 'SIGSTOP');
    await delay(random.between(pauseMs.min, msMax));
    sendSignal(pid, 'SIGCONT');
  }

  private async cut(place: Place, random: Random): Promise<void> {
    const wire: Wire = random.pick(wires);
    for (const one of place.wires) one.set(wire);
    await delay(random.between(500, cutMsMax));
    for (const one of place.wires) one.set('whole');
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
    if (!['code 0', 'had ended before', 'had not begun'].includes(end)) this.badEnds.push(end);
  }

  async check(): Promise<Broken[]> {
    const own = this.all.flatMap(({service}) => service.ownEnds.map(() => service.lastWords()));
    return [...own, ...this.badEnds].map((detail) => ({invariant: 'recovery', detail: `a process ended: ${detail}`}));
  }

  account() {
    return this.counts;
  }

  async finish(): Promise<void> {
    for (const place of this.all) {
      await place.service.stop();
      for (const wire of place.wires) await wire.stop();
    }
    await this.cluster?.stop();
  }
}

// `npm run demo`: a service, or a deployment of many processes, 30 days of a shop's life in it, and the shop's events from now on.
import {setTimeout as pause} from 'node:timers/promises';
import {findService} from '../../src/cli/import/service-address.js';
import {monotonicMs, wallMs} from '../../src/clock.js';
import {onStopSignals} from '../../src/stop-signals.js';
import {Shop} from '../shop/shop.js';
import {firstVisitEvents} from '../shop/visit.js';
import {type DemoArguments, readDemoArguments, usage} from './arguments.js';
import {DemoCluster} from './demo-cluster.js';
import {DemoService} from './demo-service.js';
import {killInTurn, Reads} from './kills.js';
import {Player} from './player.js';
import {Tape} from './tape.js';

const dayMs = 86_400_000;
const liveEveryMs = 200;
const progressEveryMs = 3_000;
/** Reports have everything within seconds of a publication. */
const comparedMsMax = 60_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const shown = (number: number): string => number.toLocaleString('en');

async function main(): Promise<number> {
  let asked: DemoArguments | null;
  try {
    asked = readDemoArguments(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`demo: ${(error as Error).message}\n`);
    return 2;
  }
  if (asked === null) {
    process.stdout.write(usage);
    return 0;
  }
  const ending = new AbortController();
  let isAsked = false;
  onStopSignals(
    () => {
      isAsked = true;
      ending.abort();
    },
    () => process.exit(1),
  );
  if (asked.isCluster) say('Starting three nats-servers and seven processes of Millrace …');
  let service: DemoService | DemoCluster;
  try {
    service = asked.isCluster ? await DemoCluster.start(process.env) : new DemoService(process.env);
  } catch (error) {
    process.stderr.write(`demo: ${(error as Error).message}\n`);
    return 1;
  }
  void service.ended.then(() => ending.abort());
  try {
    await run(service, asked, ending.signal);
    return 0;
  } catch (error) {
    if (isAsked) return 0;
    const why = service.isRunning ? (error as Error).message : `the service ended (${await service.ended})`;
    process.stderr.write(`demo: ${why}\n`);
    return 1;
  } finally {
    await service.end();
  }
}

/** Runs until it is ended. */
async function run(service: DemoService | DemoCluster, asked: DemoArguments, ended: AbortSignal): Promise<void> {
  const {people, days, rate, seed} = asked;
  await service.ready();
  const {dataDir} = service;
  const {baseUrl, key} = await findService({url: null, key: null, dataDir, keyName: 'demo'});
  const sleep = (ms: number): Promise<void> => pause(ms, undefined, {signal: ended});
  const baseUrls = service instanceof DemoCluster ? service.baseUrls : [baseUrl];
  const player = new Player({baseUrls, key, sleep});
  const nowMs = wallMs();
  const sale = {fromMs: nowMs, peoplePerDay: Math.round((rate * dayMs) / 1_000 / firstVisitEvents)};
  const startMs = Math.floor(nowMs / dayMs) * dayMs - days * dayMs;
  const tape = new Tape(new Shop({seed, people, days, startMs, sale}).entries());
  try {
    say(`Playing ${days} days of a shop with ${shown(people)} visitors into it …`);
    for (let day = 0, saidMs = monotonicMs(); day <= days; day++) {
      await player.play(tape.until(Math.min(startMs + (day + 1) * dayMs, nowMs)));
      if (monotonicMs() - saidMs < progressEveryMs) continue;
      say(`  day ${Math.min(day + 1, days)} of ${days}`);
      saidMs = monotonicMs();
    }
    const seconds = (wallMs() - nowMs) / 1_000;
    say(`${shown(player.played)} events and identifies are in, after ${seconds.toFixed(1)} s.`);
    say(
      rate === 0
        ? 'The shop goes on: from now on it is live, with an event every few seconds.'
        : `A sale begins: from now on it is live, with about ${rate} more events a second.`,
    );
    const live = new Live(player, tape, sleep);
    const from = new Date(startMs).toISOString().slice(0, 10);
    if (service instanceof DemoCluster) await killAll(service, live, from, sleep);
    say(`The service: ${baseUrls.join(' and ')}  Ctrl-C ends it, and removes ${service.folder}`);
    say(`Another link that signs in: DATA_DIR=${dataDir} npm run dashboard`);
    await live.ended;
  } finally {
    player.close();
  }
}

/** Plays what happens from now on, until it is told to rest. */
class Live {
  /** Rejects when the demo ends, or when the service refuses an event. */
  ended: Promise<void>;
  private isResting = false;

  constructor(
    readonly player: Player,
    private readonly tape: Tape,
    private readonly sleep: (ms: number) => Promise<void>,
  ) {
    this.ended = this.run();
    this.ended.catch(() => undefined); // Whoever waits for it hears it.
  }

  /** Resolves when everything that it sent is answered 200. */
  async rest(): Promise<void> {
    this.isResting = true;
    await this.ended;
  }

  goOn(): void {
    this.isResting = false;
    this.ended = this.run();
    this.ended.catch(() => undefined);
  }

  private async run(): Promise<void> {
    while (!this.isResting) {
      await this.player.play(this.tape.until(wallMs()));
      await this.sleep(liveEveryMs);
    }
  }
}

/** Kills every process in turn, then compares what was answered 200 with what is in reports. */
async function killAll(
  cluster: DemoCluster,
  live: Live,
  from: string,
  sleep: (ms: number) => Promise<void>,
): Promise<void> {
  const {player} = live;
  const {key, release} = await findService({
    ...{url: null, key: null, dataDir: cluster.dataDir},
    ...{keyName: 'demo: kills', keyKind: 'secret'},
  });
  const reads = new Reads({baseUrls: cluster.baseUrls, key, userIds: player.someUserIds, from, sleep});
  try {
    say('Now every process is killed in turn, and started again. Times have every repetition in them.');
    await killInTurn({processes: cluster.processes, player, reads, sleep, say});
    await live.rest();
    const deadlineMs = monotonicMs() + comparedMsMax;
    let counted = await reads.countOfEvents();
    for (; counted !== player.events && monotonicMs() < deadlineMs; counted = await reads.countOfEvents())
      await sleep(liveEveryMs);
    if (counted !== player.events)
      throw new Error(`${shown(player.events)} events were answered 200, and reports have ${shown(counted)}`);
    say(`All ${shown(counted)} events that were answered 200 are in reports, each once.`);
    live.goOn();
  } finally {
    reads.close();
    await release();
  }
}

process.exitCode = await main();

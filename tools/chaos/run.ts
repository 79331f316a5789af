// One run: a service, its journal, and rounds of traffic that a nemesis strikes into.

import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {Random} from '../random.js';
import {secretKey, writeKey} from '../service-process.js';
import type {Broken} from './broken.js';
import {Checker} from './checker.js';
import {freePort} from './free-port.js';
import {untilJoined} from './joins.js';
import {Journal} from './journal.js';
import {Losses} from './losses.js';
import type {Ground, Nemesis, Stage} from './nemesis.js';
import type {Options} from './options.js';
import {Readback} from './readback.js';
import {outlivers, removeFolder} from './run-folder.js';
import {type Keys, Sender} from './sender.js';
import {Reports} from './stored-reports.js';
import {SupervisedService} from './supervised-service.js';
import {AllTraffic, type Traffic, Worker} from './traffic.js';
import {Truth} from './truth.js';
import {Workload} from './workload.js';

const keys: Keys = {write: writeKey, secret: secretKey};
const workersCount = 6;
// Generous: the load of the machine is not tested; a service that hangs still fails. `--patience` multiplies it.
const readyMsMax = 180_000;
const settleMsMax = 60_000;
// A supervisor restarts it; a service that ends every time is a finding.
const revivalsMax = 10;
const strikeAfterMs = {min: 50, max: 900};
const calmMs = 150;
const fenceEvents = 48;

export interface RoundResult {
  readonly round: number;
  readonly broken: readonly Broken[];
  readonly events: number;
  readonly sends: number;
  /** Things without an answer that settles them. */
  readonly unknown: number;
  readonly readyMs: number;
  readonly firstSuccessMs: number;
  readonly slowestMs: number;
  /** Time from the first request to the last, and from there to the last answer of the comparison. */
  readonly playedMs: number;
  readonly comparedMs: number;
}

export class Run {
  private ending: Promise<Broken[]> | undefined;

  private constructor(
    private readonly nemesis: Nemesis,
    private readonly stage: Stage,
    private readonly seed: number,
    private readonly things: number,
    private readonly senders: readonly Sender[],
    private readonly checker: Checker,
  ) {}

  static async begin(
    nemesis: Nemesis,
    folder: string,
    {seed, patience, things}: Pick<Options, 'seed' | 'patience' | 'things'>,
  ): Promise<Run> {
    const ground: Ground = (await nemesis.prepare?.(folder, keys)) ?? {dataDir: join(folder, 'data'), env: {}};
    const port = await freePort();
    const service = new SupervisedService({...ground, port, keys, logPath: join(folder, 'service.log')});
    const journal = new Journal(join(folder, 'journal.jsonl'));
    const readback = new Readback(port, keys.secret);
    const truth = new Truth(journal.path);
    const reports = new Reports(readback);
    const edges = [port, ...(ground.edges ?? [])];
    const senders = Array.from({length: workersCount}, () => new Sender(journal, edges, keys));
    const losses = new Losses(truth, readback, reports, senders[0]!);
    const stage: Stage = {folder, journal, service, readback, losses, patience};
    const run = new Run(nemesis, stage, seed, things, senders, new Checker(stage, nemesis, truth, reports, patience));
    service.start();
    try {
      await run.untilReady();
      await nemesis.ready?.(stage);
    } catch (error) {
      await run.end();
      throw error;
    }
    return run;
  }

  /** Seeded by run and round: a round strikes and sends the same, whatever happened in earlier ones. */
  async round(round: number): Promise<RoundResult> {
    const {journal} = this.stage;
    const random = new Random(this.seed * 1_000_003 + round);
    journal.write({line: 'round', round, seed: this.seed});
    const beganAt = performance.now();
    const workload = new Workload(journal, round, new Random(random.between(0, 2 ** 31)), this.things);
    const traffic = this.nemesis.traffic?.(workload, this.senders, this.stage.readback) ?? this.clients(workload);
    traffic.start();
    const readyMs = await this.strikes(random).finally(() => traffic.stop());
    await traffic.settle(settleMsMax);
    const playedAt = performance.now();
    const mended = [...(await this.mend(workload)), ...(await this.joins(workload))];
    const checked = await this.checker.check(round, beganAt, await this.fence(workload));
    const times = {readyMs, playedMs: playedAt - beganAt, comparedMs: performance.now() - playedAt};
    return {...checked, ...times, round, broken: [...mended, ...checked.broken]};
  }

  private clients(workload: Workload): Traffic {
    return new AllTraffic(
      this.senders.map(
        (sender, i) => new Worker(workload, sender, `round-${workload.round}-client-${i}`, this.hasDevices),
      ),
    );
  }

  /** @returns the longest time until readiness. */
  private async strikes(random: Random): Promise<number> {
    const {strikes} = this.nemesis;
    let slowestMs = 0;
    for (let left = random.between(strikes.min, strikes.max); left > 0; left--) {
      await delay(random.between(strikeAfterMs.min, strikeAfterMs.max));
      await this.nemesis.strike(this.stage, random);
      const healingMs = performance.now();
      await this.untilReady();
      slowestMs = Math.max(slowestMs, performance.now() - healingMs);
    }
    await delay(calmMs);
    return slowestMs;
  }

  private async untilReady(): Promise<void> {
    const {service, readback, patience} = this.stage;
    const waitMsMax = patience * readyMsMax;
    const deadlineMs = performance.now() + waitMsMax;
    const endsMax = service.ownEnds.length + revivalsMax;
    for (;;) {
      const reason = await readback.whyNotReady();
      if (reason === undefined) return;
      if (performance.now() > deadlineMs) throw new Error(`not ready after ${waitMsMax} ms: ${reason}`);
      if (service.ownEnds.length > endsMax) throw new Error(`ends at every start: ${service.lastWords()}`);
      service.revive();
      await delay(25);
    }
  }

  private async mend(workload: Workload): Promise<Broken[]> {
    if (this.nemesis.mayLose !== true) return [];
    const fence = (): Promise<string> => this.fence(workload);
    return this.stage.losses.mend(workload.round, await fence(), fence);
  }

  /** A log that lost its tail may have lost who is whose. */
  private get hasDevices(): boolean {
    return this.nemesis.mayLose !== true;
  }

  /** Reports of a round cover whole joins. */
  private async joins(workload: Workload): Promise<Broken[]> {
    if (!this.hasDevices) return [];
    return untilJoined(this.stage.readback, workload.round, await this.fence(workload));
  }

  /** Writes events after everything that was sent, in every partition: a report that covers them covers all. */
  private async fence(workload: Workload): Promise<string> {
    const users = Array.from({length: fenceEvents}, (_, i) => ({
      kind: 'user' as const,
      id: `round-${workload.round}-fence-${i}`,
    }));
    let events = users.map((user) => workload.event(user));
    const deadlineMs = performance.now() + settleMsMax;
    for (;;) {
      const {outcomes, logPosition} = await this.senders[0]!.send(events);
      if (!outcomes.includes('unknown') && logPosition !== undefined) return logPosition;
      if (performance.now() > deadlineMs) throw new Error(`the fence was not acknowledged in ${settleMsMax} ms`);
      events = users.map((user) => workload.event(user));
      await delay(50);
    }
  }

  /** Stops the service cleanly, starts it, and compares everything once more. */
  async conclude(rounds: number): Promise<Broken[]> {
    const {service} = this.stage;
    const exit = await service.stop();
    const broken: Broken[] =
      exit === 'code 0' ? [] : [{invariant: 'recovery', detail: `a clean stop ended by ${exit}`}];
    service.start();
    await this.untilReady();
    const workload = new Workload(this.stage.journal, rounds + 1, new Random(this.seed), this.things);
    const joins = await this.joins(workload);
    return [...broken, ...joins, ...(await this.checker.checkAll(rounds, await this.fence(workload)))];
  }

  account(): Readonly<Record<string, number>> {
    return this.nemesis.account?.(this.stage) ?? {};
  }

  /** @returns findings: how the service ended, and which processes outlived it. A second call (a signal) joins the first. */
  end(): Promise<Broken[]> {
    this.ending ??= this.endOnce();
    return this.ending;
  }

  private async endOnce(): Promise<Broken[]> {
    const {service, readback, journal, folder} = this.stage;
    for (const sender of this.senders) sender.close();
    readback.close();
    const exit = await service.stop();
    this.checker.close();
    journal.close();
    await this.nemesis.finish?.();
    const late = await outlivers(folder);
    return [
      ...(exit === 'code 0' ? [] : [`the last stop ended by ${exit}`]),
      ...late.map((what) => `a process outlived the service: ${what}`),
    ].map((detail) => ({invariant: 'recovery', detail}));
  }

  /** Called when `end` has resolved: no process writes there any more. */
  removeData(): Promise<void> {
    return removeFolder(this.stage.folder);
  }
}

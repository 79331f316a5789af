// An owner of the partitions is stopped (SIGSTOP); another process takes them over, gets more events and deletes a user, which
// truncates the log; then the first one continues. Both have all roles and their own port, in addition to the clients' edge.
//   Every answer of the woken owner, on its port or to that edge, must be right (witness.ts), until it has noticed that it lost its
//   membership of the cluster. It must report no other loss, go on, and stop when it is told to. The next round swaps the two.

import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {Random} from '../../random.js';
import {sendSignal} from '../../service-process.js';
import type {Broken} from '../broken.js';
import {Eraser} from '../erasures.js';
import {freePort} from '../free-port.js';
import {NatsProcess} from '../nats-process.js';
import type {Nemesis, Stage} from '../nemesis.js';
import {type Keys, Sender} from '../sender.js';
import {type LogLine, ServiceLog} from '../service-log.js';
import {SupervisedService} from '../supervised-service.js';
import {AllTraffic, type Traffic, Worker} from '../traffic.js';
import {Witness} from '../witness.js';
import type {Workload} from '../workload.js';

const shortestMs = 1_000;
const longestMs = 60_000;
/** More than the two minutes after which a successor truncates the log by itself. Every tenth round. */
const cutBySelfMs = 200_000;
const readyMsMax = 120_000;
/** A woken owner finds with its next renewal that its membership is over. */
const noticesMsMax = 20_000;
const noticedAlarm = 'membership_lost';
const stopped = 'code 0';
const pollMs = 25;
const errorLevel = 50;

export class Wake implements Nemesis {
  readonly strikes = {min: 1, max: 1};
  private nats: NatsProcess | undefined;
  /** The first of them has the partitions. */
  private owners: SupervisedService[] = [];
  private workload: Workload | undefined;
  private broken: Broken[] = [];
  private readonly errors: LogLine[] = [];
  private readonly counts = {
    'owners woken behind a take-over': 0,
    'of these stopped for 200 s': 0,
    'answers while they lived': 0,
    'of these with a claim that was judged': 0,
  };

  async prepare(folder: string, keys: Keys) {
    this.nats = await NatsProcess.start(
      {folder: join(folder, 'nats'), storeDir: join(folder, 'nats', 'store')},
      await freePort(),
      'always',
    );
    const env = {NATS_URL: `nats://127.0.0.1:${this.nats.port}`, PARTITIONS: '2'};
    for (const name of ['owner-a', 'owner-b']) {
      this.owners.push(
        new SupervisedService({
          dataDir: join(folder, name),
          port: await freePort(),
          keys,
          logPath: join(folder, `${name}.log`),
          env: {...env, ROLES: 'edge,partition,report,deliver'},
        }),
      );
    }
    this.owners[0]!.start();
    return {dataDir: join(folder, 'data'), env: {...env, ROLES: 'edge,report'}};
  }

  traffic(workload: Workload, senders: readonly Sender[]): Traffic {
    this.workload = workload;
    return new AllTraffic(
      senders.map((sender, i) => {
        const name = `round-${workload.round}-client-${i}`;
        return i === 0 ? new Eraser(workload, sender, name) : new Worker(workload, sender, name);
      }),
    );
  }

  async strike(stage: Stage, random: Random): Promise<void> {
    const {port, keys} = stage.service.options;
    const sender = new Sender(stage.journal, [port], keys);
    const witness = new Witness(this.workload!, sender, stage.readback);
    try {
      await this.stopAndWake(stage, witness, this.stopMs(random));
    } finally {
      sender.close();
    }
  }

  private stopMs(random: Random): number {
    const ms = Math.round(shortestMs * (longestMs / shortestMs) ** random.next());
    return this.workload!.round % 10 === 5 ? cutBySelfMs : ms;
  }

  private async stopAndWake(stage: Stage, witness: Witness, stopMs: number): Promise<void> {
    const [paused, successor] = this.owners as [SupervisedService, SupervisedService];
    await witness.writeBefore();
    stage.journal.write({line: 'strike', name: `an owner stops for ${stopMs} ms`});
    const log = new ServiceLog(paused.options.logPath);
    const stoppedAt = performance.now();
    sendSignal(paused.pid, 'SIGSTOP');
    try {
      successor.start();
      await this.untilReady(successor, stage.patience * readyMsMax);
      await witness.writeMeanwhile(stage.service.options);
      await delay(Math.max(0, stoppedAt + stopMs - performance.now()));
      await this.judge(stage, witness, paused, log);
    } finally {
      if (paused.isRunning) sendSignal(paused.pid, 'SIGCONT');
    }
    this.counts['owners woken behind a take-over'] += 1;
    if (stopMs === cutBySelfMs) this.counts['of these stopped for 200 s'] += 1;
    log.close();
    for (const {msg} of this.errors.splice(0))
      this.broken.push({invariant: 'answer', detail: `a woken owner says: ${msg}`});
    this.owners.reverse();
  }

  private async untilReady(owner: SupervisedService, waitMsMax: number): Promise<void> {
    const deadlineMs = performance.now() + waitMsMax;
    while (!(await Witness.isReady(owner.options))) {
      if (!owner.isRunning) throw new Error(`the successor ended while it started: ${owner.lastWords()}`);
      if (performance.now() > deadlineMs) throw new Error(`the successor is not ready after ${waitMsMax} ms`);
      await delay(pollMs);
    }
  }

  /** Wakes the owner, and asks it until it has noticed what it lost. */
  private async judge({service}: Stage, witness: Witness, woken: SupervisedService, log: ServiceLog): Promise<void> {
    const asked = [witness.askingOutlived(woken.options), witness.askingEdge(service.options)];
    const early = asked[0]!.askAll(); // It finds these when it wakes.
    sendSignal(woken.pid, 'SIGCONT');
    await early;
    const deadlineMs = performance.now() + noticesMsMax;
    let hasNoticed = false;
    while (!hasNoticed && woken.isRunning && performance.now() < deadlineMs) {
      await Promise.all(asked.map((each) => each.askAll()));
      const errors = log.next().filter(({level = 0}) => level >= errorLevel);
      hasNoticed = errors.some(({alarm}) => alarm === noticedAlarm);
      this.errors.push(...errors.filter(({alarm}) => alarm !== noticedAlarm));
    }
    for (const each of asked) {
      each.close();
      this.counts['answers while they lived'] += each.answers;
      this.counts['of these with a claim that was judged'] += each.judged;
      this.broken.push(...each.broken);
    }
    if (!hasNoticed) this.broken.push({invariant: 'recovery', detail: 'a woken owner did not notice what it lost'});
    const end = woken.isRunning ? await woken.stop() : woken.ownEnds.at(-1);
    if (end === stopped) return;
    this.broken.push({invariant: 'recovery', detail: `a woken owner ended by ${end}, not by ${stopped}`});
  }

  async check(): Promise<Broken[]> {
    const {broken} = this;
    this.broken = [];
    return broken;
  }

  account(): Readonly<Record<string, number>> {
    return this.counts;
  }

  async finish(): Promise<void> {
    for (const owner of this.owners) await owner.stop();
    await this.nats?.stop();
  }
}

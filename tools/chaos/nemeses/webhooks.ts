// Webhooks to a receiver that fails in all ways, while clients create and delete users, and service or nats-server are killed or
// paused: each round has one kind of fault, in turn. What a receiver must have got is in told-messages.ts.

import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {Random} from '../../random.js';
import type {Broken} from '../broken.js';
import {Erasures} from '../erasure-record.js';
import {Eraser} from '../erasures.js';
import {HookKeeper, type HookRule} from '../hook-keeper.js';
import {HookReceiver} from '../hook-receiver.js';
import type {Ground, Nemesis, Stage} from '../nemesis.js';
import type {EventRow} from '../readback.js';
import {Receipts} from '../receipts.js';
import type {Sender} from '../sender.js';
import {ToldMessages, wants} from '../told-messages.js';
import {AllTraffic, type Traffic, Worker} from '../traffic.js';
import type {Truth} from '../truth.js';
import {dateOfRound, untimedNameOf, type Workload} from '../workload.js';
import {killAll} from './kill-all.js';
import {killNats} from './kill-nats.js';
import {killService} from './kill-service.js';
import {pause} from './pause.js';

const kinds = {'kill-service': killService, 'kill-nats': killNats, 'kill-all': killAll, pause};
const kindNames = Object.keys(kinds) as (keyof typeof kinds)[];

const usersPath = '/users';
const flag = {property: 'flag', op: 'eq', values: ['true']};
const rules: readonly HookRule[] = [
  {path: '/all', events: {where: []}, failingShare: 0.2},
  {path: '/batches', events: {where: []}, batch: {events: 20, ms: 20}, failingShare: 0.2},
  {path: '/some', events: {names: ['buy', 'cart'], where: [flag]}, failingShare: 0.2},
  // One that fails stops the others of its partition for 5 s.
  {path: '/ordered', events: {names: ['search'], where: []}, ordered: true, failingShare: 0.02},
  {path: usersPath, failingShare: 0.2},
];

/** What a receiver must have taken. */
interface Need {
  readonly path: string;
  readonly what: string;
  isMet(): boolean;
}

const erasersCount = 3;
/** Failures in a row after which an endpoint is probed, and those under way then. */
const outageRequests = 24;
const outageShare = 0.25;
const unansweredShare = 0.3;
const goneShare = 0.15;
// Retries come after 5 s, probes after another 5 s, and one delivery waits for 15 s in vain; the rest is patience with a loaded
// machine, and `--patience` multiplies all of it.
const takenMsMax = 150_000;
const pollMs = 50;

export class Webhooks implements Nemesis {
  readonly strikes = {min: 1, max: 2};
  private readonly told = new ToldMessages();
  private readonly receiver = new HookReceiver(new Random(1), (path, delivery) => this.told.take(path, delivery));
  private receiverPort = 0;
  private keeper: HookKeeper | undefined;
  private receipts: Receipts | undefined;
  private kind: keyof typeof kinds = kindNames[0]!;
  private readonly roundsOf = new Map(kindNames.map((name) => [name, 0]));
  /** Stored events of the newest rounds: their retries may still be to come. */
  private rows: readonly EventRow[] = [];
  private eventsCompared = 0;

  async prepare(folder: string): Promise<Ground> {
    this.receiverPort = await this.receiver.listen();
    const env = {WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1', WEBHOOK_ALLOW_HTTP: '1'};
    return {dataDir: join(folder, 'data'), env};
  }

  async ready({service, journal}: Stage): Promise<void> {
    const {port, keys} = service.options;
    this.keeper = new HookKeeper(port, keys.secret);
    for (const rule of rules) {
      const secret = await this.keeper.make(rule, this.receiverPort);
      this.receiver.expect(rule.path, secret, rule.failingShare);
    }
    this.keeper.start();
    this.receipts = new Receipts(journal.path, port, keys.secret);
    this.receipts.start();
  }

  traffic(workload: Workload, senders: readonly Sender[]): Traffic {
    const {random, round} = workload;
    this.kind = kindNames[(round - 1) % kindNames.length]!;
    this.roundsOf.set(this.kind, this.roundsOf.get(this.kind)! + 1);
    if (random.chance(outageShare)) this.receiver.failFor(random.pick(rules).path, outageRequests);
    if (random.chance(unansweredShare)) this.receiver.leaveOneUnanswered();
    if (random.chance(goneShare)) this.receiver.goAway(random.pick(rules).path);
    const name = (i: number): string => `round-${round}-client-${i}`;
    return new AllTraffic(
      senders.map((sender, i) =>
        i < erasersCount ? new Eraser(workload, sender, name(i)) : new Worker(workload, sender, name(i)),
      ),
    );
  }

  strike(stage: Stage, random: Random): Promise<void> {
    return kinds[this.kind].strike(stage, random);
  }

  /** Events of earlier rounds must have been taken; those of this one have time until the next. */
  async check(stage: Stage, truth: Truth, round: number): Promise<Broken[]> {
    const {readback} = stage;
    const broken = await this.brokenNow(stage, truth, round - 1);
    const date = dateOfRound(round);
    const timed = await readback.history({from: date, to: date});
    this.rows = [...timed, ...(await readback.history({event: untimedNameOf(round)}))];
    return broken;
  }

  conclude(stage: Stage, truth: Truth): Promise<Broken[]> {
    return this.brokenNow(stage, truth, Number.POSITIVE_INFINITY);
  }

  private async brokenNow(stage: Stage, truth: Truth, roundMax: number): Promise<Broken[]> {
    const missing = await this.untilTaken(stage, truth, roundMax);
    this.eventsCompared += this.rows.length;
    return [
      ...missing,
      ...this.receiver.faults.splice(0).map((detail): Broken => ({invariant: 'webhook', detail})),
      ...this.told.brokenSinceLastTime(),
      ...this.told.brokenReceipts(this.receipts!.all),
    ];
  }

  private async untilTaken({patience}: Stage, truth: Truth, roundMax: number): Promise<Broken[]> {
    const deadlineMs = performance.now() + patience * takenMsMax;
    const needs = [...this.neededEvents(), ...this.neededIdentifies(truth, roundMax)];
    for (;;) {
      const missing = [...needs, ...this.neededDeletions()].filter(({isMet}) => !isMet());
      if (missing.length === 0) return [];
      if (performance.now() > deadlineMs) {
        const paths = [...new Set(missing.map(({path}) => path))];
        const words = await Promise.all(paths.map(async (path) => `${path}: ${await this.keeper!.wordsOn(path)}`));
        const details = [...words, ...missing.map(({path, what}) => `TM1 ${path}: ${what} was not taken`)];
        return details.map((detail) => ({invariant: 'webhook', detail}));
      }
      await delay(pollMs);
    }
  }

  private neededEvents(): Need[] {
    const {rows, told} = this;
    return rules.flatMap(({path, events}) =>
      events === undefined
        ? []
        : rows
            .filter((row) => wants(events, row))
            .map(({id}) => ({path, what: `event ${id}`, isMet: () => told.isTaken(path, id)})),
    );
  }

  /** Receipts, and messages that say so. */
  private neededDeletions(): Need[] {
    const {told, receipts} = this;
    return [
      ...receipts!.all.map(({deletionId}) => ({
        path: usersPath,
        what: deletionId,
        isMet: () => told.isTaken(usersPath, deletionId),
      })),
      ...receipts!.open().map(({deletionId}) => ({
        path: usersPath,
        what: `the receipt of ${deletionId}`,
        isMet: () => false,
      })),
    ];
  }

  /** One message for each acknowledged identify of users who stay. */
  private neededIdentifies(truth: Truth, roundMax: number): Need[] {
    const erased = new Set(new Erasures(truth.fates.values()).users);
    const times = new Map<string, number>();
    for (const {thing, acked} of truth.fates.values()) {
      if (thing.kind !== 'identify' || thing.round > roundMax || acked === 0 || erased.has(thing.userId)) continue;
      times.set(thing.userId, (times.get(thing.userId) ?? 0) + 1);
    }
    return [...times].map(([userId, count]) => ({
      path: usersPath,
      what: `each of ${count} identifies of ${userId}`,
      isMet: () => this.told.identifiedTimes(userId) >= count,
    }));
  }

  account(): Readonly<Record<string, number>> {
    return {
      ...Object.fromEntries([...this.roundsOf].map(([name, rounds]) => [`rounds of ${name}`, rounds])),
      'events compared': this.eventsCompared,
      'messages received': this.told.deliveries,
      'copies of events and deletions': this.told.copies,
      'copies of events in another batch': this.told.regrouped,
      'deletions with a receipt': this.receipts?.all.length ?? 0,
      'endpoints resumed': this.keeper?.resumed ?? 0,
      'dead letters sent again': this.keeper?.replayed ?? 0,
      ...Object.fromEntries([...this.receiver.counts].map(([way, count]) => [`the receiver ${way}`, count])),
    };
  }

  async finish(): Promise<void> {
    await this.keeper?.stop();
    await this.receipts?.stop();
    this.receiver.close();
  }
}

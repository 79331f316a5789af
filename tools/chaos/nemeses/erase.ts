// Several clients create and delete users while service, nats-server or both are killed: right after the service logs a certain
// step of an erasure, each step in turn, and sometimes at any moment. An erased user must be nowhere: in no answer (checker.ts),
// and in no byte under DATA_DIR or of the journal of deletions.

import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {type ErasureStep, erasureStepMessage, erasureSteps} from '../../../src/partition/erasure/erasure-steps.js';
import {type Found, searchDisk} from '../../disk-search.js';
import type {Random} from '../../random.js';
import type {Broken} from '../broken.js';
import {Eraser, markerOf} from '../erasures.js';
import type {Nemesis, Stage} from '../nemesis.js';
import type {Sender} from '../sender.js';
import {type LogLine, ServiceLog} from '../service-log.js';
import {AllTraffic, type Traffic, Worker} from '../traffic.js';
import type {Truth} from '../truth.js';
import type {Workload} from '../workload.js';
import {killOnce} from './kill-nats.js';

const erasersCount = 3;
// Each costs reading the whole store.
const searchedUsersMax = 4;
const completedMsMax = 60_000;
// A late copy of an erased event stays in the log until the next snapshot cleans it.
const scrubbedMsMax = 60_000;
const pollMs = 200;

// The clients delete all the time; a step that does not come by then is tried again later.
const stepMsMax = 12_000;
const anyMomentShare = 0.15;

export class Erase implements Nemesis {
  readonly strikes = {min: 1, max: 3};
  /** How often each step was the last that the struck partition logged. */
  private readonly hits = new Map<ErasureStep, number>(erasureSteps.map((step) => [step, 0]));
  private erasers: readonly Eraser[] = [];
  private readonly tries = new Map<ErasureStep, number>(erasureSteps.map((step) => [step, 0]));

  async prepare(folder: string) {
    return {dataDir: join(folder, 'data'), env: {LOG_LEVEL: 'debug'}};
  }

  traffic(workload: Workload, senders: readonly Sender[]): Traffic {
    const name = (i: number): string => `round-${workload.round}-client-${i}`;
    this.erasers = senders.slice(0, erasersCount).map((sender, i) => new Eraser(workload, sender, name(i)));
    const workers = senders
      .slice(erasersCount)
      .map((sender, i) => new Worker(workload, sender, name(erasersCount + i)));
    return new AllTraffic([...this.erasers, ...workers]);
  }

  async strike(stage: Stage, random: Random): Promise<void> {
    const how = random.weighted({service: 5, all: 3, nats: 2});
    if (random.chance(anyMomentShare)) return kill(stage, how);
    await this.strikeAt(this.nextStep(), stage, how);
  }

  /** The step that was hit least often, and tried least often. */
  private nextStep(): ErasureStep {
    const rank = (step: ErasureStep): number => this.hits.get(step)! * 1_000 + this.tries.get(step)!;
    return erasureSteps.reduce((least, step) => (rank(step) < rank(least) ? step : least));
  }

  private async strikeAt(step: ErasureStep, stage: Stage, how: Victim): Promise<void> {
    const log = new ServiceLog(stage.service.options.logPath);
    try {
      this.tries.set(step, this.tries.get(step)! + 1);
      const isErasure = (one: LogLine): boolean => one.msg === erasureStepMessage;
      const line = await log.until((one) => isErasure(one) && one.step === step, stepMsMax);
      stage.journal.write({line: 'strike', name: `${how} at ${line === undefined ? 'any moment' : step}`});
      // If the partition logged more before its end, the kill came too late for this step.
      const isLate = (): boolean => log.next().some((one) => isErasure(one) && one.partition === line?.partition);
      await kill(stage, how, () => {
        if (line !== undefined && !isLate()) this.hits.set(step, this.hits.get(step)! + 1);
      });
    } finally {
      log.close();
    }
  }

  account(): Readonly<Record<string, number>> {
    return Object.fromEntries(erasureSteps.map((step) => [`killed at: ${step}`, this.hits.get(step)!]));
  }

  async check(stage: Stage, truth: Truth, round: number): Promise<Broken[]> {
    const erased = completedErasures(truth).filter((one) => one.round === round);
    const kept = this.erasers.flatMap((eraser) => eraser.kept);
    return [...(await stillOpen(stage, erased)), ...brokenSearch(stage, kept), ...(await brokenDisk(stage, erased))];
  }

  conclude(stage: Stage, truth: Truth): Promise<Broken[]> {
    return brokenDisk(stage, completedErasures(truth));
  }
}

type Victim = 'service' | 'nats' | 'all';

/** `onEnd`: called when the service has ended, or its nats-server has the signal; before anything starts again. */
async function kill(stage: Stage, how: Victim, onEnd: () => void = () => undefined): Promise<void> {
  const {service} = stage;
  if (how === 'nats') {
    const killed = killOnce(stage);
    onEnd();
    return killed;
  }
  if (how === 'all') await service.killAll();
  else await service.kill();
  onEnd();
  service.start();
}

interface Erased {
  readonly round: number;
  readonly userId: string;
  readonly deletionId: string;
}

/** Users that were deleted and did not come back, the newest last. */
function completedErasures(truth: Truth): Erased[] {
  const newest = new Map<string, number>();
  for (const {thing} of truth.fates.values()) {
    if (thing.kind === 'event' && thing.body.userId != null) newest.set(thing.body.userId, thing.n);
  }
  return [...truth.fates.values()].flatMap(({thing, deletionId}) => {
    if (thing.kind !== 'deletion' || deletionId === undefined) return [];
    return (newest.get(thing.userId) ?? 0) > thing.n ? [] : [{round: thing.round, userId: thing.userId, deletionId}];
  });
}

async function stillOpen({readback}: Stage, erased: readonly Erased[]): Promise<Broken[]> {
  const deadlineMs = performance.now() + completedMsMax;
  for (const {deletionId} of erased) {
    for (;;) {
      const {deletion} = await readback.json<{deletion: {status: string}}>(`/v1/deletions/${deletionId}`);
      if (deletion.status === 'completed') break;
      if (performance.now() > deadlineMs) {
        return [{invariant: 'erased', detail: `${deletionId} is ${deletion.status} after ${completedMsMax} ms`}];
      }
      await delay(pollMs);
    }
  }
  return [];
}

const searchedFolders = ({service}: Stage): string[] => {
  const {dataDir} = service.options;
  return [dataDir, `${dataDir}-deletions`];
};

const search = (stage: Stage, markers: readonly string[]): Found[] =>
  searchedFolders(stage).flatMap((folder) => searchDisk(folder, markers));

/** A search that does not find the users that stay proves nothing. */
function brokenSearch(stage: Stage, kept: readonly string[]): Broken[] {
  const found = new Set(search(stage, kept).map(({marker}) => marker));
  const missed = kept.filter((marker) => !found.has(marker));
  return missed.map((marker) => ({invariant: 'erased', detail: `the search does not find ${marker}, who is there`}));
}

async function brokenDisk(stage: Stage, erased: readonly Erased[]): Promise<Broken[]> {
  const markers = erased.slice(-searchedUsersMax).map(({userId}) => markerOf(userId));
  if (markers.length === 0) return [];
  const deadlineMs = performance.now() + scrubbedMsMax;
  for (;;) {
    const found = search(stage, markers);
    if (found.length === 0) return [];
    if (performance.now() > deadlineMs) {
      return found.map(({file, form, marker}) => ({invariant: 'erased', detail: `${marker} as ${form} in ${file}`}));
    }
    await delay(pollMs);
  }
}

// Users are made and deleted by several clients; service, nats-server or both are killed meanwhile. An erased user must
// be nowhere: in no answer (checker.ts), and in no byte under DATA_DIR.

import {setTimeout as delay} from 'node:timers/promises';
import {searchDisk} from '../../disk-search.js';
import type {Broken} from '../broken.js';
import {Eraser} from '../erasures.js';
import type {Nemesis, Stage} from '../nemesis.js';
import {AllTraffic, Worker} from '../traffic.js';
import type {Truth} from '../truth.js';
import {killAll} from './kill-all.js';
import {killOnce} from './kill-nats.js';

const erasersCount = 3;
// Each costs a reading of the whole store.
const searchedUsersMax = 4;
const completedMsMax = 60_000;
// A late copy of an erased event lies in the log until the next snapshot cleans it.
const scrubbedMsMax = 60_000;
const pollMs = 200;

export const erase: Nemesis = {
  strikes: {min: 1, max: 3},

  traffic(workload, senders) {
    const name = (i: number): string => `round-${workload.round}-client-${i}`;
    return new AllTraffic(
      senders.map((sender, i) =>
        i < erasersCount ? new Eraser(workload, sender, name(i)) : new Worker(workload, sender, name(i)),
      ),
    );
  },

  async strike(stage, random) {
    const {service} = stage;
    const how = random.pick(['service', 'nats', 'all'] as const);
    if (how === 'nats') return killOnce(stage);
    if (how === 'all') return killAll.strike(stage, random);
    await service.kill();
    service.start();
  },

  async check(stage, truth, round) {
    const erased = completedErasures(truth, round);
    const open = await stillOpen(stage, erased);
    return [...open, ...(await brokenDisk(stage, erased.slice(0, searchedUsersMax)))];
  },
};

interface Erased {
  readonly userId: string;
  readonly deletionId: string;
}

/** Users that were deleted and did not come back. */
function completedErasures(truth: Truth, round: number): Erased[] {
  const newest = new Map<string, number>();
  for (const {thing} of truth.fates.values()) {
    if (thing.kind === 'event' && thing.body.userId != null) newest.set(thing.body.userId, thing.n);
  }
  return [...truth.fates.values()].flatMap(({thing, deletionId}) => {
    if (thing.kind !== 'deletion' || thing.round !== round || deletionId === undefined) return [];
    return (newest.get(thing.userId) ?? 0) > thing.n ? [] : [{userId: thing.userId, deletionId}];
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

async function brokenDisk({service}: Stage, erased: readonly Erased[]): Promise<Broken[]> {
  const markers = erased.map(({userId}) => userId);
  if (markers.length === 0) return [];
  const deadlineMs = performance.now() + scrubbedMsMax;
  for (;;) {
    const found = searchDisk(service.options.dataDir, markers);
    if (found.length === 0) return [];
    if (performance.now() > deadlineMs) {
      return found.map(({file, form, marker}) => ({invariant: 'erased', detail: `${marker} as ${form} in ${file}`}));
    }
    await delay(pollMs);
  }
}

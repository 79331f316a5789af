// Random workloads against the real service and against the model, one of them also against many processes that share the work: every
// answer must be equal.
// The long form, with a restart of either kind in each seed: `DIFFERENTIAL_SEEDS=7,8,9 npx vitest run test/differential.test.ts`.
// A failure names its seed.

import {test} from 'vitest';
import {play, type Run} from './differential/play.js';
import {playsAll} from './support/runs.js';

const askedSeeds = process.env.DIFFERENTIAL_SEEDS;

/** By seed. test/everyday-differential.test.ts plays one more. */
const allRuns: readonly Run[] = [
  {seed: 1, restarts: ['kill'], batchEventsMax: 30, env: {PARTITIONS: '4'}},
  {
    seed: 2,
    restarts: ['kill'],
    batchEventsMax: 30,
    env: {PARTITIONS: '3', MEMORY_CACHE_MIB: '16', REPORT_REFRESH_SECONDS: '0.5'},
  },
  // Snapshots as fast as they may come: parts are merged and swept again and again.
  {seed: 3, restarts: ['stop'], batchEventsMax: 60, env: {PARTITIONS: '1', REPORT_REFRESH_SECONDS: '0.1'}},
  // Many events: more than one chunk of rows, more than one page of everything.
  {seed: 4, restarts: ['kill'], batchEventsMax: 500, env: {PARTITIONS: '3', MEMORY_CACHE_MIB: '16'}, isShared: true},
  {seed: 5, restarts: ['stop', 'kill'], batchEventsMax: 60, env: {PARTITIONS: '3'}, retentionDays: 5},
];
const fixedRuns = playsAll || askedSeeds !== undefined ? allRuns : allRuns.filter(({isShared}) => isShared);

const runs: readonly Run[] =
  askedSeeds === undefined
    ? fixedRuns
    : askedSeeds
        .split(',')
        .map(Number)
        .map((seed) => ({
          ...fixedRuns[(seed - 1) % fixedRuns.length]!,
          seed,
          restarts: seed % 2 === 0 ? ['stop', 'kill'] : ['kill', 'stop'],
        }));

/** Two deployments are compared with each other, too: half of it takes as long. */
const lengthsOf = ({isShared = false}: Run) => ({
  steps: isShared ? 40 : 60,
  queries: (askedSeeds === undefined ? 10 : 20) / (isShared ? 2 : 1),
});

test.each(runs)('the service answers as the model does seed $seed', {timeout: 300_000}, async (run) => {
  await play(run, lengthsOf(run)).catch((error) => {
    throw new Error(`DIFFERENTIAL_SEEDS=${run.seed} plays this again`, {cause: error});
  });
});

// Runs of benches as tests need them: whole ones, of which a test changes what it is about.
import type {BenchRun, Figure, ListedRun} from '../../src/bench-run.js';
import {runId} from '../../src/bench-run.js';

export const figureOf = (changed: Partial<Figure> = {}): Figure => ({
  id: 'floor-to-ours',
  name: 'CPU of F2 / CPU of ours',
  unit: 'ratio',
  better: 'more',
  samples: [0.7, 0.72, 0.74, 0.71, 0.73],
  ...changed,
});

export const benchRunOf = (changed: Partial<BenchRun> = {}): BenchRun => ({
  bench: 'ingest',
  time: '2026-11-20T10:00:00.000Z',
  host: {cpu: 'AMD EPYC', cores: 2, memoryMib: 7_955, kernel: 'linux 6.1.0 x64', dataFilesystem: 'ext4 (rw)'},
  versions: {millrace: '0.1.0', commit: '7de45c5'.padEnd(40, '0'), changed: '', node: 'v20.20.2', natsServer: null},
  options: {
    rounds: 5,
    seconds: 5,
    refreshSeconds: 10,
    partitions: 4,
    foreignShareMax: 0.1,
    numbers: {},
    isSmall: false,
    isProfiled: false,
  },
  figures: [figureOf()],
  rounds: [{name: 'single events', foreignShares: [0.01, 0.02, 0.01, 0.03, 0.02], voided: []}],
  ...changed,
});

export const listedRunOf = (changed: Partial<BenchRun> = {}): ListedRun => {
  const run = benchRunOf(changed);
  return {id: runId(run), ...run};
};

/** A run a day, in their order. */
export const dayTime = (day: number): string => `2026-11-${String(day + 1).padStart(2, '0')}T10:00:00.000Z`;

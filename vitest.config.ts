import {readdirSync, readFileSync} from 'node:fs';
import {defineConfig} from 'vitest/config';
import {BaseSequencer, type TestSpecification} from 'vitest/node';

/**
 * Those that take long, judge times, or look at what a module keeps for its process: a process each. Minutes that one of them takes at
 * the end, alone, would be minutes of the whole: they begin. The longest first.
 */
const longFiles = [
  'test/partition/partition-role.test.ts',
  'test/cluster.test.ts',
  'test/bench-engine.test.ts',
  'test/differential.test.ts',
  'test/restart.test.ts',
  'test/tools/chaos.test.ts',
  'test/lifecycle.test.ts',
  'test/external-nats.test.ts',
  'test/backup.test.ts',
  'test/long-waits.test.ts',
  'test/bench-ingest.test.ts',
  'test/bench-load.test.ts',
  'test/bench-peer.test.ts',
  'test/bench.test.ts',
  'test/kernels.test.ts',
  'test/package.test.ts',
  'test/tools/fuzz.test.ts',
  'test/tools/mutants.test.ts',
  'test/edge/idle-connections.test.ts',
  'test/edge/overload.test.ts',
  'test/report/derived/postings-index.test.ts',
  'test/ingest/plain-batch.test.ts',
  'test/report/derived/value-index.test.ts',
  'test/edge/collected-body.test.ts',
  'test/dashboard/report-registry.test.ts',
];

/** What a file imports that starts a service, a nats-server, a browser, or another program. */
const startsPrograms =
  /support\/(complaints|service|nats|nats-cluster|external-nats|partition-role|reverse-proxy|small-bench|browser-client|dashboard-page)\.js|service-under-test|node:child_process|startEmbeddedNats/;

const testFiles = readdirSync('test', {recursive: true, encoding: 'utf8'})
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`);
/**
 * One suite for each area, and the simulation, which a contributor runs before a commit: with the unit tests they notice nine in ten
 * seeded bugs. Each starts a service or a tool. The longest first.
 */
const everydayFiles = [
  'test/tools/sim.test.ts',
  'test/conformance/reports.test.ts',
  'test/everyday-differential.test.ts',
  'test/edge/dashboard/access.test.ts',
  // These share a service, as long as they follow each other.
  'test/conformance/deletions.test.ts',
  'test/conformance/users.test.ts',
  'test/conformance/keys.test.ts',
  'test/conformance/routing.test.ts',
  'test/conformance/lists.test.ts',
  'test/conformance/events.test.ts',
  'test/conformance/batch.test.ts',
];
const otherFiles = testFiles.filter((file) => !longFiles.includes(file) && !everydayFiles.includes(file));
const textOf = (file: string): string => readFileSync(file, 'utf8');
const serviceFiles = otherFiles.filter((file) => startsPrograms.test(textOf(file)));

/** What a file imports that plays random cases: seconds of work, and on a busy machine more. */
const playsCases = /support\/runs\.js|from 'fast-check'/;
/** No random cases, and as much work; or a thread that others share is not for it: timers of another file would be counted as its own. */
const heavyFiles = [
  'test/pacing/condition-variable.test.ts',
  'test/partition/runner.test.ts',
  'test/actors/chunk/bodies.test.ts',
  'test/actors/chunk/event-rows.test.ts',
  'test/actors/parts.test.ts',
  'test/actors/report/passes.test.ts',
  'test/edge/unread-answers.test.ts',
  'test/partition/identity/mover.test.ts',
  'test/partition/snapshot/compaction.test.ts',
  'test/partition/erasure/erasure.test.ts',
  'test/partition/snapshot/part-sweep.test.ts',
  'test/partition/funnels/saved-funnels.test.ts',
  'test/report/lost-manifests.test.ts',
  'test/report/moved-users.test.ts',
  'test/report/scans.test.ts',
];
const withoutPrograms = otherFiles.filter((file) => !serviceFiles.includes(file));
const caseFiles = withoutPrograms.filter((file) => heavyFiles.includes(file) || playsCases.test(textOf(file)));
const unitFiles = withoutPrograms.filter((file) => !caseFiles.includes(file));

// A list that names a file by its earlier name would run it with those that it cannot stand.
const unknown = [...longFiles, ...everydayFiles, ...heavyFiles].filter((file) => !testFiles.includes(file));
if (unknown.length > 0) throw new Error(`vitest.config.ts names no file: ${unknown.join(', ')}`);

/** Without times of an earlier run vitest begins with the largest files, which are not those that take long. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const first = [...longFiles, ...everydayFiles];
    const placeOf = ({moduleId}: TestSpecification): number => {
      const place = first.findIndex((file) => moduleId.endsWith(`/${file}`));
      return place === -1 ? first.length : place;
    };
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b));
  }
}

/** One file after the other in a process, with the modules that it has loaded and compiled: a third less CPU. */
const inTurn = {isolate: false} as const;
/** Threads instead of processes. Not for files that start threads themselves. */
const inThreads = {...inTurn, pool: 'threads'} as const;

/** Generous: a slow machine is not what is tested; a test that hangs still ends, after its longest wait has said for what. */
const calm = {testTimeout: 120_000, hookTimeout: 120_000};
/** More where programs are started. */
const patience = {testTimeout: 300_000, hookTimeout: 300_000, teardownTimeout: 30_000};
const ofServices = {setupFiles: ['test/support/each-service-file.ts'], ...patience, ...inTurn};

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Three files at a time: an integration test is itself two busy processes (the service and nats-server), which wait for
    // each other, and for the disk, a third of their time. A fourth leaves no core idle, and makes a whole run no shorter.
    maxWorkers: 3,
    sequence: {sequencer: LongFilesFirst},
    // What one project has transformed, another one and the next run take.
    experimental: {fsModuleCache: true, fsModuleCachePath: '.cache/modules'},
    // A build that is broken for good would use up the time of every test.
    bail: 20,
    // `npm test` plays the first three, mixed, `npm run test:rest` the others, `npm run test:all` all.
    projects: [
      {extends: true, test: {name: 'unit', include: unitFiles, ...calm, ...inThreads}},
      {extends: true, test: {name: 'cases', include: caseFiles, ...calm, ...inTurn}},
      {extends: true, test: {name: 'everyday', include: everydayFiles, ...ofServices}},
      {extends: true, test: {name: 'service', include: serviceFiles, ...ofServices}},
      {extends: true, test: {name: 'long', include: longFiles, ...patience}},
    ],
  },
});

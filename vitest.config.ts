import {defineConfig} from 'vitest/config';
import {BaseSequencer, type TestSpecification} from 'vitest/node';

/** Minutes that one of them takes at the end, alone, would be minutes of the whole: they begin. The longest first. */
const longFiles = [
  'test/bench-ingest.test.ts',
  'test/bench-engine.test.ts',
  'test/partition/partition-role.test.ts',
  'test/reliability/chaos.test.ts',
  'test/differential.test.ts',
  'test/cluster.test.ts',
  'test/restart.test.ts',
  'test/long-waits.test.ts',
  'test/lifecycle.test.ts',
  'test/external-nats.test.ts',
  'test/backup.test.ts',
];

/** Without times of an earlier run vitest begins with the largest files, which are not those that take long. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({moduleId}: TestSpecification): number => {
      const place = longFiles.findIndex((file) => moduleId.endsWith(`/${file}`));
      return place === -1 ? longFiles.length : place;
    };
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // A process per file: integration tests end their services when their process ends.
    pool: 'forks',
    // Three files at a time: an integration test is itself two busy processes (the service and nats-server), which wait for
    // each other, and for the disk, a third of their time.
    maxWorkers: 3,
    sequence: {sequencer: LongFilesFirst},
    // Generous: a slow machine is not what is tested; a test that hangs still ends.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
    // A build that is broken for good would use up the time of every test.
    bail: 20,
  },
});

import {defineConfig} from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // A process per file: integration tests end their services when their process ends.
    pool: 'forks',
    // Two files at a time: an integration test is itself two busy processes (the service and nats-server).
    maxWorkers: 2,
    // Generous: a slow machine is not what is tested; a test that hangs still ends.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
    // A build that is broken for good would use up the time of every test.
    bail: 20,
  },
});

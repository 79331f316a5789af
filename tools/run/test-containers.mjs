// `npm run test:containers`: the tests against a NATS server in a container. Without Docker it says so and does nothing.
// One server serves all tests: each service gets its own NATS account (test/support/service.ts).

import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {runScript} from '../../scripts/project.mjs';
import {setUp} from '../../scripts/setup.mjs';
import {runVitest} from './vitest.mjs';

const image = 'nats:2.15-alpine';
const clientPort = 4222;
// More than the services of all tests; an account without data costs next to nothing.
const accountCount = 500;

/** Accounts `t0`, `t1`, … with a JetStream each; synced before every ack, as in docker-compose.yml. */
function natsConfig() {
  const accounts = Array.from(
    {length: accountCount},
    (_, n) => `  T${n} { jetstream: enabled, users: [{user: "t${n}", password: "test"}] }`,
  );
  return [
    `port: ${clientPort}`,
    'http_port: 8222',
    'jetstream { store_dir: "/data", sync_interval: always }',
    'accounts {',
    ...accounts,
    '}',
    '',
  ].join('\n');
}

function dockerProblem() {
  const {status, error, stderr} = spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  if (status === 0) return undefined;
  if (error?.code === 'ENOENT') return 'there is no docker command';
  return (error?.message ?? stderr).trim().split('\n')[0];
}

async function runAgainstContainer(words, env) {
  const {GenericContainer, Wait} = await import('testcontainers');
  const claims = mkdtempSync(join(tmpdir(), 'millrace-claims-'));
  const container = await new GenericContainer(image)
    .withCopyContentToContainer([{content: natsConfig(), target: '/etc/millrace-nats.conf'}])
    .withCommand(['-c', '/etc/millrace-nats.conf'])
    .withExposedPorts(clientPort)
    .withWaitStrategy(Wait.forLogMessage(/Server is ready/))
    .start();
  try {
    const url = `nats://{account}:test@${container.getHost()}:${container.getMappedPort(clientPort)}`;
    console.log(`tests run against ${image} at ${container.getHost()}:${container.getMappedPort(clientPort)}`);
    return await runVitest(words, {...env, TEST_NATS_URL: url, TEST_NATS_CLAIMS: claims});
  } finally {
    await container.stop();
    rmSync(claims, {recursive: true, force: true});
  }
}

await runScript(async () => {
  const problem = dockerProblem();
  if (problem !== undefined) {
    console.log(`SKIPPED: test:containers needs a running Docker, npm test does not: ${problem}`);
    console.log('0 passed, 0 failed, 1 skipped');
    return;
  }
  const env = await setUp({needs: 'everything'});
  process.exitCode = await runAgainstContainer(process.argv.slice(2), env);
});

// A nats-server that is too busy to answer in time, as on a machine that does something else: it stands still for longer than a
// request of the client waits.
import {expect, test} from 'vitest';
import {connectNats} from '../../src/nats/client/connection.js';
import {ensureTopology, readDeployment} from '../../src/nats/topology.js';
import {halt} from '../support/halt.js';
import {startTestNats} from '../support/nats.js';

/** The client gives a request up after 5 s. */
const standsStillMs = 6_000;

test('a start beside a server that is busy waits for it', async () => {
  const {nats, stop} = await startTestNats(1);
  const nc = await connectNats(nats.address, 'test');
  const created = await ensureTopology(nc, {partitions: 1, replicas: 1});
  const pid = nats.pid()!;
  await halt(pid);
  setTimeout(() => process.kill(pid, 'SIGCONT'), standsStillMs);
  expect(await readDeployment(nc)).toEqual(created);
  await nc.close();
  await stop();
});

// A nats-server of a test's own, started and restarted as the service does it.

import {lockDataDir} from '../../src/data-lock.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {type EmbeddedNats, startEmbeddedNats} from '../../src/nats/server/embedded.js';
import {ensureTopology} from '../../src/nats/topology.js';
import {createLogger} from '../../src/observe.js';
import {temporaryFolder} from './service.js';

export interface TestNats {
  readonly nats: EmbeddedNats;
  readonly dataDir: string;
  stop(): Promise<void>;
}

/** With the streams and buckets of a deployment in place. */
export async function startTestNats(partitions: number): Promise<TestNats> {
  const dataDir = temporaryFolder();
  const lock = await lockDataDir(dataDir, () => {});
  const serverBin = process.env.NATS_SERVER_BIN!;
  const nats = await startEmbeddedNats({dataDir, serverBin, lock, logger: createLogger('silent', 'test')});
  const nc = await connectNats(nats.address, 'test-setup');
  await ensureTopology(nc, {partitions, replicas: 1});
  await nc.close();
  return {
    nats,
    dataDir,
    async stop() {
      await nats.stop();
      lock.release();
    },
  };
}

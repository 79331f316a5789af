// The bench's own nats-server over the folder of a stopped service: log and parts without a process that folds.

import {lockDataDir} from '../../src/data-lock.js';
import {startEmbeddedNats} from '../../src/nats/server/embedded.js';
import {createLogger} from '../../src/observe.js';
import type {NatsAddress} from '../../src/worker-messages.js';

export interface Broker {
  readonly address: NatsAddress;
  stop(): Promise<void>;
}

/** `dataDir`: DATA_DIR of a stopped service. */
export async function startBroker(dataDir: string): Promise<Broker> {
  const lock = await lockDataDir(dataDir, () => {});
  const serverBin = process.env.NATS_SERVER_BIN ?? '';
  const nats = await startEmbeddedNats({dataDir, serverBin, lock, logger: createLogger('warn', 'bench')});
  let isStopped = false;
  return {
    address: nats.address,
    async stop() {
      if (isStopped) return;
      isStopped = true;
      await nats.stop();
      lock.release();
    },
  };
}

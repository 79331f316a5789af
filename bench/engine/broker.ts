// A nats-server of the bench's own over a folder that a service left: its log and parts without anybody who folds them.

import {lockDataDir} from '../../src/data-lock.js';
import {startEmbeddedNats} from '../../src/nats/server/embedded.js';
import {createLogger} from '../../src/observe.js';
import type {NatsAddress} from '../../src/worker-messages.js';

export interface Broker {
  readonly address: NatsAddress;
  stop(): Promise<void>;
}

/** `dataDir`: the DATA_DIR of a service that has ended. */
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

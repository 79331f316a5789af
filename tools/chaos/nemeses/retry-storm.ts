// Every event is sent one to five times in any batches, over all connections at once, with late copies of earlier rounds;
// meanwhile service or nats-server are sometimes killed, or the service is stopped in good order.

import type {Nemesis, Stage} from '../nemesis.js';
import {Remembered, Storm} from '../storm.js';
import {killOnce} from './kill-nats.js';
import {stopService} from './restart.js';

export function retryStorm(): Nemesis {
  const remembered = new Remembered();
  return {
    strikes: {min: 0, max: 1},
    traffic: (workload, senders) => new Storm(workload, senders, remembered),
    async strike(stage, random) {
      await random.pick([killService, restartService, killOnce])(stage);
    },
  };
}

async function killService({service}: Stage): Promise<void> {
  await service.kill();
  service.start();
}

async function restartService(stage: Stage): Promise<void> {
  await stopService(stage);
  stage.service.start();
}

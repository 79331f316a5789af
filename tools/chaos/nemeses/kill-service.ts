// SIGKILL to the service, sometimes again while it starts. Its nats-server notices and closes in good order.

import {setTimeout as delay} from 'node:timers/promises';
import type {Nemesis} from '../nemesis.js';

const startMsMax = 1_500;

export const killService: Nemesis = {
  strikes: {min: 1, max: 2},

  async strike({service}, random) {
    await service.kill();
    service.start();
    if (!random.chance(0.3)) return;
    await delay(random.between(0, startMsMax));
    await service.kill();
    service.start();
  },
};

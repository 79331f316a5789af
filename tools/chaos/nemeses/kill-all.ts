// SIGKILL to the nats-server and the service at the same moment: neither closes anything.

import {setTimeout as delay} from 'node:timers/promises';
import type {Nemesis} from '../nemesis.js';

const startMsMax = 1_500;

export const killAll: Nemesis = {
  strikes: {min: 1, max: 2},

  async strike({service}, random) {
    await service.killAll();
    service.start();
    if (!random.chance(0.3)) return;
    await delay(random.between(0, startMsMax));
    await service.killAll();
    service.start();
  },
};

// SIGSTOP and, some time later, SIGCONT: to nats-server, whose connections then stay open and silent, or to the service.

import {setTimeout as delay} from 'node:timers/promises';
import {sendSignal} from '../../service-process.js';
import {type Nemesis, outage, type Stage, silenceNoticedMs} from '../nemesis.js';

// Longer than the 3 s after which silence is noticed and the 5 s after which a publish is given up: pauses end before and after
// both.
const pauseMsMax = 7_000;
const shortPauseMsMax = 1_000;

export const pause: Nemesis = {
  strikes: {min: 1, max: 2},

  async strike(stage, random) {
    const pauseMs = random.between(20, random.chance(0.4) ? pauseMsMax : shortPauseMsMax);
    if (random.chance(0.7)) await pauseNats(stage, pauseMs);
    else await paused(stage.service.pid, pauseMs);
  },
};

async function pauseNats(stage: Stage, pauseMs: number): Promise<void> {
  const pid = stage.service.natsPid();
  if (pid === undefined) throw new Error('a service that is ready has a nats-server');
  await outage(stage, `pause of ${pauseMs} ms`, silenceNoticedMs, () => paused(pid, pauseMs));
}

async function paused(pid: number, pauseMs: number): Promise<void> {
  sendSignal(pid, 'SIGSTOP');
  await delay(pauseMs);
  sendSignal(pid, 'SIGCONT');
}

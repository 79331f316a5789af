// SIGKILL to the embedded nats-server, sometimes several times in a row. The service starts it again by itself.

import {sendSignal} from '../../service-process.js';
import {brokenNoticedMs, type Nemesis, outage, type Stage} from '../nemesis.js';

const comesBackMsMax = 30_000;

export const killNats: Nemesis = {
  strikes: {min: 1, max: 3},

  async strike(stage, random) {
    const times = random.chance(0.3) ? random.between(2, 4) : 1;
    for (let time = 0; time < times; time++) await killOnce(stage);
  },
};

export async function killOnce(stage: Stage): Promise<void> {
  const {service} = stage;
  const pid = await service.nextNatsPid(undefined, comesBackMsMax);
  if (pid === undefined) throw new Error(`no nats-server for ${comesBackMsMax} ms`);
  await outage(stage, 'kill-nats', brokenNoticedMs, async () => {
    sendSignal(pid, 'SIGKILL');
    if ((await service.nextNatsPid(pid, comesBackMsMax)) === undefined) {
      throw new Error(`nats-server was not started again within ${comesBackMsMax} ms`);
    }
  });
}

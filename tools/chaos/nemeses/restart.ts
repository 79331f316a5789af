// The service is stopped and restarted, by SIGTERM and SIGKILL alternately, while clients retry until they are answered. A stop
// ends with code 0, and no request fails in the end.

import type {Nemesis, Stage} from '../nemesis.js';
import {RetryingClient} from '../retrying-client.js';
import {AllTraffic} from '../traffic.js';

export function restart(): Nemesis {
  let restarts = 0;
  return {
    strikes: {min: 2, max: 2},
    traffic: (workload, senders, readback) =>
      new AllTraffic(
        senders.map(
          (sender, i) => new RetryingClient(workload, sender, readback, `round-${workload.round}-retrying-${i}`),
        ),
      ),
    async strike({service}) {
      restarts += 1;
      if (restarts % 2 === 0) await service.kill();
      else await stopService({service});
      service.start();
    },
    account: () => ({restarts}),
  };
}

/** SIGTERM. @throws when it does not end in good order. */
export async function stopService({service}: Pick<Stage, 'service'>): Promise<void> {
  const exit = await service.stop();
  if (exit !== 'code 0') throw new Error(`a clean stop ended by ${exit}`);
}

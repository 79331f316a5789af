// The lines by which three nats-servers on this machine are one cluster.

import {freePort} from './free-port.js';

const names = ['one', 'two', 'three'] as const;
export const clusterSize = names.length;

/** Of the configuration of each server; their routes have ports that are free now. */
export async function clusterLines(): Promise<string[][]> {
  const ports = await Promise.all(names.map(freePort));
  const routes = ports.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  return names.map((name, i) => [
    `server_name: ${name}`,
    `cluster { name: test, listen: "127.0.0.1:${ports[i]}", routes: [${routes}] }`,
  ]);
}

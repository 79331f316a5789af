// Configuration that makes three nats-servers on this machine a cluster.

import {freePort} from './free-port.js';

export const clusterMembers = [0, 1, 2] as const;
export const clusterSize = clusterMembers.length;

/** Lines for each server. Clients know the addresses that they were given, and no others; the routes have ports that are free now. */
export async function clusterLines(): Promise<string[][]> {
  const ports = await Promise.all(clusterMembers.map(freePort));
  const routes = ports.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  return clusterMembers.map((member) => [
    `server_name: server-${member}`,
    `cluster { name: test, listen: "127.0.0.1:${ports[member]}", routes: [${routes}], no_advertise: true }`,
  ]);
}

// Configuration that makes three nats-servers on this machine a cluster.

import {freePort} from './free-port.js';

export const clusterMembers = [0, 1, 2] as const;
export const clusterSize = clusterMembers.length;

/** Lines for each server; their routes have ports that are free now. `more`: within the block of the cluster. */
export async function clusterLines(more = ''): Promise<string[][]> {
  const ports = await Promise.all(clusterMembers.map(freePort));
  const routes = ports.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  return clusterMembers.map((member) => [
    `server_name: server-${member}`,
    `cluster { name: test, listen: "127.0.0.1:${ports[member]}", routes: [${routes}]${more} }`,
  ]);
}

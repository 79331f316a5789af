// Configuration that makes three nats-servers on this machine a cluster.

import {freePort} from './free-port.js';
import {type Host, loopback} from './hosts.js';

export const clusterMembers = [0, 1, 2] as const;
export const clusterSize = clusterMembers.length;

/** Lines for each server; their routes have ports that are free now. `more`: within the block of the cluster. `hosts`: one for each. */
export async function clusterLines(
  more = '',
  hosts: readonly Host[] = clusterMembers.map(() => loopback),
): Promise<string[][]> {
  const ports = await Promise.all(clusterMembers.map(freePort));
  const places = ports.map((port, member) => `${hosts[member]!.address}:${port}`);
  const routes = places.map((place) => `"nats://${place}"`).join(', ');
  return clusterMembers.map((member) => [
    `server_name: server-${member}`,
    `cluster { name: test, listen: "${places[member]}", routes: [${routes}]${more} }`,
  ]);
}

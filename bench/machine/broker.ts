// Address of the nats-server of a running service under test, from the files in its folder.

import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {NatsAddress} from '../../src/worker-messages.js';

/** `dataDir`: DATA_DIR of a service that is ready. */
export function brokerAddress(dataDir: string): NatsAddress {
  const folder = join(dataDir, 'nats');
  const token = /token: "([^"]+)"/.exec(readFileSync(join(folder, 'server.conf'), 'utf8'))?.[1];
  const portsFile = readdirSync(join(folder, 'ports')).find((name) => name.endsWith('.ports'));
  if (token === undefined || portsFile === undefined) throw new Error(`no running nats-server in ${folder}`);
  const {nats} = JSON.parse(readFileSync(join(folder, 'ports', portsFile), 'utf8')) as {nats: string[]};
  return {servers: [`127.0.0.1:${new URL(nats[0]!.replace('nats:', 'http:')).port}`], token};
}

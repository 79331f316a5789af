// An external nats-server that forgets: its files are put back to how they were, as a power cut leaves those of a server that
// syncs by a timer, or a backup that is restored.
import {cpSync, mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {connectNats} from '../../src/nats/client/connection.js';
import {ensureTopology} from '../../src/nats/topology.js';
import type {NatsAddress} from '../../src/worker-messages.js';
import {freePort} from '../../tools/chaos/free-port.js';
import {NatsProcess} from '../../tools/chaos/nats-process.js';
import {temporaryFolder} from './service.js';

export class ForgetfulNats {
  readonly address: NatsAddress;
  private readonly folder: string;
  private readonly port: number;
  private server: NatsProcess;

  private constructor(folder: string, port: number, server: NatsProcess) {
    this.folder = folder;
    this.port = port;
    this.server = server;
    this.address = {servers: [`127.0.0.1:${port}`]};
  }

  /** With the streams and buckets of a deployment of one partition. */
  static async start(): Promise<ForgetfulNats> {
    const [folder, port] = [temporaryFolder(), await freePort()];
    const nats = new ForgetfulNats(folder, port, await startIn(folder, port));
    const nc = await connectNats(nats.address, 'test-setup');
    await ensureTopology(nc, {partitions: 1, replicas: 1});
    await nc.close();
    return nats;
  }

  /** A copy of all that came until now. */
  async remember(name: string): Promise<void> {
    await this.server.stop();
    cpSync(storeIn(this.folder), this.copy(name), {recursive: true});
    this.server = await startIn(this.folder, this.port);
  }

  /** The server is killed, and runs again with what that copy has. */
  async goBackTo(name: string): Promise<void> {
    await this.server.kill();
    rmSync(storeIn(this.folder), {recursive: true, force: true});
    cpSync(this.copy(name), storeIn(this.folder), {recursive: true});
    this.server = await startIn(this.folder, this.port);
  }

  async close(): Promise<void> {
    await this.server.kill();
  }

  private copy(name: string): string {
    return join(this.folder, `copy ${name}`);
  }
}

const storeIn = (folder: string): string => join(folder, 'store');

function startIn(folder: string, port: number): Promise<NatsProcess> {
  mkdirSync(storeIn(folder), {recursive: true});
  return NatsProcess.start({folder, storeDir: storeIn(folder)}, port, 'default');
}

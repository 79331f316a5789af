// A nats-server of the run, for nemeses on the wire between it and the service.

import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {type Host, loopback} from './hosts.js';

const startMsMax = 20_000;
const pollMs = 20;

export interface NatsPlace {
  /** Folder of its configuration and its log. */
  readonly folder: string;
  readonly storeDir: string;
  /** Default: where this process runs. */
  readonly host?: Host;
}

export class NatsProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {}

  /** `sync`: the server's default interval is two minutes. `lines`: further lines of its configuration. */
  static async start(
    {folder, storeDir, host = loopback}: NatsPlace,
    port: number,
    sync: 'always' | 'default',
    lines: readonly string[] = [],
  ): Promise<NatsProcess> {
    const {NATS_SERVER_BIN: bin = 'nats-server'} = process.env;
    mkdirSync(folder, {recursive: true});
    const config = join(folder, 'server.conf');
    const text = JSON.stringify;
    const syncs = sync === 'always' ? ', sync_interval: always' : '';
    const own = [
      `listen: ${host.address}:${port}`,
      `jetstream { store_dir: ${text(storeDir)}${syncs} }`,
      `log_file: ${text(join(folder, 'nats.log'))}`,
    ];
    writeFileSync(config, [...own, ...lines, ''].join('\n'));
    const words = [...host.launcher, bin, '-c', config];
    const child = spawn(words[0]!, words.slice(1), {stdio: 'ignore'});
    child.on('error', () => undefined);
    if (child.pid === undefined) throw new Error(`${bin} cannot be started: set NATS_SERVER_BIN`);
    const withUs = (): boolean => child.kill('SIGKILL');
    process.once('exit', withUs);
    child.once('exit', () => process.off('exit', withUs));
    await untilListening(host.address, port, child);
    return new NatsProcess(child, port);
  }

  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(signal);
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    await exited;
  }
}

async function untilListening(address: string, port: number, child: ChildProcess): Promise<void> {
  const deadlineMs = performance.now() + startMsMax;
  while (!(await accepts(address, port))) {
    if (child.exitCode !== null) throw new Error(`nats-server ended at its start with code ${child.exitCode}`);
    if (performance.now() > deadlineMs) throw new Error(`nats-server did not listen within ${startMsMax} ms`);
    await delay(pollMs);
  }
}

function accepts(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

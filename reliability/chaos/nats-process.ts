// A nats-server of our own, for nemeses that stand between it and the service.

import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';

const startMsMax = 20_000;
const pollMs = 20;

export class NatsProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {}

  static async start(folder: string, port: number): Promise<NatsProcess> {
    const {NATS_SERVER_BIN: bin} = process.env;
    if (bin === undefined) throw new Error('no nats-server: set NATS_SERVER_BIN');
    mkdirSync(folder, {recursive: true});
    const config = join(folder, 'server.conf');
    const store = JSON.stringify(join(folder, 'store'));
    writeFileSync(
      config,
      `listen: 127.0.0.1:${port}\njetstream { store_dir: ${store}, sync_interval: always }\nlog_file: ${JSON.stringify(join(folder, 'nats.log'))}\n`,
    );
    const child = spawn(bin, ['-c', config], {stdio: 'ignore'});
    process.once('exit', () => child.kill('SIGKILL'));
    await untilListening(port, child);
    return new NatsProcess(child, port);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exited;
  }
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  const deadlineMs = performance.now() + startMsMax;
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`nats-server ended at its start with code ${child.exitCode}`);
    if (performance.now() > deadlineMs) throw new Error(`nats-server did not listen within ${startMsMax} ms`);
    await delay(pollMs);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

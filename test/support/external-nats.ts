// A nats-server that others run, as an operator configures it: an address and a folder of its own.
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import type {NatsAddress} from '../../src/worker-messages.js';
import {freePort} from '../../tools/chaos/free-port.js';
import {halt} from './halt.js';
import {temporaryFolder} from './service.js';
import {until} from './until.js';

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface ExternalNatsOptions {
  /** Lines of its configuration, beside its address. */
  readonly lines?: readonly string[];
  /** Words within its `jetstream` block. */
  readonly jetstream?: string;
  /** A loopback address of its own where a port of a fixed number must be free. */
  readonly host?: string;
}

/**
 * The monitoring port is looked for at one number: servers of a test, and tests, have it on addresses of their own. All of
 * 127.0.0.0/8 is the loopback of Linux.
 */
export function monitored(
  server = 0,
): ExternalNatsOptions & {readonly host: string; readonly lines: readonly string[]} {
  const host = `127.${1 + (process.pid % 250)}.${1 + ((process.pid >> 8) % 250)}.${7 + server}`;
  return {host, lines: [`http: "${host}:8222"`]};
}

export class ExternalNats {
  readonly host: string;
  readonly port: number;
  private readonly folder = temporaryFolder();
  private child: ChildProcess | undefined;

  private constructor(host: string, port: number) {
    this.host = host;
    this.port = port;
  }

  static async start(options: ExternalNatsOptions = {}): Promise<ExternalNats> {
    const nats = new ExternalNats(options.host ?? '127.0.0.1', await freePort());
    await nats.run(options);
    return nats;
  }

  get url(): string {
    return `nats://${this.host}:${this.port}`;
  }

  get address(): NatsAddress {
    return {servers: [this.url]};
  }

  /** Ends the server, and runs another one with its store; what a set-up had said counts no more. */
  async startAnew(options: ExternalNatsOptions = {}): Promise<void> {
    await this.stop();
    await this.run(options);
  }

  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  halt(): Promise<void> {
    return halt(this.child!.pid!);
  }

  goOn(): void {
    this.child!.kill('SIGCONT');
  }

  private async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const {child} = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    child.kill('SIGCONT'); // One that stands still would not hear it.
    await exited;
  }

  private async run({lines = [], jetstream = ''}: ExternalNatsOptions): Promise<void> {
    const configuration = join(this.folder, 'nats.conf');
    const text = JSON.stringify;
    const own = [
      `listen: ${text(`${this.host}:${this.port}`)}`,
      `log_file: ${text(join(this.folder, 'nats.log'))}`,
      `jetstream { store_dir: ${text(join(this.folder, 'store'))}, ${jetstream} }`,
    ];
    writeFileSync(configuration, [...own, ...lines, ''].join('\n'));
    const child = spawn(process.env.NATS_SERVER_BIN!, ['-c', configuration], {stdio: 'ignore'});
    this.child = child;
    running.add(child);
    child.once('exit', () => running.delete(child));
    await until('the nats-server listens', () => {
      if (child.exitCode !== null) throw new Error(`nats-server ended during its start: see ${this.folder}/nats.log`);
      return accepts(this.host, this.port);
    });
  }
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

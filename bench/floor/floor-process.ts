// The floors as child processes of the benchmark.

import {type ChildProcess, fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import type {Target} from '../machine/target.js';
import type {FloorKind} from './http.js';
import type {FromLogFloor, LogPlan, LogResult, ToLogFloor} from './log.js';

const programOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** F1 and F2: HTTP servers. */
export async function startFloor(kind: FloorKind): Promise<Target> {
  const child = fork(programOf('./http.js'), [kind], {execArgv: []});
  const {port} = await firstMessage<{port: number}>(child, `the floor server "${kind}"`);
  return {
    host: '127.0.0.1',
    port,
    pid: child.pid!,
    async stop() {
      child.kill('SIGKILL');
    },
  };
}

/** F3: a log that is published to. */
export class LogFloorProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** `partitions`: as the service beside it has. */
  static async start(partitions: number): Promise<LogFloorProcess> {
    const child = fork(programOf('./log.js'), [String(partitions)], {execArgv: []});
    await firstMessage<FromLogFloor>(child, 'the floor of the log');
    return new LogFloorProcess(child);
  }

  /** The root of its processes: the publisher, and below it the nats-server. */
  get pid(): number {
    return this.#child.pid!;
  }

  async run(plan: LogPlan): Promise<LogResult> {
    this.#child.send({kind: 'run', plan} satisfies ToLogFloor);
    const message = await firstMessage<FromLogFloor>(this.#child, 'the floor of the log');
    if (message.kind === 'done') return message.result;
    throw new Error(`the floor of the log: ${message.kind === 'failed' ? message.message : message.kind}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }
}

/** Rejects when the child ends instead. */
function firstMessage<Message>(child: ChildProcess, name: string): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => {
      child.off('message', onMessage);
      reject(new Error(`${name} ended`));
    };
    const onMessage = (message: Message): void => {
      child.off('exit', onExit);
      resolve(message);
    };
    child.once('exit', onExit).once('message', onMessage);
  });
}

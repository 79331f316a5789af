// The benchmark's side of its load process: a process of its own, so that its CPU time counts for no contender.

import {type ChildProcess, fork} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import type {WorkloadOptions} from '../workload/events.js';
import type {LoadPlan, LoadResult} from './closed-loop.js';
import type {FromLoad, ToLoad} from './messages.js';
import type {OpenPlan, OpenResult} from './open-loop.js';
import type {Copies} from './requests.js';

export type Prepared = Extract<FromLoad, {kind: 'prepared'}>;

const program = fileURLToPath(new URL('./main.js', import.meta.url));

export class LoadProcess {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(program, {serialization: 'advanced', execArgv: []});
  }

  get pid(): number {
    return this.#child.pid!;
  }

  prepare(
    name: string,
    workload: WorkloadOptions,
    batchEvents: number,
    key: string,
    copies: Copies = 'as prepared',
  ): Promise<Prepared> {
    return this.#ask({kind: 'prepare', name, workload, batchEvents, key, copies}, (message) =>
      message.kind === 'prepared' ? message : null,
    );
  }

  /** Runs a closed loop: as fast as answers arrive. */
  run(name: string, plan: LoadPlan, onProgress: (events: number) => void = () => {}): Promise<LoadResult> {
    return this.#ask({kind: 'run', name, plan}, (message) => {
      if (message.kind === 'progress') onProgress(message.events);
      return message.kind === 'done' ? message.result : null;
    });
  }

  /** Offers a fixed rate, whatever the answers. */
  offer(name: string, plan: OpenPlan): Promise<OpenResult> {
    return this.#ask({kind: 'offer', name, plan}, (message) => (message.kind === 'offered' ? message.result : null));
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  /** One question at a time: the first message that `accept` takes is the answer. */
  #ask<T>(question: ToLoad, accept: (message: FromLoad) => T | null): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (conclude: () => void): void => {
        this.#child.off('message', onMessage).off('exit', onExit);
        conclude();
      };
      const onExit = (): void => settle(() => reject(new Error('the load process ended')));
      const onMessage = (message: FromLoad): void => {
        const answer = accept(message);
        if (message.kind === 'failed') settle(() => reject(new Error(`load: ${message.message}`)));
        else if (answer !== null) settle(() => resolve(answer));
      };
      this.#child.on('message', onMessage).on('exit', onExit);
      this.#child.send(question);
    });
  }
}

// The benchmark's side of its feeding process: a process of its own, so that its CPU time counts for no contender.

import {type ChildProcess, fork} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {writeKey} from '../machine/service.js';
import type {Target} from '../machine/target.js';
import type {WorkloadOptions} from '../workload/events.js';
import type {FromFeed, ToFeed} from './feed-main.js';

const program = fileURLToPath(new URL('./feed-main.js', import.meta.url));
const connections = 12;
const batchEvents = 1_000;

export interface Fed {
  readonly events: number;
  /** JSON bytes of all events since `begin`. */
  readonly jsonBytes: number;
}

export class Feed {
  readonly #child: ChildProcess = fork(program, {serialization: 'advanced', execArgv: []});

  /** Starts over with the first event; `linesPath`: a file for every event that is sent, one a line. */
  async begin(workload: WorkloadOptions, linesPath: string | null = null): Promise<void> {
    await this.#ask({kind: 'begin', workload, linesPath}, (message) => (message.kind === 'begun' ? true : null));
  }

  /** Sends the next events to the service; fewer when the workload ends. All are acknowledged when this resolves. */
  send({host, port}: Target, events: number, onProgress: (events: number) => void = () => {}): Promise<Fed> {
    const feeding = {kind: 'feed', host, port, key: writeKey, connections, batchEvents, events} as const;
    return this.#ask(feeding, (message) => {
      if (message.kind === 'progress') onProgress(message.events);
      return message.kind === 'fed' ? message : null;
    });
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  /** One question at a time: the first message that `accept` takes is the answer. */
  #ask<T>(question: ToFeed, accept: (message: FromFeed) => T | null): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (conclude: () => void): void => {
        this.#child.off('message', onMessage).off('exit', onExit);
        conclude();
      };
      const onExit = (): void => settle(() => reject(new Error('the feeding process ended')));
      const onMessage = (message: FromFeed): void => {
        const answer = accept(message);
        if (message.kind === 'failed') settle(() => reject(new Error(`feed: ${message.message}`)));
        else if (answer !== null) settle(() => resolve(answer));
      };
      this.#child.on('message', onMessage).on('exit', onExit);
      this.#child.send(question);
    });
  }
}

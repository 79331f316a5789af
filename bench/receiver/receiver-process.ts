// A bench's side of its receiver of webhooks: a process of its own, so that its CPU time counts for no contender.

import {type ChildProcess, fork} from 'node:child_process';
import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {monotonicMs} from '../../src/clock.js';
import type {FromReceiver, Received, ToReceiver} from './messages.js';

const program = fileURLToPath(new URL('./main.js', import.meta.url));
const lookMs = 50;
/** Long enough for everything that a bench stores, on a busy machine. */
const receivedMsMax = 180_000;

export class ReceiverProcess {
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly #silentPort: number;

  private constructor(child: ChildProcess, port: number, silentPort: number) {
    this.#child = child;
    this.#port = port;
    this.#silentPort = silentPort;
  }

  static async start(): Promise<ReceiverProcess> {
    const child = fork(program, {execArgv: []});
    const {port, silentPort} = await answerOf(child, 'listening');
    return new ReceiverProcess(child, port, silentPort);
  }

  /** Where the webhook with this number posts to. */
  urlOf(number: number): string {
    return `http://127.0.0.1:${this.#port}/${number}`;
  }

  /** Where connections are accepted and nothing is answered. */
  get silentUrl(): string {
    return `http://127.0.0.1:${this.#silentPort}/`;
  }

  /** Forgets what came so far. `secrets`: of the webhooks, by their number. */
  async begin(secrets: readonly string[], isTimed: boolean): Promise<void> {
    await this.#ask({kind: 'begin', secrets, isTimed}, 'begun');
  }

  /** Resolves once this many events came. Throws when fewer come, or more, or a signature is wrong. */
  async received(events: number): Promise<Received> {
    for (const endMs = monotonicMs() + receivedMsMax; ; await pause(lookMs)) {
      const {received} = await this.#ask({kind: 'tell'}, 'told');
      if (received.fault !== '') throw new Error(`the receiver got ${received.fault}`);
      if (received.events === events) return received;
      if (received.events > events || monotonicMs() > endMs)
        throw new Error(`the receiver got ${received.events} events of ${events}`);
    }
  }

  #ask<Kind extends FromReceiver['kind']>(question: ToReceiver, kind: Kind) {
    const answer = answerOf(this.#child, kind);
    this.#child.send(question);
    return answer;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Rejects when the child ends instead. One question at a time. */
function answerOf<Kind extends FromReceiver['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<FromReceiver, {readonly kind: Kind}>> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('the receiver of webhooks ended'));
    child.once('exit', onExit).once('message', (message: FromReceiver) => {
      child.off('exit', onExit);
      if (message.kind === kind) resolve(message as Extract<FromReceiver, {readonly kind: Kind}>);
      else reject(new Error(`the receiver of webhooks said ${message.kind} instead of ${kind}`));
    });
  });
}

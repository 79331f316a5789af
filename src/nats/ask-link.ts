// Questions over a connection that may break or fall silent. The client of NATS waits for the whole deadline of a question that
// was lost with its connection, up to a minute for a report; here the question fails with the connection.
// A thread of the same process is asked directly, and fails with the connection, too: its knowledge comes from NATS.
import {randomBytes} from 'node:crypto';
import {type Msg, type NatsConnection, RequestError} from 'nats';
import type {Asker} from '../asks/asker.js';
import {NobodyListens} from '../asks/nobody-listens.js';
import {Stopped} from '../pacing/stop.js';
import type {AnsweringThread} from '../worker-messages.js';
import {askedHeaders, leftSubject} from './asked-headers.js';
import type {Pulse, PulseState} from './client/pulse.js';
import {pack, unpack} from './packed.js';

interface AskOptions {
  /** Ms. */
  readonly timeout: number;
  /** Absent: the role that answers is not told who asks, nor that nobody waits any more. */
  readonly asker?: Asker;
}

export class AskLink {
  private readonly nc: NatsConnection;
  private readonly pulse: Pulse;
  private readonly threads: ReadonlyMap<string, AnsweringThread>;
  private readonly waiting = new Set<(error: Error) => void>();
  private readonly prefix = randomBytes(9).toString('base64url');
  private asked = 0;

  /** `pulse`: of the same connection. `threads`: of this process, by the subjects whose questions they answer. */
  constructor(nc: NatsConnection, pulse: Pulse, threads: ReadonlyMap<string, AnsweringThread> = new Map()) {
    this.nc = nc;
    this.pulse = pulse;
    this.threads = threads;
    pulse.onChange((state) => {
      if (state !== 'answers') this.fail(state);
    });
  }

  /**
   * Rejects at once while the connection is lost or silent, and when that begins; without a listener; when no answer comes in
   * time; and when the asker has gone.
   */
  request(subject: string, question: unknown, options: AskOptions): Promise<unknown> {
    const {state} = this.pulse;
    if (state !== 'answers') return Promise.reject(faultOf(state));
    const {gone} = options.asker ?? {};
    if (gone?.aborted) return Promise.reject(new Stopped());
    return new Promise((resolve, reject) => {
      const leave = (): void => reject(new Stopped());
      this.waiting.add(reject);
      gone?.addEventListener('abort', leave);
      this.carry(subject, question, options)
        .then(resolve, reject)
        .finally(() => {
          this.waiting.delete(reject);
          gone?.removeEventListener('abort', leave);
        });
    });
  }

  private carry(subject: string, question: unknown, options: AskOptions): Promise<unknown> {
    const thread = this.threads.get(subject);
    // Another process may answer until the thread listens; if none does, NATS says so at once.
    return thread?.isListening
      ? askThread(thread, subject, question, options)
      : this.askNats(subject, question, options);
  }

  private async askNats(subject: string, question: unknown, {timeout, asker}: AskOptions): Promise<unknown> {
    const bytes = pack(question);
    if (asker === undefined) return unpack((await this.listened(this.nc.request(subject, bytes, {timeout}))).data);
    this.asked += 1;
    const number = `${this.prefix}.${this.asked}`;
    const leave = (): void => {
      if (!this.nc.isClosed()) this.nc.publish(leftSubject(subject), number);
    };
    asker.gone.addEventListener('abort', leave);
    try {
      const headers = askedHeaders({number, caller: asker.caller, msMax: timeout});
      return unpack((await this.listened(this.nc.request(subject, bytes, {timeout, headers}))).data);
    } finally {
      asker.gone.removeEventListener('abort', leave);
    }
  }

  private async listened(asked: Promise<Msg>): Promise<Msg> {
    try {
      return await asked;
    } catch (error) {
      if (error instanceof RequestError && error.isNoResponders()) throw new NobodyListens({cause: error});
      throw error;
    }
  }

  private fail(state: Away): void {
    for (const reject of this.waiting) reject(faultOf(state));
    this.waiting.clear();
  }
}

function askThread(
  thread: AnsweringThread,
  subject: string,
  question: unknown,
  {timeout: msMax, asker}: AskOptions,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const by = asker && {caller: asker.caller, msMax};
    const leave = thread.ask(subject, question, (answer) => end(() => resolve(answer)), by);
    const giveUp = (error: Error): void =>
      end(() => {
        leave();
        reject(error);
      });
    const timer = setTimeout(() => giveUp(new Error(`no answer within ${msMax} ms`)), msMax);
    const gone = (): void => giveUp(new Stopped());
    asker?.gone.addEventListener('abort', gone);
    const end = (then: () => void): void => {
      clearTimeout(timer);
      asker?.gone.removeEventListener('abort', gone);
      then();
    };
  });
}

type Away = Exclude<PulseState, 'answers'>;

const faultOf = (state: Away): Error =>
  new Error(state === 'lost' ? 'there is no connection to NATS' : 'NATS does not answer');

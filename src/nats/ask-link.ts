// Questions over a connection that may break, or fall silent: the client of NATS waits out the whole deadline of a
// question that went down with the connection, up to a minute for a report. Here it fails with the connection.
// A thread of the same process is asked without it, and fails with it all the same: what it knows is out of NATS. It gets
// and gives plain values: text in JSON, as bodies of reports are, would be escaped and parsed again on its way.
import type {NatsConnection} from 'nats';
import type {AnsweringThread} from '../worker-messages.js';
import type {Pulse, PulseState} from './client/pulse.js';

export class AskLink {
  private readonly nc: NatsConnection;
  private readonly pulse: Pulse;
  private readonly threads: ReadonlyMap<string, AnsweringThread>;
  private readonly waiting = new Set<(error: Error) => void>();

  /** `pulse`: of the same connection. `threads`: of this process, by the subject whose questions they answer. */
  constructor(nc: NatsConnection, pulse: Pulse, threads: ReadonlyMap<string, AnsweringThread> = new Map()) {
    this.nc = nc;
    this.pulse = pulse;
    this.threads = threads;
    pulse.onChange((state) => {
      if (state !== 'answers') this.fail(state);
    });
  }

  /**
   * Rejects at once while there is no connection or no answer over it, when that begins, when nobody listens and when no
   * answer came in time.
   */
  request(subject: string, question: unknown, options: {readonly timeout: number}): Promise<unknown> {
    const {state} = this.pulse;
    if (state !== 'answers') return Promise.reject(faultOf(state));
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      this.carry(subject, question, options)
        .then(resolve, reject)
        .finally(() => this.waiting.delete(reject));
    });
  }

  private async carry(subject: string, question: unknown, options: {readonly timeout: number}): Promise<unknown> {
    const thread = this.threads.get(subject);
    // Until it listens there may be another one somewhere; and if there is none, NATS says so at once.
    if (thread?.isListening) return askThread(thread, subject, question, options.timeout);
    return (await this.nc.request(subject, JSON.stringify(question), options)).json();
  }

  private fail(state: Away): void {
    for (const reject of this.waiting) reject(faultOf(state));
    this.waiting.clear();
  }
}

function askThread(thread: AnsweringThread, subject: string, question: unknown, msMax: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${msMax} ms`)), msMax);
    thread.ask(subject, question, (answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
  });
}

type Away = Exclude<PulseState, 'answers'>;

const faultOf = (state: Away): Error =>
  new Error(state === 'lost' ? 'there is no connection to NATS' : 'NATS does not answer');

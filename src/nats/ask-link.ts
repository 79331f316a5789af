// Questions over a connection that may break or fall silent. The client of NATS waits for the whole deadline of a question that
// was lost with its connection, up to a minute for a report; here the question fails with the connection.
// A thread of the same process is asked directly, and fails with the connection, too: its knowledge comes from NATS. It gets and
// returns plain values: text in JSON, such as bodies of reports, would have to be escaped and parsed again.
import type {NatsConnection} from 'nats';
import type {AnsweringThread} from '../worker-messages.js';
import type {Pulse, PulseState} from './client/pulse.js';

export class AskLink {
  private readonly nc: NatsConnection;
  private readonly pulse: Pulse;
  private readonly threads: ReadonlyMap<string, AnsweringThread>;
  private readonly waiting = new Set<(error: Error) => void>();

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
   * Rejects at once while the connection is lost or silent, and when that begins; without a listener; and when no answer comes in
   * time.
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
    // Another process may answer until the thread listens; if none does, NATS says so at once.
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

// Questions over a connection that may break, or fall silent: the client of NATS waits out the whole deadline of a
// question that went down with the connection, up to a minute for a report. Here it fails with the connection.
import type {NatsConnection} from 'nats';
import type {Pulse, PulseState} from './pulse.js';

export class AskLink {
  private readonly nc: NatsConnection;
  private readonly pulse: Pulse;
  private readonly waiting = new Set<(error: Error) => void>();

  /** `pulse`: of the same connection. */
  constructor(nc: NatsConnection, pulse: Pulse) {
    this.nc = nc;
    this.pulse = pulse;
    pulse.onChange((state) => {
      if (state !== 'answers') this.fail(state);
    });
  }

  /**
   * Rejects at once while there is no connection or no answer over it, when that begins, when nobody listens and when no
   * answer came in time.
   */
  request(subject: string, data: string, options: {readonly timeout: number}): Promise<{string(): string}> {
    const {state} = this.pulse;
    if (state !== 'answers') return Promise.reject(faultOf(state));
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      this.nc
        .request(subject, data, options)
        .then(resolve, reject)
        .finally(() => this.waiting.delete(reject));
    });
  }

  private fail(state: Away): void {
    for (const reject of this.waiting) reject(faultOf(state));
    this.waiting.clear();
  }
}

type Away = Exclude<PulseState, 'answers'>;

const faultOf = (state: Away): Error =>
  new Error(state === 'lost' ? 'there is no connection to NATS' : 'NATS does not answer');

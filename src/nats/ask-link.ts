// Questions over a connection that may break: the client of NATS waits out the whole deadline of a question that went down
// with the connection, up to a minute for a report. Here it fails with the connection.
import type {NatsConnection} from 'nats';

export class AskLink {
  private readonly nc: NatsConnection;
  private isConnected = true;
  private readonly waiting = new Set<(error: Error) => void>();

  constructor(nc: NatsConnection) {
    this.nc = nc;
    void this.watch();
  }

  /** Rejects at once while there is no connection, when it breaks, when nobody listens and when no answer came in time. */
  request(subject: string, data: string, options: {readonly timeout: number}): Promise<{string(): string}> {
    if (!this.isConnected) return Promise.reject(disconnected());
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      this.nc
        .request(subject, data, options)
        .then(resolve, reject)
        .finally(() => this.waiting.delete(reject));
    });
  }

  private async watch(): Promise<void> {
    for await (const {type} of this.nc.status()) {
      if (type === 'reconnect') this.isConnected = true;
      if (type === 'disconnect' || type === 'close') this.fail();
    }
  }

  private fail(): void {
    this.isConnected = false;
    for (const reject of this.waiting) reject(disconnected());
    this.waiting.clear();
  }
}

const disconnected = (): Error => new Error('there is no connection to NATS');

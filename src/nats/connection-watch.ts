// Whether a connection to NATS is up, and how often it came back.
import type {NatsConnection} from 'nats';
import type {ConnectionMeasures} from '../measures.js';

export class ConnectionWatch {
  private readonly name: string;
  private isConnected = true;
  private reconnects = 0;

  /** `nc` is connected. */
  constructor(nc: NatsConnection, name: string) {
    this.name = name;
    void this.follow(nc);
  }

  measure(): ConnectionMeasures {
    return {name: this.name, isConnected: this.isConnected, reconnects: this.reconnects};
  }

  private async follow(nc: NatsConnection): Promise<void> {
    for await (const {type} of nc.status()) {
      if (type === 'disconnect' || type === 'close') this.isConnected = false;
      if (type !== 'reconnect') continue;
      this.isConnected = true;
      this.reconnects += 1;
    }
  }
}

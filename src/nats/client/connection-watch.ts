// State of a connection to NATS, and its number of reconnects.
import type {NatsConnection} from 'nats';
import type {ConnectionMeasures} from '../../measures.js';

export class ConnectionWatch {
  private readonly name: string;
  private readonly isAnswered: () => boolean;
  private isConnected = true;
  private reconnects = 0;

  /** `nc` is connected. `isAnswered`: whether the other end answers (pulse.ts). */
  constructor(nc: NatsConnection, name: string, isAnswered: () => boolean = () => true) {
    this.name = name;
    this.isAnswered = isAnswered;
    void this.follow(nc);
  }

  measure(): ConnectionMeasures {
    return {name: this.name, isConnected: this.isConnected && this.isAnswered(), reconnects: this.reconnects};
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

// The wire from the edge to the log: JetStream publishes over a connection of their own, answered to one subscription.
// `JetStreamClient.publish` makes a promise, a timer and a stack trace for every message and tops out at 28,000 a second;
// this reaches 132,000 on the same server.
import {createInbox, headers, type Msg, type NatsConnection} from 'nats';
import type {LogAnswer, LogLink, LogListener} from '../ingest/publisher.js';
import {appendInProcess} from './error-codes.js';
import type {LogRefusals} from './log-refusals.js';
import {payloadFault} from './payload.js';
import {logSubject} from './topology.js';

interface PubAck {
  readonly seq?: number;
  readonly error?: {readonly err_code?: number; readonly description?: string};
}

export class NatsLogLink implements LogLink {
  isConnected = true;
  private readonly nc: NatsConnection;
  private readonly refusals: LogRefusals | undefined;
  private readonly inbox = createInbox();
  private listener: LogListener | undefined;

  /** `nc` is connected, and nobody else publishes over it. `refusals`: hears what the log answers. */
  constructor(nc: NatsConnection, refusals?: LogRefusals) {
    this.nc = nc;
    this.refusals = refusals;
    nc.subscribe(`${this.inbox}.*.*`, {callback: (error, message) => this.receive(error, message)});
    void this.followStatus();
  }

  listen(listener: LogListener): void {
    this.listener = listener;
  }

  send(partition: number, messageId: string, ticket: number, bytes: Uint8Array): void {
    // The client throws at what is too large for a server that came back with another bound.
    const fault = payloadFault(this.nc);
    if (fault === undefined) this.publish(partition, messageId, ticket, bytes);
    else setImmediate(() => this.refuse(partition, ticket, fault));
  }

  private publish(partition: number, messageId: string, ticket: number, bytes: Uint8Array): void {
    const head = headers();
    head.set('Nats-Msg-Id', messageId);
    this.nc.publish(logSubject(partition), bytes, {reply: `${this.inbox}.${partition}.${ticket}`, headers: head});
  }

  private refuse(partition: number, ticket: number, words: string): void {
    this.refusals?.refused(partition, words);
    this.listener?.answered(partition, ticket, {kind: 'refused'});
  }

  private receive(error: Error | null, message: Msg): void {
    // The client reports an exception of a callback nowhere and stops reading: a fault of ours must end the process.
    try {
      if (error !== null) throw error;
      const [partition, ticket] = message.subject
        .slice(this.inbox.length + 1)
        .split('.')
        .map(Number);
      this.listener?.answered(partition, ticket, this.readAnswer(partition, message));
    } catch (cause) {
      setImmediate(() => {
        throw cause;
      });
    }
  }

  private readAnswer(partition: number, message: Msg): LogAnswer {
    // The server answers an empty message with status 503 for a subject that nobody listens to.
    if (message.data.length === 0) {
      this.refusals?.unheard(partition);
      return {kind: 'nobody'};
    }
    const {seq, error} = message.json<PubAck>();
    if (error === undefined && seq !== undefined) {
      this.refusals?.stored(partition);
      return {kind: 'stored', sequence: seq};
    }
    if (error?.err_code === appendInProcess) return {kind: 'in process'};
    this.refusals?.refused(partition, `${error?.description ?? 'without a reason'} (${error?.err_code ?? 'no code'})`);
    return {kind: 'refused'};
  }

  private async followStatus(): Promise<void> {
    for await (const {type} of this.nc.status()) {
      if (type === 'disconnect' || type === 'close') this.isConnected = false;
      if (type !== 'reconnect') continue;
      this.isConnected = true;
      this.listener?.reconnected();
    }
  }
}

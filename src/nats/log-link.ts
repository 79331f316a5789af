// The wire from the edge to the log: JetStream publishes over their own connection.
import {JetStreamApiError, type JetStreamClient, jetstream} from '@nats-io/jetstream';
import {type NatsConnection, PermissionViolationError} from 'nats';
import type {LogAnswer, LogLink, LogListener} from '../ingest/publisher.js';
import {appendInProcess, hasCode, isSilence, isUnheard} from './error-codes.js';
import type {LogRefusals} from './log-refusals.js';
import {payloadFault} from './payload.js';
import {logSubject} from './topology.js';

export class NatsLogLink implements LogLink {
  isConnected = true;
  private readonly nc: NatsConnection;
  private readonly js: JetStreamClient;
  private readonly refusals: LogRefusals | undefined;
  private listener: LogListener | undefined;

  /** `nc` is connected, and only this link publishes over it. `refusals` hears the answers of the log. */
  constructor(nc: NatsConnection, refusals?: LogRefusals) {
    this.nc = nc;
    this.js = jetstream(nc);
    this.refusals = refusals;
    void this.followStatus();
  }

  listen(listener: LogListener): void {
    this.listener = listener;
  }

  send(partition: number, messageId: string, ticket: number, bytes: Uint8Array): void {
    void this.publish(partition, messageId, ticket, bytes);
  }

  private async publish(partition: number, messageId: string, ticket: number, bytes: Uint8Array): Promise<void> {
    const answer = await this.answerTo(partition, messageId, bytes);
    if (answer !== undefined) this.listener?.answered(partition, ticket, answer);
  }

  /** Undefined: the log did not answer. */
  private async answerTo(partition: number, msgID: string, bytes: Uint8Array): Promise<LogAnswer | undefined> {
    // The client throws for a message that is too large for a server that came back with a lower bound.
    const fault = payloadFault(this.nc);
    if (fault !== undefined) return this.refused(partition, fault);
    try {
      const {seq} = await this.js.publish(logSubject(partition), bytes, {msgID});
      this.refusals?.stored(partition);
      return {kind: 'stored', sequence: seq};
    } catch (error) {
      if (isUnheard(error as Error)) {
        this.refusals?.unheard(partition);
        return {kind: 'nobody'};
      }
      if (hasCode(error, appendInProcess)) return {kind: 'in process'};
      if (error instanceof JetStreamApiError) return this.refused(partition, saidBy(error));
      if (error instanceof PermissionViolationError) return this.refused(partition, error.message);
      if (isSilence(error)) return undefined;
      throw error;
    }
  }

  private refused(partition: number, words: string): LogAnswer {
    this.refusals?.refused(partition, words);
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

const saidBy = ({message, code}: JetStreamApiError): string => `${message} (${code})`;

// Reading a partition's log from a position on, in order, across reconnections.
import {type ConsumerMessages, DeliverPolicy, type JetStreamClient, type JetStreamManager} from '@nats-io/jetstream';
import {MessageCursor} from '../../actors/codec/entries.js';
import {hasCode, messageNotFound} from '../nats/error-codes.js';
import {logStream} from '../nats/topology.js';
import {retryForever} from './retry.js';

/** Bounded by bytes: a bound in messages trips the server's pending limit when messages are large, and stalls for seconds. */
const pullBytesMax = 4 * 1024 * 1024;

/**
 * A server that was restarted has forgotten our consumer, which shows only as silence: two missed heartbeats, each half of
 * this. The client's default of 30 s would leave live reads and snapshots behind the log for that long.
 */
const pullExpiresMs = 2_000;

export interface LogMessage {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

export class LogReader {
  private readonly js: JetStreamClient;
  private readonly jsm: JetStreamManager;
  private readonly partition: number;
  private messages: ConsumerMessages | undefined;
  private isInterrupted = false;
  private lastKnown: Promise<number> | undefined;
  private lastAsked: Promise<number> | undefined;

  constructor(js: JetStreamClient, jsm: JetStreamManager, partition: number) {
    this.js = js;
    this.jsm = jsm;
    this.partition = partition;
  }

  /** Messages after `position`, each exactly once and in order, until `interrupt`. */
  async *read(position: number): AsyncGenerator<LogMessage> {
    let next = position + 1;
    this.isInterrupted = false;
    while (!this.isInterrupted) {
      for await (const message of await this.open(next)) {
        if (message.seq < next) continue;
        next = message.seq + 1;
        yield {sequence: message.seq, bytes: message.data};
      }
    }
  }

  private async open(next: number): Promise<ConsumerMessages> {
    const messages = await retryForever(async () => {
      const consumer = await this.js.consumers.get(logStream(this.partition), {
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: next,
      });
      return consumer.consume({max_bytes: pullBytesMax, expires: pullExpiresMs});
    });
    this.messages = messages;
    if (this.isInterrupted) messages.stop();
    return messages;
  }

  /** Ends the current `read`. */
  interrupt(): void {
    this.isInterrupted = true;
    this.messages?.stop();
  }

  /** Whether the log still has the message with this mark at this sequence: one that lost its tail has not. */
  async holds(sequence: number, mark: string): Promise<boolean> {
    if (sequence === 0) return true;
    return (await markAt(this.jsm, this.partition, sequence)) === mark;
  }

  /**
   * The log's last sequence at some moment after the call. Callers that come while a question is under way share the
   * next one: an answer that was on its way may be older than what they know to be acked.
   */
  lastSequence(): Promise<number> {
    if (this.lastKnown === undefined) {
      this.lastKnown = this.askLast().finally(() => {
        this.lastKnown = undefined;
      });
      return this.lastKnown;
    }
    if (this.lastAsked === undefined) {
      this.lastAsked = this.lastKnown
        .catch(() => undefined)
        .then(() => {
          this.lastAsked = undefined;
          return this.lastSequence();
        });
    }
    return this.lastAsked;
  }

  private async askLast(): Promise<number> {
    const {state} = await this.jsm.streams.info(logStream(this.partition));
    return state.last_seq;
  }
}

/** The mark of the message at a sequence; undefined when the log has none there. */
export async function markAt(jsm: JetStreamManager, partition: number, sequence: number): Promise<string | undefined> {
  try {
    const message = await jsm.streams.getMessage(logStream(partition), {seq: sequence});
    return message === null ? undefined : new MessageCursor(message.data).mark;
  } catch (error) {
    if (hasCode(error, messageNotFound)) return undefined;
    throw error;
  }
}

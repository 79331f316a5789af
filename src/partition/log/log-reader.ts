// Reads a partition's log from a position, in order.
import {setTimeout as pause} from 'node:timers/promises';
import type {JetStreamManager, StoredMsg, StreamState} from '@nats-io/jetstream';
import {MessageCursor} from '../../../actors/log/entry-view.js';
import {hasCode, messageNotFound} from '../../nats/error-codes.js';
import {newestMessage, UnreadableMessage} from '../../nats/newest-message.js';
import {logStream, logSubject} from '../../nats/topology.js';
import {DamagedState} from '../../parts/damage.js';
import {SingleFlight} from '../../single-flight.js';
import {type RetryLog, retryForever} from '../retry.js';

/** Pause before the next pull after one that broke at once. */
const reopenPauseMs = 20;

export interface ReceivedMessage {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** Pull of messages from a log; it may break. */
export interface LogPull {
  /** Waits for messages: all that arrived, in order, each once. Undefined when the pull ended and none are left. */
  next(): Promise<readonly ReceivedMessage[] | undefined>;
  /** Requests messages at once: a caller waits for this sequence, which is in the log. */
  expedite(sequence: number): void;
  stop(): void;
}

export interface LogSource {
  /** Opens a pull from the first message at or after `startSequence`. */
  open(partition: number, startSequence: number): Promise<LogPull>;
}

export class LogReader {
  private readonly source: LogSource;
  private readonly jsm: JetStreamManager;
  private readonly partition: number;
  private readonly retries: RetryLog | undefined;
  private pull: LogPull | undefined;
  private giveUpOpening: (() => void) | undefined;
  private isInterrupted = false;
  private isBroken = false;
  private readonly last = new SingleFlight(() => this.askLast());

  constructor(source: LogSource, jsm: JetStreamManager, partition: number, retries?: RetryLog) {
    this.source = source;
    this.jsm = jsm;
    this.partition = partition;
    this.retries = retries;
  }

  /**
   * Messages after `position`, each exactly once and in order, as many at a time as arrived. Ends with `interrupt`, or when the
   * pull breaks. The next pull may read another log: the caller must check before it reads on.
   */
  async *read(position: number): AsyncGenerator<readonly ReceivedMessage[]> {
    this.isInterrupted = false;
    if (this.isBroken) await pause(reopenPauseMs);
    const pull = await this.open(position + 1);
    try {
      for (let messages = await pull.next(); messages !== undefined; messages = await pull.next()) yield messages;
    } finally {
      this.isBroken = !this.isInterrupted;
      pull.stop();
    }
  }

  private async open(next: number): Promise<LogPull> {
    const pull = await retryForever(() => this.openOnce(next), this.retries);
    this.pull = pull;
    if (this.isInterrupted) pull.stop();
    return pull;
  }

  /**
   * Opens a pull. A request made while the connection was lost gets no answer, and no error for seconds: `reopen` gives it up.
   */
  private openOnce(next: number): Promise<LogPull> {
    const opening = this.source.open(this.partition, next);
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        opening.then(
          (pull) => pull.stop(),
          () => undefined,
        );
        reject(new Error('the connection to the log was lost'));
      };
      const settled = () => {
        if (this.giveUpOpening === giveUp) this.giveUpOpening = undefined;
      };
      this.giveUpOpening = giveUp;
      opening.finally(settled).then(resolve, reject);
    });
  }

  /** Ends a pull that may have broken silently, and the `read` that uses it. */
  reopen(): void {
    this.pull?.stop();
    this.giveUpOpening?.();
    this.giveUpOpening = undefined;
  }

  /** Requests messages at once: a caller waits for this sequence, which is in the log. */
  expedite(sequence: number): void {
    this.pull?.expedite(sequence);
  }

  /** Ends the current `read`. */
  interrupt(): void {
    this.isInterrupted = true;
    this.pull?.stop();
  }

  /** Whether the log still has this message at this sequence; a log that lost its tail does not. */
  async holds(sequence: number, mark: string): Promise<boolean> {
    return (await markAt(this.jsm, this.partition, sequence)) === mark;
  }

  /** The log's last sequence at some moment after the call. The answer to an earlier call may be older than an ack. */
  lastSequence(): Promise<number> {
    return this.last.run();
  }

  /** Sequence of the newest message that exists; 0 without any. The log's last sequence may be of a removed message. @throws DamagedState */
  async newestSequence(): Promise<number> {
    try {
      return (await newestMessage(this.jsm, logStream(this.partition), logSubject(this.partition)))?.seq ?? 0;
    } catch (cause) {
      if (cause instanceof UnreadableMessage)
        throw new DamagedState(this.partition, 'the newest message of its log', {cause});
      throw cause;
    }
  }

  /**
   * Checks messages that did not come, from `first` to `last`. @throws DamagedState when nats-server has one of them, or had it, and
   * cannot read it. What was removed, and what is not there yet, is no damage.
   */
  async checkReadable(first: number, last = first): Promise<void> {
    const before = await this.state();
    const lost = before.lost?.msgs?.find((sequence) => first <= sequence && sequence <= last);
    if (lost !== undefined) throw this.damaged(lost);
    for (let sequence = Math.max(first, before.first_seq); sequence <= Math.min(last, before.last_seq); sequence++) {
      if (!isIn(before, sequence) || (await messageOf(this.jsm, this.partition, {seq: sequence})) !== undefined)
        continue;
      // It may have been removed meanwhile.
      if (isIn(await this.state(), sequence)) throw this.damaged(sequence);
    }
  }

  private damaged(sequence: number): DamagedState {
    return new DamagedState(this.partition, `message ${sequence} of its log`);
  }

  /** Has `lost`, the messages whose damage nats-server noticed. */
  private async state(): Promise<StreamState> {
    return (await this.jsm.streams.info(logStream(this.partition), {deleted_details: true})).state;
  }

  private async askLast(): Promise<number> {
    const {state} = await this.jsm.streams.info(logStream(this.partition));
    return state.last_seq;
  }
}

const isIn = ({first_seq, last_seq, deleted}: StreamState, sequence: number): boolean =>
  first_seq <= sequence && sequence <= last_seq && !deleted?.includes(sequence);

/** Mark of the message at a sequence; undefined when the log has none there. Empty at 0, before the first message of any log. */
export async function markAt(jsm: JetStreamManager, partition: number, sequence: number): Promise<string | undefined> {
  if (sequence === 0) return '';
  const message = await messageOf(jsm, partition, {seq: sequence});
  return message && new MessageCursor(message.data).mark;
}

async function messageOf(
  jsm: JetStreamManager,
  partition: number,
  query: {seq: number},
): Promise<StoredMsg | undefined> {
  try {
    return (await jsm.streams.getMessage(logStream(partition), query)) ?? undefined;
  } catch (error) {
    if (hasCode(error, messageNotFound)) return undefined;
    throw error;
  }
}

// Reading a partition's log from a position on, in order.
import {setTimeout as pause} from 'node:timers/promises';
import type {JetStreamManager, StoredMsg} from '@nats-io/jetstream';
import {MessageCursor} from '../../../actors/log/entries.js';
import {hasCode, messageNotFound} from '../../nats/error-codes.js';
import {logStream, logSubject} from '../../nats/topology.js';
import {SingleFlight} from '../../single-flight.js';
import {retryForever, type Trouble} from '../retry.js';

/** Before another way through the log is opened for one that broke at once. */
const reopenPauseMs = 20;

export interface LogMessage {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** One way through a log, which may break. */
export interface LogPull {
  /** Waits for messages: all that arrived, in order, each once. Undefined when it is stopped or broken, and empty. */
  next(): Promise<readonly LogMessage[] | undefined>;
  /** Asks at once: a caller waits for this sequence, which is in the log by now. */
  hurry(sequence: number): void;
  stop(): void;
}

export interface LogSource {
  /** From the first message at or after `startSequence` on. */
  open(partition: number, startSequence: number): Promise<LogPull>;
}

export class LogReader {
  private readonly source: LogSource;
  private readonly jsm: JetStreamManager;
  private readonly partition: number;
  private readonly trouble: Trouble | undefined;
  private pull: LogPull | undefined;
  private giveUpOpening: (() => void) | undefined;
  private isInterrupted = false;
  private isBroken = false;
  private readonly last = new SingleFlight(() => this.askLast());

  constructor(source: LogSource, jsm: JetStreamManager, partition: number, trouble?: Trouble) {
    this.source = source;
    this.jsm = jsm;
    this.partition = partition;
    this.trouble = trouble;
  }

  /**
   * Messages after `position`, each exactly once and in order, as many at a time as are there: until `interrupt`, or until
   * the way through the log breaks. The next way may be one through another log: whoever reads on looks before.
   */
  async *read(position: number): AsyncGenerator<readonly LogMessage[]> {
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
    const pull = await retryForever(() => this.openOnce(next), this.trouble);
    this.pull = pull;
    if (this.isInterrupted) pull.stop();
    return pull;
  }

  /** What was asked for while the connection was lost has no answer, and no error for seconds: `reopen` gives it up. */
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

  /** Ends a way through the log that may be broken without a sign, and with it a `read` that has it. */
  reopen(): void {
    this.pull?.stop();
    this.giveUpOpening?.();
    this.giveUpOpening = undefined;
  }

  /** A caller waits for this sequence, which is in the log by now. */
  hurry(sequence: number): void {
    this.pull?.hurry(sequence);
  }

  /** Ends the current `read`. */
  interrupt(): void {
    this.isInterrupted = true;
    this.pull?.stop();
  }

  /** Whether the log still has the message with this mark at this sequence: one that lost its tail has not. */
  async holds(sequence: number, mark: string): Promise<boolean> {
    if (sequence === 0) return true;
    return (await markAt(this.jsm, this.partition, sequence)) === mark;
  }

  /** The log's last sequence at some moment after the call: an answer that was on its way before may be older than an ack. */
  lastSequence(): Promise<number> {
    return this.last.run();
  }

  /** Of the newest message that is there, 0 without any: the last sequence of a log may be that of a message that was removed. */
  async newestSequence(): Promise<number> {
    const newest = await messageOf(this.jsm, this.partition, {last_by_subj: logSubject(this.partition)});
    return newest?.seq ?? 0;
  }

  private async askLast(): Promise<number> {
    const {state} = await this.jsm.streams.info(logStream(this.partition));
    return state.last_seq;
  }
}

/** The mark of the message at a sequence; undefined when the log has none there. */
export async function markAt(jsm: JetStreamManager, partition: number, sequence: number): Promise<string | undefined> {
  const message = await messageOf(jsm, partition, {seq: sequence});
  return message && new MessageCursor(message.data).mark;
}

async function messageOf(
  jsm: JetStreamManager,
  partition: number,
  query: {seq: number} | {last_by_subj: string},
): Promise<StoredMsg | undefined> {
  try {
    return (await jsm.streams.getMessage(logStream(partition), query)) ?? undefined;
  } catch (error) {
    if (hasCode(error, messageNotFound)) return undefined;
    throw error;
  }
}

// Reads a partition's log from a position, in order: messages that the edge of this process handed over, and those that only the
// log has through a pull.
//   LR1. A pull is open unless the messages handed over follow each other: at first, when none came for `waitMs`, when one is
//        missing, or when a caller waits for one that did not come. It stays for `pullMsMin`: where others write as well, there is a gap
//        before every few messages, and the server would create and delete a consumer for each.
import {setImmediate as nextTurn, setTimeout as pause} from 'node:timers/promises';
import type {JetStreamManager, StoredMsg, StreamState} from '@nats-io/jetstream';
import {MessageCursor} from '../../../actors/log/entry-view.js';
import {monotonicMs} from '../../clock.js';
import {hasCode, messageNotFound} from '../../nats/error-codes.js';
import {newestMessage, UnreadableMessage} from '../../nats/newest-message.js';
import {logStream, logSubject} from '../../nats/topology.js';
import {ConditionVariable} from '../../pacing/condition-variable.js';
import {DamagedState} from '../../parts/damage.js';
import {SingleFlight} from '../../single-flight.js';
import {type RetryLog, retryForever} from '../retry.js';
import {HandedMessages, type ReceivedMessage} from './handed-messages.js';

/** Pause before the next pull after one that broke at once. */
const reopenPauseMs = 20;
/** LR1. More than twice the time in which the edge gathers messages (ingest/hand-over.ts). */
const waitMs = 125;
const pullMsMin = 1_000;

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
  private readonly handed = new HandedMessages();
  private pull: LogPull | undefined;
  private pullOpenedMs = 0;
  /** What the pull brought, empty when it ended; and whether it is being waited for. */
  private pulled: readonly ReceivedMessage[] | undefined;
  private isPulling = false;
  /** Whether the last messages were handed over. */
  private isFed = false;
  /** A sequence that a caller waits for. */
  private wanted = 0;
  /** Notified when anything of the above may end a wait. */
  private readonly changed = new ConditionVariable();
  private giveUpOpening: (() => void) | undefined;
  private isEnded = false;
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
    this.isEnded = this.isInterrupted = false;
    this.isFed = false;
    this.wanted = 0;
    if (this.isBroken) await pause(reopenPauseMs);
    let due = position + 1;
    try {
      for (let messages = await this.next(due); messages.length > 0; messages = await this.next(due)) {
        due = messages[messages.length - 1]!.sequence + 1;
        yield messages;
      }
    } finally {
      this.isBroken = !this.isInterrupted;
      this.closePull();
    }
  }

  /** Messages from `due` on; none: the read ends. */
  private async next(due: number): Promise<readonly ReceivedMessage[]> {
    if (this.pull === undefined) await nextTurn(); // Messages that were handed over need none, and others wait for theirs.
    while (!this.isEnded) {
      if (this.mayFold(due)) {
        this.closePull();
        this.isFed = true;
        return this.handed.take(due);
      }
      if (this.pull === undefined) {
        const isWaitOver = (): boolean => this.isEnded || this.handed.has(due) || this.needsPull(due);
        const isMet = this.isFed && (await this.changed.until(isWaitOver, waitMs));
        if (!isMet || this.needsPull(due)) await this.open(due);
        continue;
      }
      if (this.pulled !== undefined) {
        const {pulled} = this;
        this.pulled = undefined;
        return pulled;
      }
      if (!this.isPulling) void this.pullMore(this.pull);
      const isOver = (): boolean => this.isEnded || this.pulled !== undefined || this.mayFold(due);
      await this.changed.until(isOver, Number.POSITIVE_INFINITY);
    }
    return [];
  }

  /** Whether the message that is due was handed over, and may be folded without the pull. LR1 */
  private mayFold(due: number): boolean {
    if (!this.handed.has(due)) return false;
    return this.pull === undefined || monotonicMs() - this.pullOpenedMs >= pullMsMin;
  }

  /** Whether a message that was not handed over is wanted, or missing before one that was. LR1 */
  private needsPull(due: number): boolean {
    return !this.isEnded && !this.handed.has(due) && (this.wanted >= due || !this.handed.isEmpty);
  }

  private async open(due: number): Promise<void> {
    this.pull = await retryForever(async () => (this.isEnded ? undefined : this.openOnce(due)), this.retries);
    this.pullOpenedMs = monotonicMs();
    this.isFed = false;
  }

  private async pullMore(pull: LogPull): Promise<void> {
    this.isPulling = true;
    const messages = await pull.next();
    if (pull !== this.pull) return;
    this.isPulling = false;
    this.pulled = messages ?? [];
    this.changed.notify();
  }

  private closePull(): void {
    this.pull?.stop();
    this.pull = undefined;
    this.pulled = undefined;
    this.isPulling = false;
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

  /** Ends a read whose connection may have broken silently. */
  reopen(): void {
    this.end();
    this.giveUpOpening?.();
    this.giveUpOpening = undefined;
  }

  /** A caller waits for this sequence, which is in the log. */
  expedite(sequence: number): void {
    this.wanted = Math.max(this.wanted, sequence);
    this.pull?.expedite(sequence);
    this.changed.notify();
  }

  /**
   * Takes messages that the edge of this process handed over. @returns whether they are the first of their connection: the log
   * must be compared before they are folded.
   */
  takeHanded(connection: number, messages: readonly ReceivedMessage[]): boolean {
    const isFirst = this.handed.accept(connection);
    for (const message of messages) this.handed.add(connection, message);
    this.changed.notify();
    return isFirst;
  }

  /** Uses no message that was handed over up to now, or comes over the same connection of the edge. */
  forgetHanded(): void {
    this.handed.forget();
  }

  /** Ends the current `read`. */
  interrupt(): void {
    this.isInterrupted = true;
    this.end();
  }

  private end(): void {
    this.isEnded = true;
    this.pull?.stop();
    this.changed.notify();
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

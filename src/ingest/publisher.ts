// Group commit: all entries that wait for a partition leave as ONE log message; while it is in flight the next one fills.
//   Owns: the open, waiting and flying messages of every partition, and the producer ids.
//   Does not own: the wire (LogLink), the clocks, the answers to clients (CommitWaiter).
//   G1. One message in flight per partition: the log has a producer's messages in the order of n.
//   G2. An unknown outcome is retried with the same id and the same bytes; `duplicate` is success.
//   G3. A message that is given up ends its producer id, as does a long silence; a fresh id starts at n = 1, so that n never
//       jumps. A message is given up by how long its first entry has waited, in flight or before: messages behind a silent one
//       wait no longer.
//   G4. The buffer of a message that was sent more than once is not reused: a copy may be in the send queue.
//   G5. Entries that cannot leave are not taken: while disconnected, and above the bounds, `append` refuses at once.
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {assert} from '../../actors/invariant.js';
import {entryBytesMax, logMessageBytesMax, producerMs} from '../../actors/limits.js';
import type {AckedSequences} from './acked-sequences.js';
import {CommitPace, laneBytesAtOnce} from './commit-pace.js';
import type {FoldLag} from './fold-lag.js';
import {type Commit, type CommitWaiter, LogMessage, type MessageOutcome} from './log-message.js';

/** Bytes that may wait or fly for one partition: a stuck partition must not use up what the others need. */
export const laneBytesMax = 16 * 1024 * 1024;
/** Bytes that may wait or fly for all partitions together. */
export const publisherBytesMax = 64 * 1024 * 1024;
assert(laneBytesMax < publisherBytesMax, 'one stuck partition leaves room for others');

/** The server answers within milliseconds; without an answer by then the message is sent again. */
export const resendMs = 1_000;
/** No request waits longer for the log than this and a tick (docs/architecture.md, NATS). G3 */
export const giveUpMs = 5_000;
/** Less than the time after which the fold forgets a producer: its next number would be a jump. G3 */
export const silentProducerMsMax = producerMs / 2;
/** Interval of `tick`. */
export const tickMs = 100;

const bufferBytes = 64 * 1024;
const spareBuffersMax = 16;

export type LogAnswer =
  | {readonly kind: 'stored'; readonly sequence: number}
  /** The server says that it did not store the message. */
  | {readonly kind: 'refused'}
  /** No server takes messages of this partition now: it starts, or elects a leader. */
  | {readonly kind: 'nobody'}
  /** Answer to a copy: the earlier one is on its way to a majority of the servers, and may never get there. */
  | {readonly kind: 'in process'};

export interface LogListener {
  answered(partition: number, ticket: number, answer: LogAnswer): void;
  reconnected(): void;
}

/** The wire to the log. `send` returns nothing; the listener gets the answer with the ticket of its send. */
export interface LogLink {
  readonly isConnected: boolean;
  listen(listener: LogListener): void;
  send(partition: number, messageId: string, ticket: number, bytes: Uint8Array): void;
}

/** Told the outcome of messages before their waiters. */
export interface PublishObserver {
  /** `ackMs`: from the message's first entry to the ack. `bytes` are valid during the call. */
  stored(entryCount: number, bytes: Uint8Array, ackMs: number): void;
  /** Given up, refused, or never sent. */
  unavailable(): void;
  sentAgain(): void;
}

/** Generations of the logs, by their acks. */
interface AckGenerations {
  /** 0: unknown. */
  ofAck(partition: number, sequence: number): number;
  startConnection(): void;
}

interface PublisherOptions {
  readonly link: LogLink;
  readonly partitionCount: number;
  /** At most `logMessageBytesMax`. */
  readonly messageBytesMax: number;
  readonly monotonicMs: () => number;
  readonly wallMs: () => number;
  /** 8 random bytes. */
  readonly newProducer: () => Buffer;
  readonly observer?: PublishObserver;
  /** Told of each ack before the message's waiters. */
  readonly acked?: AckedSequences | undefined;
  /** Generations of positions; absent: writes are answered without a position. */
  readonly generations?: AckGenerations;
  readonly foldLag?: FoldLag;
  /** Price of a message (commit-pace.ts, C5); absent: none. */
  readonly messageMs?: () => number;
}

/** The messages of one partition. */
interface Lane {
  readonly partition: number;
  producer: Buffer;
  /** Number of the newest message of this producer, and when it was made. */
  n: number;
  lastMs: number;
  open: LogMessage | undefined;
  /** Full messages that wait to be sent. */
  readonly full: LogMessage[];
  inFlight: LogMessage | undefined;
  /** The cycle that `inFlight` left with. */
  cycle: number;
  /** `inFlight` is of an older cycle than the newest: its waiting requests count for no cycle (commit-pace.ts, C4). */
  isHeldUp: boolean;
  bytes: number;
}

export class LogPublisher implements LogListener {
  private readonly options: PublisherOptions;
  private readonly link: LogLink;
  private readonly lanes: readonly Lane[];
  private readonly spareBuffers: ByteWriter[] = [];
  private readonly pace: CommitPace;
  private cycle = 0;
  private lingering: NodeJS.Timeout | undefined;
  private lingerEndMs = 0;
  private bytes = 0;
  /** The entries of one request are appended one after the other, in one turn. */
  private newestWaiter: CommitWaiter | undefined;
  private tickets = 0;
  private isFlushDue = false;
  private whenIdle: (() => void) | undefined;

  constructor(options: PublisherOptions) {
    assert(options.messageBytesMax <= logMessageBytesMax, 'a log message fits a NATS message');
    assert(options.messageBytesMax >= 2 * entryBytesMax, 'any entry fits a log message');
    this.options = options;
    this.link = options.link;
    this.pace = new CommitPace(options.partitionCount, options.messageMs);
    this.lanes = Array.from({length: options.partitionCount}, (_, partition) => ({
      partition,
      producer: options.newProducer(),
      n: 0,
      lastMs: Number.POSITIVE_INFINITY,
      open: undefined,
      full: [],
      inFlight: undefined,
      cycle: 0,
      isHeldUp: false,
      bytes: 0,
    }));
    this.link.listen(this);
  }

  /** Bytes that wait or fly. */
  get bytesPending(): number {
    return this.bytes;
  }

  /** Bytes that wait or fly, without those of partitions that do not answer: the others must not wait for these. */
  backlogBytes(nowMs: number): number {
    let bytes = 0;
    for (const {inFlight, bytes: laneBytes} of this.lanes) {
      if (inFlight === undefined || nowMs - inFlight.firstSentMs < resendMs) bytes += laneBytes;
    }
    return bytes;
  }

  /** Whether any entry can be taken now; a single partition may be full all the same. */
  get isOpen(): boolean {
    return this.link.isConnected && this.bytes < publisherBytesMax;
  }

  /**
   * Takes the entries in `bytes[start, end)`, at most `entryBytesMax` together, in one message; `waiter` is called when it is
   * settled. Copies the bytes.
   * @returns the message that carries them, or undefined when the log cannot take them now (G5): nothing is stored.
   */
  append(
    partition: number,
    bytes: Uint8Array,
    start: number,
    end: number,
    waiter: CommitWaiter,
    entryCount = 1,
  ): Commit | undefined {
    const lane = this.lanes[partition]!;
    const length = end - start;
    if (!this.hasRoom(lane, length)) return undefined;
    const message = this.openMessage(lane, length);
    message.add(bytes, start, end, waiter, entryCount);
    lane.bytes += length;
    this.bytes += length;
    const requests = waiter === this.newestWaiter ? 0 : 1;
    this.newestWaiter = waiter;
    message.requestCount += requests;
    this.pace.wait(requests, length);
    if (lane.isHeldUp) this.pace.leave(requests, length);
    this.flushSoon();
    return message;
  }

  private hasRoom(lane: Lane, length: number): boolean {
    return this.link.isConnected && lane.bytes + length <= laneBytesMax && this.bytes + length <= publisherBytesMax;
  }

  private openMessage(lane: Lane, length: number): LogMessage {
    if (lane.open !== undefined && lane.open.byteLength + length > this.options.messageBytesMax) {
      lane.full.push(lane.open);
      lane.open = undefined;
    }
    lane.open ??= new LogMessage(
      lane.partition,
      this.spareBuffers.pop() ?? new ByteWriter(bufferBytes),
      this.options.monotonicMs(),
    );
    return lane.open;
  }

  /**
   * Flushes after this turn of the event loop, not at once: the requests of all sockets that are readable now, and those that
   * wait for answers that arrived now, leave together.
   */
  private flushSoon(): void {
    if (this.isFlushDue) return;
    this.isFlushDue = true;
    setImmediate(this.flush);
  }

  private readonly flush = (): void => {
    this.isFlushDue = false;
    if (!this.link.isConnected) return; // `reconnected` and `tick` send what waits.
    const nowMs = this.options.monotonicMs();
    const waitMs = this.pace.waitMs(nowMs);
    if (waitMs === 0) {
      this.beginCycle(nowMs);
      return;
    }
    const gatherMs = this.pace.isSaving && this.lanes.some(isHeavy) ? this.pace.gatherMs(nowMs) : waitMs;
    if (gatherMs === 0) this.sendHeavy();
    this.linger(nowMs, gatherMs === 0 ? waitMs : gatherMs);
  };

  /** Sends what costs its bytes anyway, with the newest cycle (commit-pace.ts, C5). */
  private sendHeavy(): void {
    for (const lane of this.lanes) if (isHeavy(lane)) this.sendNext(lane);
  }

  /** Sets the one timer; a sooner deadline replaces it when answers come early. */
  private linger(nowMs: number, waitMs: number): void {
    if (this.lingering !== undefined && nowMs + waitMs > this.lingerEndMs - 1) return;
    clearTimeout(this.lingering);
    this.lingerEndMs = nowMs + waitMs;
    this.lingering = setTimeout(this.flushAfterLinger, waitMs);
  }

  private readonly flushAfterLinger = (): void => {
    this.lingering = undefined;
    this.flush();
  };

  private beginCycle(nowMs: number): void {
    clearTimeout(this.lingering);
    this.lingering = undefined;
    const messages = this.lanes.filter(canSend).length;
    if (messages === 0) return; // The next answer begins the cycle.
    this.cycle += 1;
    this.newestWaiter = undefined;
    this.pace.begin(nowMs, messages);
    for (const lane of this.lanes) {
      if (lane.inFlight === undefined)
        this.sendNext(lane); // G1
      else this.holdUp(lane);
    }
  }

  private holdUp(lane: Lane): void {
    if (lane.isHeldUp) return;
    lane.isHeldUp = true;
    const {requests, bytes} = waitingOf(lane);
    this.pace.leave(requests, bytes);
  }

  private release(lane: Lane): void {
    if (!lane.isHeldUp) return;
    lane.isHeldUp = false;
    const {requests, bytes} = waitingOf(lane);
    this.pace.waitAgain(requests, bytes);
  }

  private sendNext(lane: Lane): void {
    const message = lane.full.shift() ?? lane.open;
    if (message === undefined) return;
    if (message === lane.open) lane.open = undefined;
    const nowMs = this.options.monotonicMs();
    if (nowMs - lane.lastMs > silentProducerMsMax) this.renewProducer(lane);
    lane.lastMs = nowMs;
    lane.n += 1;
    const id = `${lane.producer.toString('hex')}.${lane.partition}.${lane.n}`;
    message.seal(id, lane.producer, lane.n, this.options.wallMs());
    message.firstSentMs = nowMs;
    lane.inFlight = message;
    lane.cycle = this.cycle;
    this.pace.sent(message.requestCount, message.entryCount, message.entriesBytes);
    this.send(message);
  }

  /** Sends the message, also again with the same bytes. G2 */
  private send(message: LogMessage): void {
    message.sends += 1;
    message.lastSentMs = this.options.monotonicMs();
    this.tickets += 1;
    if (message.sends === 1) message.firstTicket = this.tickets;
    else this.options.observer?.sentAgain();
    this.link.send(message.partition, message.id, this.tickets, message.bytes);
  }

  answered(partition: number, ticket: number, answer: LogAnswer): void {
    const lane = this.lanes[partition]!;
    const message = lane.inFlight;
    // The answer to a message that was given up is ignored. One to an older send of this message is valid.
    if (message === undefined || ticket < message.firstTicket) return;
    switch (answer.kind) {
      case 'stored':
        this.leave(lane, message);
        this.observeStored(message);
        this.options.acked?.acked(partition, answer.sequence);
        // A late ack of a lost connection may be about another log than the one that comes back.
        if (this.link.isConnected) this.options.foldLag?.acked(partition, answer.sequence, message.bytes);
        message.settle('stored', this.options.generations?.ofAck(partition, answer.sequence), answer.sequence);
        this.recycle(message);
        break;
      case 'refused':
        // The outcome of an earlier copy is unknown.
        this.giveUp(lane, message, message.sends === 1 ? 'refused' : 'unknown');
        break;
      case 'nobody':
        message.lastSentMs = Number.NEGATIVE_INFINITY; // The next tick sends it again.
        break;
      case 'in process': // The ack of the first copy may come. Until then it is sent again, as another leader may not know it.
    }
  }

  private observeStored({entryCount, bytes, openedMs}: LogMessage): void {
    const {observer, monotonicMs} = this.options;
    observer?.stored(entryCount, bytes, monotonicMs() - openedMs);
  }

  reconnected(): void {
    this.options.acked?.startConnection();
    this.options.foldLag?.startConnection();
    this.options.generations?.startConnection();
    // Messages may or may not have reached the log over the old connection: send them again. G2
    for (const {inFlight} of this.lanes) if (inFlight !== undefined) this.send(inFlight);
    this.flushSoon();
  }

  /** Sends messages without an answer again, and gives up those that waited too long. */
  tick(): void {
    const nowMs = this.options.monotonicMs();
    for (const lane of this.lanes) {
      this.tickInFlight(lane, nowMs);
      this.dropOverdue(lane, nowMs);
    }
  }

  private tickInFlight(lane: Lane, nowMs: number): void {
    const message = lane.inFlight;
    if (message === undefined) return;
    if (nowMs - message.openedMs >= giveUpMs) this.giveUp(lane, message, 'unknown');
    else if (this.link.isConnected && nowMs - message.lastSentMs >= resendMs) this.send(message);
  }

  /** A message that was never sent is not stored for certain: its producer goes on. */
  private dropOverdue(lane: Lane, nowMs: number): void {
    while (lane.full.length > 0 && nowMs - lane.full[0]!.openedMs >= giveUpMs) {
      this.drop(lane, lane.full.shift()!, 'unsent');
    }
    const {open} = lane;
    if (open === undefined || nowMs - open.openedMs < giveUpMs) return;
    lane.open = undefined;
    this.drop(lane, open, 'unsent');
  }

  private drop(lane: Lane, message: LogMessage, outcome: MessageOutcome): void {
    this.leave(lane, message);
    this.options.observer?.unavailable();
    message.settle(outcome);
  }

  /** Gives up the message in flight, and its producer id. G3 */
  private giveUp(lane: Lane, message: LogMessage, outcome: MessageOutcome): void {
    this.renewProducer(lane);
    this.drop(lane, message, outcome);
  }

  private renewProducer(lane: Lane): void {
    lane.producer = this.options.newProducer();
    lane.n = 0;
  }

  private leave(lane: Lane, message: LogMessage): void {
    const length = message.entriesBytes;
    if (lane.inFlight === message) {
      lane.inFlight = undefined;
      if (lane.cycle === this.cycle) this.pace.settled(message.requestCount, this.options.monotonicMs());
      this.release(lane);
    } else if (!lane.isHeldUp) this.pace.leave(message.requestCount, length);
    lane.bytes -= length;
    this.bytes -= length;
    if (this.pace.isWaiting) this.flushSoon();
    if (this.bytes === 0) this.whenIdle?.();
  }

  /** Reuses the message's buffer if it was sent once. G4 */
  private recycle(message: LogMessage): void {
    if (message.sends === 1 && this.spareBuffers.length < spareBuffersMax) this.spareBuffers.push(message.writer);
  }

  /** Resolves when no message waits or flies; while `tick` is called that takes at most `giveUpMs` and a tick. */
  idle(): Promise<void> {
    if (this.bytes === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.whenIdle = resolve;
    });
  }
}

/** G1 */
const canSend = ({inFlight, open, full}: Lane): boolean =>
  inFlight === undefined && (open !== undefined || full.length > 0);

/** Whether it may send, and would not share its message with others for long. G1 */
const isHeavy = (lane: Lane): boolean => canSend(lane) && waitingOf(lane).bytes >= laneBytesAtOnce;

function waitingOf({open, full}: Lane): {requests: number; bytes: number} {
  let requests = open?.requestCount ?? 0;
  let bytes = open?.entriesBytes ?? 0;
  for (const message of full) {
    requests += message.requestCount;
    bytes += message.entriesBytes;
  }
  return {requests, bytes};
}

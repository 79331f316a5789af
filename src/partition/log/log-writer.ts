// Entries that the owner of a partition appends to its log: ticks, moves, and filler that pushes older entries out of the
// newest storage block.
import {randomBytes} from 'node:crypto';
import type {JetStreamClient} from '@nats-io/jetstream';
import {ByteWriter} from '../../../actors/bytes/bytes.js';
import type {LateLink} from '../../../actors/identity/identity.js';
import {assert} from '../../../actors/invariant.js';
import {entryBytesMax, logMessageBytesMax} from '../../../actors/limits.js';
import {
  type Arrival,
  beginMessage,
  type Completion,
  type Leaver,
  sealMessage,
  writeArrive,
  writeComplete,
  writeEraseOfKey,
  writeFiller,
  writeLeave,
  writeLink,
  writeRetain,
  writeTick,
} from '../../../actors/log/entries.js';
import type {RetentionSetting} from '../../../actors/retention.js';
import {wallMs} from '../../clock.js';
import {headersBytesMax, payloadBytesMin} from '../../nats/payload.js';
import {logSubject} from '../../nats/topology.js';
import {type RetryLog, retryForever} from '../retry.js';

/** Bytes of the head of a message and of one entry, or of a whole tick. */
const messageHeadBytesMax = 128;
// The filler's message has a head and headers, within the least payload that a server may carry.
const fillerBytesMax = logMessageBytesMax - 2 * headersBytesMax;
/** Bytes of an erase entry: an id of 256 characters, the id of its deletion, and the partitions that it goes on to. */
const erasureBytesMax = 1_800;
const erasuresMax = 400;
/** Bytes of a link entry: two ids of 256 characters. */
const linkBytesMax = 2_200;
const leaverBytesMax = 6;
const userStepBytesMax = 5;
/** Users of one complete entry. */
export const usersCompletedMax = 100_000;
/** Bytes of the event entries in one message of a move; one entry more still fits. */
export const arriveBytesMax = logMessageBytesMax - entryBytesMax - messageHeadBytesMax;
assert(erasuresMax * erasureBytesMax <= fillerBytesMax, 'NATS carries erase entries');
assert(usersCompletedMax * userStepBytesMax <= fillerBytesMax, 'NATS carries complete entries');
assert(fillerBytesMax + messageHeadBytesMax + headersBytesMax <= payloadBytesMin, 'NATS carries filler');

export interface Erasing {
  /** Key of the user. */
  readonly key: Uint8Array;
  /** Id of the deletion. */
  readonly id: string;
  /** Partitions that the deletion goes on to; absent: none. */
  readonly onward?: readonly number[];
  /** When it was asked for, epoch ms; absent: now. */
  readonly receivedMs?: number | undefined;
}

/** The log of a partition that users leave for, or that a deletion goes on to. */
export type DestinationLog = Pick<LogWriter, 'arrive' | 'erase' | 'link' | 'takeBack'>;

export class LogWriter {
  private readonly js: JetStreamClient;
  private readonly partition: number;
  private readonly retries: RetryLog | undefined;
  private readonly producer = randomBytes(8);
  private n = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(js: JetStreamClient, partition: number, retries?: RetryLog) {
    this.js = js;
    this.partition = partition;
    this.retries = retries;
  }

  /** Reason why the log refuses an entry; undefined if it does not. */
  get fault(): string | undefined {
    return this.retries?.reason;
  }

  /**
   * Appends a tick of an owner's epoch; resolves with its sequence. Messages are sent one after the other; a retry repeats the same
   * bytes.
   */
  tick(periodMs: number, epoch: number): Promise<number> {
    return this.send(messageHeadBytesMax, (writer, nowMs) => writeTick(writer, nowMs, periodMs, epoch));
  }

  /** Appends erase entries of users by their keys; resolves with the sequence of the last. */
  async erase(deletions: readonly Erasing[]): Promise<number> {
    let sequence = 0;
    for (let at = 0; at < deletions.length; at += erasuresMax) {
      const some = deletions.slice(at, at + erasuresMax);
      const bytes = messageHeadBytesMax + some.length * erasureBytesMax;
      sequence = await this.send(
        bytes,
        (writer, nowMs) => {
          for (const {key, id, onward, receivedMs = nowMs} of some)
            writeEraseOfKey(writer, key, id, receivedMs, onward);
        },
        some.length,
      );
    }
    return sequence;
  }

  /** Appends an entry that takes a link back; resolves with its sequence. */
  takeBack(link: LateLink): Promise<number> {
    return this.link(link, true);
  }

  /** Appends a link entry; resolves with its sequence. */
  link({anonymousId, userId}: LateLink, isTakenBack = false): Promise<number> {
    return this.send(messageHeadBytesMax + linkBytesMax, (writer, nowMs) =>
      writeLink(writer, anonymousId, userId, nowMs, isTakenBack),
    );
  }

  /** Appends a leave entry; resolves with its sequence. */
  leave(leavers: readonly Leaver[]): Promise<number> {
    return this.send(messageHeadBytesMax + leavers.length * leaverBytesMax, (writer) => writeLeave(writer, leavers));
  }

  /** Appends a message of a move with `eventCount` event entries. */
  arrive(arrival: Arrival, events: Uint8Array, eventCount: number): Promise<number> {
    return this.send(
      messageHeadBytesMax + events.length,
      (writer) => {
        writeArrive(writer, arrival);
        writer.raw(events);
      },
      1 + eventCount,
    );
  }

  /** Appends a complete entry; resolves with its sequence. */
  complete(completion: Completion): Promise<number> {
    assert(completion.users.length <= usersCompletedMax, 'NATS carries a complete entry');
    const bytes = messageHeadBytesMax + completion.users.length * userStepBytesMax;
    return this.send(bytes, (writer) => writeComplete(writer, completion));
  }

  /** Appends a retain entry; resolves with its sequence. */
  retain(setting: RetentionSetting): Promise<number> {
    return this.send(messageHeadBytesMax, (writer) => writeRetain(writer, setting));
  }

  /** Appends filler of this many bytes; resolves when it is stored. */
  async filler(bytes: number): Promise<void> {
    const pieces: Promise<number>[] = [];
    for (let left = bytes; left > 0; left -= fillerBytesMax) {
      const length = Math.min(left, fillerBytesMax);
      pieces.push(this.send(length + messageHeadBytesMax, (writer) => writeFiller(writer, length)));
    }
    await Promise.all(pieces);
  }

  private send(bytes: number, write: (writer: ByteWriter, nowMs: number) => void, entryCount = 1): Promise<number> {
    const appended = this.last.then(() => {
      const writer = new ByteWriter(bytes);
      beginMessage(writer);
      const nowMs = wallMs();
      write(writer, nowMs);
      this.n += 1;
      return this.append(sealMessage(writer, this.producer, this.n, nowMs, entryCount), this.n);
    });
    this.last = appended;
    return appended;
  }

  private async append(message: Uint8Array, n: number): Promise<number> {
    const msgID = `${this.producer.toString('hex')}.${this.partition}.${n}`;
    const publish = () => this.js.publish(logSubject(this.partition), message, {msgID});
    const ack = await retryForever(publish, this.retries);
    return ack.seq;
  }
}

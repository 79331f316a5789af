// The streams of a fake nats-server: its contract, and the bytes on its disk.
//   Kept: sequences, the duplicate window by message id, expected-last-subject-sequence, history per subject, purge by
//   sequence, delete with overwriting, loss of the newest messages in a power cut.
//   D1. A removed message stays on the disk until it is overwritten, or until its whole storage block is removed.
import {JetStreamApiError} from '@nats-io/jetstream';
import {duplicateWindowMs} from '../../src/nats/topology.js';

const blockBytes = 8 * 1024 * 1024;

export interface Stored {
  readonly seq: number;
  readonly subject: string;
  readonly data: Uint8Array;
  readonly msgId: string | undefined;
  readonly atMs: number;
  readonly block: number;
}

export interface Publish {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly msgId?: string | undefined;
  readonly lastSubjectSequence?: number | undefined;
}

export interface PubAnswer {
  readonly seq: number;
  readonly duplicate: boolean;
}

export const apiError = (err_code: number, description: string): JetStreamApiError =>
  new JetStreamApiError({code: 400, err_code, description});
export const noMessageFound = 10_037;
const sequenceNotFound = 10_043;
const wrongLastSequence = 10_071;

export class SimStream {
  readonly name: string;
  firstSeq = 1;
  lastSeq = 0;
  readonly live = new Map<number, Stored>();
  /** Removed and not overwritten. D1 */
  private removed: Stored[] = [];
  private readonly historyMax: number;
  private readonly ids = new Map<string, {seq: number; atMs: number}>();
  private readonly bySubject = new Map<string, number[]>();
  private readonly liveOfBlock = new Map<number, number>();
  private block = 0;
  private bytesOfBlock = 0;
  /** Called for every stored message. */
  onStored: (message: Stored) => void = () => undefined;
  /** Called for every message that a newer one is about to replace. */
  onReplaced: (message: Stored) => void = () => undefined;

  /** `historyMax`: messages kept per subject; 0: all. */
  constructor(name: string, historyMax: number) {
    this.name = name;
    this.historyMax = historyMax;
  }

  publish({subject, data, msgId, lastSubjectSequence}: Publish, nowMs: number): PubAnswer {
    const known = msgId === undefined ? undefined : this.ids.get(msgId);
    if (known !== undefined && nowMs - known.atMs < duplicateWindowMs) return {seq: known.seq, duplicate: true};
    const held = this.bySubject.get(subject) ?? [];
    if (lastSubjectSequence !== undefined && (held.at(-1) ?? 0) !== lastSubjectSequence) {
      throw apiError(wrongLastSequence, `wrong last sequence: ${held.at(-1) ?? 0}`);
    }
    this.lastSeq += 1;
    const message: Stored = {seq: this.lastSeq, subject, data, msgId, atMs: nowMs, block: this.blockFor(data.length)};
    this.live.set(message.seq, message);
    this.liveOfBlock.set(message.block, (this.liveOfBlock.get(message.block) ?? 0) + 1);
    if (msgId !== undefined) this.ids.set(msgId, {seq: message.seq, atMs: nowMs});
    this.bySubject.set(subject, [...held, message.seq]);
    this.onStored(message);
    if (this.historyMax > 0 && held.length >= this.historyMax) this.replace(held[0] as number);
    return {seq: message.seq, duplicate: false};
  }

  private blockFor(bytes: number): number {
    if (this.bytesOfBlock + bytes > blockBytes) {
      this.block += 1;
      this.bytesOfBlock = 0;
    }
    this.bytesOfBlock += bytes;
    return this.block;
  }

  private replace(seq: number): void {
    this.onReplaced(this.live.get(seq) as Stored);
    this.remove(seq, false);
  }

  private remove(seq: number, isOverwritten: boolean): void {
    const message = this.live.get(seq);
    if (message === undefined) return;
    this.live.delete(seq);
    this.liveOfBlock.set(message.block, (this.liveOfBlock.get(message.block) as number) - 1);
    const left = (this.bySubject.get(message.subject) ?? []).filter((held) => held !== seq);
    if (left.length === 0) this.bySubject.delete(message.subject);
    else this.bySubject.set(message.subject, left);
    if (!isOverwritten) this.removed.push(message);
    if (seq === this.firstSeq) this.moveFirst();
  }

  private moveFirst(): void {
    while (this.firstSeq <= this.lastSeq && !this.live.has(this.firstSeq)) this.firstSeq += 1;
  }

  get(seq: number): Stored {
    const message = this.live.get(seq);
    if (message === undefined) throw apiError(noMessageFound, 'no message found');
    return message;
  }

  lastOf(subject: string): Stored {
    return this.get(this.bySubject.get(subject)?.at(-1) ?? 0);
  }

  subjectsUnder(filter: string): Record<string, number> {
    const prefix = filter.replace(/>$/, '');
    const found = [...this.bySubject].filter(([subject]) => subject.startsWith(prefix));
    return Object.fromEntries(found.map(([subject, held]) => [subject, held.length]));
  }

  delete(seq: number, isErase: boolean): void {
    if (!this.live.has(seq)) throw apiError(sequenceNotFound, `sequence ${seq} not found`);
    this.remove(seq, isErase);
  }

  /** Removes the messages before `seq`. A real server forgets the message ids that it knew, or not. */
  purge(seq: number, forgetsIds: boolean): void {
    for (let at = this.firstSeq; at < Math.min(seq, this.lastSeq + 1); at++) this.remove(at, false);
    this.firstSeq = Math.max(this.firstSeq, Math.min(seq, this.lastSeq + 1));
    this.moveFirst();
    if (forgetsIds) this.ids.clear();
  }

  /** The server restarted: it knows the message ids of its present messages. */
  restart(): void {
    this.ids.clear();
    for (const {msgId, seq, atMs} of this.live.values()) if (msgId !== undefined) this.ids.set(msgId, {seq, atMs});
  }

  /** Loses the newest `count` messages, which were never synced. */
  loseTail(count: number): Stored[] {
    const lost = [...this.live.values()].filter(({seq}) => seq > this.lastSeq - count);
    for (const {seq} of lost) this.remove(seq, true);
    this.lastSeq = Math.max(this.firstSeq - 1, this.lastSeq - count);
    return lost;
  }

  /** Messages that can be read from the disk. D1 */
  *onDisk(): Generator<Stored> {
    yield* this.live.values();
    for (const message of this.removed) {
      if (message.block === this.block || (this.liveOfBlock.get(message.block) ?? 0) > 0) yield message;
    }
  }
}

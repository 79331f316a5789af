// A consumer of a log: messages in order and once, across resets that show only as silence.
//   O1. Messages that were delivered and not taken stay, also while the connection is lost.
//   O2. After a reset it continues after the last message that was delivered.
import type {ReceivedMessage} from '../../src/partition/log/handed-messages.js';
import type {LogPull} from '../../src/partition/log/log-reader.js';
import type {SimLink} from './link.js';
import type {SimStream, Stored} from './store.js';

export class SimConsumer implements LogPull {
  private readonly link: SimLink;
  private readonly stream: SimStream;
  /** Sequence that the server sends next. */
  private nextSeq: number;
  /** Sequence that the client expects next. */
  private expectedSeq: number;
  /** Counts resets: messages of an earlier consumer are not taken. */
  private incarnation = 0;
  private readonly buffer: Stored[] = []; // O1
  private wake: (() => void) | undefined;
  private isStopped = false;

  constructor(link: SimLink, stream: SimStream, startSequence: number) {
    this.link = link;
    this.stream = stream;
    this.nextSeq = this.expectedSeq = startSequence;
    this.pumpAfter(0);
  }

  private pumpAfter(ms: number): void {
    const {timeline, faults} = this.link.world;
    const {incarnation} = this;
    timeline.schedule(ms + faults.latencyMs(), undefined, () => {
      if (incarnation === this.incarnation) this.pump();
    });
  }

  /** At the server: sends the present messages; runs again when one is stored. */
  private pump(): void {
    const {timeline, faults, server} = this.link.world;
    if (this.isStopped || this.link.process.isDead) return;
    if (!server.isUp || !this.link.isConnected || faults.resetsConsumer()) {
      this.reset();
      return;
    }
    const batch = this.takeBatch(faults.batch());
    if (batch.length === 0) {
      server.whenChanged(this.stream, () => this.pumpAfter(0));
      return;
    }
    const {incarnation} = this;
    const transitMs = faults.latencyMs();
    timeline.schedule(transitMs, this.link.process, () => {
      if (incarnation === this.incarnation) this.deliver(batch);
    });
    this.pumpAfter(transitMs);
  }

  private takeBatch(countMax: number): Stored[] {
    const batch: Stored[] = [];
    this.nextSeq = Math.max(this.nextSeq, this.stream.firstSeq);
    while (batch.length < countMax && this.nextSeq <= this.stream.lastSeq) {
      const message = this.stream.live.get(this.nextSeq++);
      if (message !== undefined) batch.push(message);
    }
    return batch;
  }

  /** Loses what is under way, and continues. O2 */
  private reset(): void {
    const {timeline, faults} = this.link.world;
    this.incarnation += 1;
    timeline.schedule(faults.silenceMs(), undefined, () => {
      this.nextSeq = this.expectedSeq;
      this.pump();
    });
  }

  private deliver(batch: readonly Stored[]): void {
    if (!this.link.isConnected) {
      this.reset();
      return;
    }
    this.buffer.push(...batch);
    this.expectedSeq = (batch[batch.length - 1] as Stored).seq + 1;
    this.wake?.();
  }

  stop(): void {
    this.isStopped = true;
    this.wake?.();
  }

  async next(): Promise<readonly ReceivedMessage[] | undefined> {
    return (await this.take())?.map(({seq, data}) => ({sequence: seq, bytes: data}));
  }

  async take(): Promise<readonly Stored[] | undefined> {
    while (this.buffer.length === 0) {
      if (this.isStopped) return undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    return this.buffer.splice(0);
  }

  /** Does nothing: messages come as soon as they can. */
  expedite(): void {}
}

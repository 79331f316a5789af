// An edge: the real group commit over a fake link.
import {logMessageBytesMax} from '../../actors/limits.js';
import type {AckedSequences} from '../../src/ingest/acked-sequences.js';
import {FoldLag} from '../../src/ingest/fold-lag.js';
import {HandOver} from '../../src/ingest/hand-over.js';
import type {LogAnswer, LogLink, LogListener} from '../../src/ingest/publisher.js';
import {LogPublisher, tickMs} from '../../src/ingest/publisher.js';
import {logSubject} from '../../src/nats/topology.js';
import type {AckedParcel} from '../../src/worker-messages.js';
import {type LinkWorld, nameOf, SimLink} from './link.js';
import {SimProcess} from './timeline.js';

export class SimEdge implements LogLink {
  readonly process: SimProcess;
  readonly link: SimLink;
  readonly publisher: LogPublisher;
  readonly releasedBytes: Int32Array;
  private readonly handOver: HandOver;
  private readonly world: LinkWorld;
  private listener: LogListener | undefined;
  private isTicking = false;

  /** `acked` is told what the log acked; `take` gets what is handed over to whoever owns the partition. */
  constructor(name: string, world: LinkWorld, acked: AckedSequences, take: (parcel: AckedParcel) => void) {
    this.process = new SimProcess(name);
    this.link = new SimLink(this.process, world);
    this.world = world;
    const {timeline} = world;
    const [releasedBytes, appliedSequences] = [new Int32Array(1), new Int32Array(1)];
    const thread = {
      partitions: [0],
      releasedBytes,
      appliedSequences,
      take,
      onAsk: () => undefined,
      onHurry: () => undefined,
    };
    this.releasedBytes = releasedBytes;
    this.handOver = new HandOver([thread], 1, new FoldLag([thread], 1, () => timeline.nowMs));
    this.publisher = new LogPublisher({
      link: this,
      partitionCount: 1,
      messageBytesMax: logMessageBytesMax,
      monotonicMs: () => timeline.nowMs,
      wallMs: () => Date.now(),
      newProducer: () => timeline.randomBytes(8),
      acked,
      handOver: this.handOver,
    });
    this.link.onReconnect = () => this.listener?.reconnected();
  }

  get isConnected(): boolean {
    return this.link.isConnected;
  }

  listen(listener: LogListener): void {
    this.listener = listener;
  }

  send(partition: number, msgId: string, ticket: number, bytes: Uint8Array): void {
    const {server, timeline} = this.world;
    const data = bytes.slice();
    this.keepTicking();
    this.link.send(
      `log ${msgId} ${nameOf(data)}`,
      () => server.publish({subject: logSubject(partition), data, msgId}, timeline.nowMs),
      (outcome) => {
        const answer: LogAnswer =
          'error' in outcome ? {kind: 'refused'} : {kind: 'stored', sequence: outcome.value.seq};
        this.listener?.answered(partition, ticket, answer);
      },
    );
  }

  /** As an owner wants it that lost its connection: a new number, once this one is seen to live. */
  askAnew(): void {
    this.link
      .request('ping', () => undefined)
      .then(
        () => this.handOver.startConnection(),
        () => undefined,
      );
  }

  /** While nothing waits a tick does nothing: none is simulated. */
  keepTicking(): void {
    if (this.isTicking) return;
    this.isTicking = true;
    this.world.timeline.schedule(tickMs, this.process, () => {
      this.isTicking = false;
      this.publisher.tick();
      if (this.publisher.bytesPending > 0) this.keepTicking();
    });
  }
}

// An edge: the real group commit over a fake link, which hands over to the owners what it acked.
import {logMessageBytesMax} from '../../actors/limits.js';
import type {AckedSequences} from '../../src/ingest/acked-sequences.js';
import {FoldLag} from '../../src/ingest/fold-lag.js';
import {type AckedParcel, HandOver} from '../../src/ingest/hand-over.js';
import type {LogAnswer, LogLink, LogListener} from '../../src/ingest/publisher.js';
import {LogPublisher, tickMs} from '../../src/ingest/publisher.js';
import {logSubject} from '../../src/nats/topology.js';
import {type LinkWorld, nameOf, SimLink} from './link.js';
import {SimProcess} from './timeline.js';

export class SimEdge implements LogLink {
  readonly process: SimProcess;
  readonly link: SimLink;
  readonly publisher: LogPublisher;
  private readonly world: LinkWorld;
  private readonly foldLag: FoldLag;
  private listener: LogListener | undefined;
  private isTicking = false;

  /** `acked` is told of every ack of the log; `take` gets the messages that are handed over. */
  constructor(name: string, world: LinkWorld, acked: AckedSequences, take: (parcel: AckedParcel) => void) {
    this.process = new SimProcess(name);
    this.link = new SimLink(this.process, world);
    this.world = world;
    const {timeline, server} = world;
    const partitions = server.logs.map((_, partition) => partition);
    const appliedSequences = new Int32Array(partitions.length);
    const thread = {partitions, appliedSequences, handOver: new HandOver(take), onLogLost: () => undefined};
    this.foldLag = new FoldLag([thread], partitions.length, () => timeline.nowMs);
    this.publisher = new LogPublisher({
      link: this,
      partitionCount: server.logs.length,
      messageBytesMax: logMessageBytesMax,
      monotonicMs: () => timeline.nowMs,
      wallMs: () => Date.now(),
      newProducer: () => timeline.randomBytes(8),
      acked,
      foldLag: this.foldLag,
    });
    this.link.onReconnect = () => this.listener?.reconnected();
  }

  get partitionCount(): number {
    return this.world.server.logs.length;
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

  /** An owner lost its connection to the log. */
  renewHandOver(): void {
    this.link
      .request('ping', () => undefined)
      .then(
        () => this.foldLag.startConnection(),
        () => undefined,
      );
  }

  /** Without waiting messages a tick does nothing, and is not simulated. */
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

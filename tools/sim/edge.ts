// An edge: the real group commit over a fake link.
import {logMessageBytesMax} from '../../actors/limits.js';
import type {AckedSequences} from '../../src/ingest/acked-sequences.js';
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
  private listener: LogListener | undefined;
  private isTicking = false;

  /** `acked` is told of every ack of the log. */
  constructor(name: string, world: LinkWorld, acked: AckedSequences) {
    this.process = new SimProcess(name);
    this.link = new SimLink(this.process, world);
    this.world = world;
    const {timeline, server} = world;
    this.publisher = new LogPublisher({
      link: this,
      partitionCount: server.logs.length,
      messageBytesMax: logMessageBytesMax,
      monotonicMs: () => timeline.nowMs,
      wallMs: () => Date.now(),
      newProducer: () => timeline.randomBytes(8),
      acked,
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

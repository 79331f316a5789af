// The fake server of one deployment: a log for each partition, and the buckets, up or down, watched.
import {type Bucket, bucketStream, logStream, logSubject, partsBucket, partsBuckets} from '../../src/nats/topology.js';
import {type PubAnswer, type Publish, SimStream, type Stored} from './store.js';

/** Called before every change, and after every message was stored. */
export interface Watch {
  stored(stream: SimStream, message: Stored): void;
  removing(stream: SimStream, message: Stored, how: 'erase' | 'delete' | 'replace'): void;
  purging(stream: SimStream, seq: number): void;
}

export class SimServer {
  /** Log of each partition. */
  readonly logs: readonly SimStream[];
  /** Parts of each partition. */
  readonly parts: readonly SimStream[];
  readonly manifests = new SimStream(bucketStream('manifests'), 2);
  /** Who owns which partition; only where there are several workers. */
  readonly cluster = new SimStream(bucketStream('cluster'), 1);
  /** Whether that bucket has no leader. */
  isElecting = false;
  isUp = true;
  /** Number of times that it went down: calls in flight then never arrive. */
  downs = 0;
  /** Whether a purge makes it forget message ids: deduplication in the fold must work without them. */
  private readonly forgetsIdsOnPurge: boolean;
  private readonly watch: Watch;
  private readonly waiting = new Map<SimStream, (() => void)[]>();

  constructor(partitions: number, watch: Watch, forgetsIdsOnPurge: boolean) {
    this.logs = Array.from({length: partitions}, (_, partition) => new SimStream(logStream(partition), 0));
    this.parts = partsBuckets(partitions).map((bucket) => new SimStream(bucketStream(bucket), 1));
    this.watch = watch;
    this.forgetsIdsOnPurge = forgetsIdsOnPurge;
    for (const stream of this.streams) {
      stream.onStored = (message) => watch.stored(stream, message);
      stream.onReplaced = (message) => watch.removing(stream, message, 'replace');
    }
  }

  get streams(): readonly SimStream[] {
    return [...this.logs, ...this.parts, this.manifests, this.cluster];
  }

  stream(name: string): SimStream {
    const found = this.streams.find((stream) => stream.name === name);
    if (found === undefined) throw new Error(`there is no stream ${name}`);
    return found;
  }

  /** The stream of a partition's parts. */
  partsOf(partition: number): SimStream {
    return this.stream(bucketStream(partsBucket(partition)));
  }

  publish(message: Publish, nowMs: number): PubAnswer {
    const stream = this.streamOf(message.subject);
    const answer = stream.publish(message, nowMs);
    if (!answer.duplicate) this.changed(stream);
    return answer;
  }

  private streamOf(subject: string): SimStream {
    const log = this.logs.find((_, partition) => subject === logSubject(partition));
    if (log !== undefined) return log;
    const [, bucket] = subject.split('.') as [string, Bucket];
    return this.stream(bucketStream(bucket));
  }

  purge(stream: SimStream, seq: number): void {
    this.watch.purging(stream, seq);
    stream.purge(seq, this.forgetsIdsOnPurge);
  }

  delete(stream: SimStream, seq: number, isErase: boolean): void {
    const message = stream.live.get(seq);
    if (message !== undefined) this.watch.removing(stream, message, isErase ? 'erase' : 'delete');
    stream.delete(seq, isErase);
  }

  /** Calls once, when a message was stored or the server went down. */
  whenChanged(stream: SimStream, call: () => void): void {
    const calls = this.waiting.get(stream) ?? [];
    calls.push(call);
    this.waiting.set(stream, calls);
  }

  private changed(stream: SimStream): void {
    const calls = this.waiting.get(stream) ?? [];
    this.waiting.delete(stream);
    for (const call of calls) call();
  }

  goDown(): void {
    this.isUp = false;
    this.downs += 1;
    for (const stream of this.streams) this.changed(stream);
  }

  comeBack(): void {
    for (const stream of this.streams) stream.restart();
    this.isUp = true;
  }
}

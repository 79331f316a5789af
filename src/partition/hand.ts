// The partitions that a thread owns: which ones there are, and who answers questions about them.
//   HA1. Changes of one partition follow one another: a partition that is given away while it starts is given away once it has started.
//   HA2. A partition that another process took ends here, and the thread goes on. What its former runner still has under way fails,
//        and that ends nothing.
//   HA3. A partition that comes later and cannot start, because NATS does not answer, ends alone: its member owns it again.
import type {MessagePort} from 'node:worker_threads';
import type {Msg, NatsConnection, Subscription} from 'nats';
import {InvariantError, OperatorFault, throwBroken} from '../../actors/invariant.js';
import type {Asker} from '../asks/asker.js';
import {OpenQuestions} from '../asks/open-questions.js';
import type {PartitionAnswer, PartitionQuestion} from '../asks/partition.js';
import {askPartitionSubject} from '../asks/subjects.js';
import {AckedSequences} from '../ingest/acked-sequences.js';
import {leftSubject, readAskedHeaders} from '../nats/asked-headers.js';
import {pack, unpack} from '../nats/packed.js';
import type {Logger} from '../observe.js';
import type {Damage} from '../parts/damage.js';
import type {ThreadVitals} from '../thread-vitals.js';
import type {FromWorker, ThreadQuestion, ToWorker} from '../worker-messages.js';
import {type LiveReads, movedOn} from './reads/live-reads.js';
import type {Runner} from './runner.js';
import {Replaced} from './snapshot/manifest-store.js';

/** Who answers the questions about a partition. */
export type Reads = Pick<LiveReads, 'answer' | 'measures'>;

/** `runner`: undefined for a partition that starts halted. */
export interface Started {
  readonly runner: Runner | undefined;
  readonly reads: Reads;
}

/** A partition that the thread owns, or owned. */
interface Owned {
  readonly partition: number;
  started: Started | undefined;
  subscriptions: readonly Subscription[];
}

export interface HandSetup {
  readonly nc: NatsConnection;
  /** Recovers a partition. `onFatal`: called when its runner cannot go on. @throws Replaced */
  readonly start: (partition: number, onFatal: (error: Error) => void) => Promise<Started>;
  readonly vitals: ThreadVitals;
  readonly damage: Damage;
  readonly log: Logger;
  readonly tell: (message: FromWorker) => void;
  /** Ends the process. */
  readonly fail: (error: Error) => void;
}

export class Hand {
  private readonly setup: HandSetup;
  private readonly owned = new Map<number, Owned>();
  /** The newest change of each partition. HA1 */
  private readonly changes = new Map<number, Promise<unknown>>();
  private readonly open = new OpenQuestions();

  constructor(setup: HandSetup) {
    this.setup = setup;
  }

  get runners(): Runner[] {
    return [...this.owned.values()].flatMap(({started}) => started?.runner ?? []);
  }

  /** In ascending order. */
  get partitions(): number[] {
    return [...this.owned.keys()].sort((a, b) => a - b);
  }

  /** Recovers a partition, and answers questions about it from then on. @returns its runner, which has not started yet. */
  take(partition: number): Promise<Runner | undefined> {
    return this.change(partition, async () => {
      if (this.owned.has(partition)) return undefined;
      const owned: Owned = {partition, started: undefined, subscriptions: []};
      this.owned.set(partition, owned);
      try {
        owned.started = await this.setup.start(partition, (error) => this.failed(owned, error));
      } catch (error) {
        if (error instanceof Replaced) this.lose(owned, error);
        else if (this.isOwned(owned)) throw error;
        return undefined;
      }
      const {runner, reads} = owned.started;
      if (!this.isOwned(owned)) {
        runner?.abandon();
        return undefined;
      }
      owned.subscriptions = this.listen(partition, reads);
      this.setup.tell({kind: 'owned', partition});
      return runner;
    });
  }

  /** Takes a partition while the thread works on others. HA3 */
  async own(partition: number): Promise<void> {
    let runner: Runner | undefined;
    try {
      runner = await this.take(partition);
      await runner?.start();
    } catch (error) {
      throwBroken(error);
      const owned = this.owned.get(partition);
      if (owned === undefined || owned.started?.runner !== runner) return; // HA2
      if (error instanceof OperatorFault && !(error instanceof Replaced)) throw error;
      this.lose(owned, error as Error);
    }
  }

  /** Publishes a last snapshot of a partition, and lets go of it. */
  release(partition: number): Promise<void> {
    return this.change(partition, async () => {
      const owned = this.owned.get(partition);
      if (owned === undefined) return;
      await owned.started?.runner?.release();
      await this.hearLast(owned);
      if (this.letGo(owned)) this.setup.tell({kind: 'released', partition});
    });
  }

  /** Another process owns the partition. One that is being given away waits for a snapshot that it may not publish any more. */
  abandon(partition: number): void {
    const owned = this.owned.get(partition);
    if (owned !== undefined) this.end(owned);
  }

  /** Publishes last snapshots of all partitions. */
  async drain(): Promise<void> {
    await Promise.all(this.changes.values());
    await Promise.all(this.runners.map((runner) => runner.drain()));
  }

  private change<T>(partition: number, make: () => Promise<T>): Promise<T> {
    const change = (this.changes.get(partition) ?? Promise.resolve()).then(make);
    // Whoever asked for it hears that it failed; the next one is made all the same.
    this.changes.set(
      partition,
      change.catch(() => undefined),
    );
    return change;
  }

  private isOwned(owned: Owned): boolean {
    return this.owned.get(owned.partition) === owned;
  }

  /**
   * Answers the questions that are on their way, and takes no more: a question that is dropped would wait for its deadline, and one
   * that is told that the partition has moved is asked again.
   */
  private async hearLast({subscriptions}: Owned): Promise<void> {
    await Promise.all(subscriptions.map((subscription) => subscription.drain())).catch(throwBroken);
  }

  /** @returns false when the thread has let go of it before. */
  private letGo(owned: Owned): boolean {
    void this.hearLast(owned);
    return this.isOwned(owned) && this.owned.delete(owned.partition);
  }

  private end(owned: Owned): boolean {
    owned.started?.runner?.abandon();
    return this.letGo(owned);
  }

  /** HA2 */
  private failed(owned: Owned, error: Error): void {
    if (error instanceof Replaced) this.lose(owned, error);
    else if (this.isOwned(owned) || error instanceof InvariantError) this.setup.fail(error);
  }

  private lose(owned: Owned, {message}: Error): void {
    const {partition} = owned;
    if (this.end(owned)) this.setup.tell({kind: 'lost', partition, message});
  }

  // ---- questions ----

  private listen(partition: number, reads: Reads): Subscription[] {
    const {nc} = this.setup;
    const subject = askPartitionSubject(partition);
    return [
      nc.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) void this.answer(reads, message);
        },
      }),
      nc.subscribe(leftSubject(subject), {callback: (_, message) => this.open.left(message.string())}),
    ];
  }

  /** Answers the questions of another thread of this process. */
  answerOver(asker: MessagePort): void {
    const askedHere = new OpenQuestions(); // Each port has numbers of its own.
    asker.on('message', (message: ToWorker) => {
      if (message.kind === 'left') askedHere.left(message.number);
      if (message.kind === 'question') void this.answerHere(message, asker, askedHere);
    });
    asker.postMessage({kind: 'listening'} satisfies FromWorker);
  }

  /** Answers a question; one that is no MessagePack, or whose asker has ended, affects no other. */
  private async answer(reads: Reads, message: Msg): Promise<void> {
    try {
      const question = unpack<PartitionQuestion>(message.data);
      const by = readAskedHeaders(message.headers);
      const give = (asker: Asker): Promise<PartitionAnswer> => this.replyTo(question, reads, undefined, asker);
      message.respond(pack(await this.open.during(by?.number ?? '', by, give)));
    } catch (error) {
      this.setup.log.error({err: error}, 'a question could not be answered');
    }
  }

  private async answerHere(
    {number, subject, question, by, acked}: ThreadQuestion,
    asker: MessagePort,
    open: OpenQuestions,
  ): Promise<void> {
    const {started} = [...this.owned.values()].find(({partition}) => askPartitionSubject(partition) === subject) ?? {};
    const seen = acked && new AckedSequences(acked);
    const answer = await open.during(number, by, async (from) =>
      started === undefined ? movedOn : this.replyTo(question as PartitionQuestion, started.reads, seen, from),
    );
    asker.postMessage({kind: 'answer', number, answer} satisfies FromWorker);
  }

  private replyTo(
    question: PartitionQuestion,
    reads: Reads,
    seen: AckedSequences | undefined,
    asker: Asker,
  ): Promise<PartitionAnswer> {
    const {damage, log, fail} = this.setup;
    const answering = question.ask === 'measures' ? this.measures(reads) : reads.answer(question, seen, asker);
    return answering.catch((error: Error): PartitionAnswer => {
      if (error instanceof InvariantError) fail(error);
      else if (!damage.note(error)) log.error({err: error}, 'a live question failed');
      return {kind: 'unavailable', message: 'a part of the answer could not be read'};
    });
  }

  private async measures(reads: Reads): Promise<PartitionAnswer> {
    const partition = await reads.measures();
    return partition === undefined ? movedOn : {kind: 'measures', partition, thread: this.setup.vitals.measure()};
  }
}

// Erasing what no kept manifest names any more: parts that snapshots replaced, and orphans, which an earlier owner put and
// never published. Behind the snapshots, list after list, orphans last; only the receipt of a deletion, a stop, and a snapshot
// behind which lists gather wait for it.
//   Owns: what is still to be erased, and how. Does not own: what is garbage (part-store.ts), nor when (snapshots.ts, scrub.ts).
//   S1. Parts leave by erase-by-sequence alone: purge, KV delete and overwrite leave their bytes on the disk (docs/architecture.md, Deletion).
//   S2. No erase hits another value than the one it is meant for. It names a sequence, and a server that lost its newest
//       messages (a power cut without sync, a restored backup) gives theirs to others. So a value is erased only in the run of
//       the server in which it was seen to be there, by its subject, under which nothing else is ever stored: no run gives a
//       sequence twice. One look serves a list; whatever fails, or another run, takes another one.
//   S3. An erase reaches the run that the look was of, or none: it is sent in the turn in which the link still names that run.
//       Of a cluster this is the server that we speak to, and the one that has the stream may begin another run unseen: it is
//       away for longer than a look is good for there.
//   S4. A list is of no later manifest (snapshots.ts P4): it may be erased while the next snapshot is written.
//   S5. What is erased while it is noted is noted as a whole, also what was begun before: a receipt speaks of all of it.
import {setTimeout as pause} from 'node:timers/promises';
import type {JetStreamManager} from '@nats-io/jetstream';
import {monotonicMs} from '../../clock.js';
import {deletionFailed, hasCode, messageNotFound, sequenceNotFound} from '../../nats/error-codes.js';
import {bucketStream, bucketSubject} from '../../nats/topology.js';
import type {Logger} from '../../observe.js';
import {retryForever, Trouble} from '../retry.js';
import {Throttle} from '../throttle.js';
import type {KeySet} from './named-parts.js';
import type {PartStore, StoredValue} from './part-store.js';

/**
 * An erase writes the storage block of its value anew, up to 4 MiB, and flushes it, about 7.5 ms: some at once share the
 * disk's flush. So what is erased costs by its number, whatever its size. Where nobody waits for it, few hold up whoever
 * wants something else of that stream meanwhile.
 */
const erasesAtOnce = 8;
const gentleErasesAtOnce = 2;
/** S3, in a cluster. A server that lost power is not back so soon. */
const lookAgeMsMax = 1_000;
/** The next start erases what is left. */
const stopMsMax = 5_000;
/** What is new is read by reports out of the stream in which is erased, as soon as it is published: a list begins later. */
const firstReadsMs = 25;
/** The one that is being erased among them. So many are erased without rests. */
const listsMax = 2;

/** Over a connection that nothing else uses: a server does what one connection asks one after the other. */
export interface ErasingLink {
  readonly jsm: JetStreamManager;
  /**
   * Which run of which server the connection leads to; undefined while it leads to none. What is sent in the turn in which
   * this is asked reaches that run, or nobody.
   */
  run(): string | undefined;
  /** Whether that server is one of a cluster. */
  isOfCluster(): boolean;
}

interface Target {
  readonly subject: string;
  /** Undefined where it has to be asked for. */
  readonly revision?: number;
}

/** A partition's values that were there, and the run in which they were. */
interface Look {
  readonly run: string;
  /** By the monotonic clock: what is begun later takes another one. S3 */
  readonly endMs: number;
  readonly subjects: ReadonlySet<string>;
}

class Job {
  /** Of the subjects that are there, those to be erased. */
  readonly targetsIn: (subjects: ReadonlySet<string>) => Target[];
  readonly erased: Map<string, StoredValue>;
  /** Resolves when nothing of it is there any more. */
  readonly done: Promise<void>;
  end: () => void = () => undefined;

  constructor(targetsIn: (subjects: ReadonlySet<string>) => Target[], erased = new Map<string, StoredValue>()) {
    this.targetsIn = targetsIn;
    this.erased = erased;
    this.done = new Promise((resolve) => {
      this.end = resolve;
    });
  }
}

interface PartSweepSetup {
  readonly partition: number;
  readonly parts: PartStore;
  /** For reading back. */
  readonly jsm: JetStreamManager;
  readonly erasing: ErasingLink;
  readonly log: Logger;
  /** Of erasing alone: who waits for something else does not hurry it. */
  readonly throttle?: Throttle;
}

export class PartSweep {
  private readonly setup: PartSweepSetup;
  private readonly throttle: Throttle;
  private readonly trouble: Trouble;
  private readonly lists: Job[] = [];
  private orphans: Job | undefined;
  private running: Promise<void> | undefined;
  private isStopped = false;
  /** S5 */
  private noted: StoredValue[] | undefined;

  constructor(setup: PartSweepSetup) {
    this.setup = setup;
    this.throttle = setup.throttle ?? new Throttle(() => 0);
    this.trouble = new Trouble(setup.log, {partition: setup.partition, tried: 'to erase parts'});
  }

  /** S4 */
  add(values: readonly StoredValue[]): void {
    if (values.length === 0) return;
    this.lists.push(new Job((subjects) => values.filter(({subject}) => subjects.has(subject))));
    this.start();
  }

  /**
   * Erases the values of earlier owners whose part is not in `named` (what the kept manifests name), also those that came
   * until now since such a call before: a put of an owner that is gone may reach the store late.
   */
  addOrphans(named: KeySet): void {
    const {parts} = this.setup;
    const before = this.orphans;
    this.orphans = new Job(
      (subjects) => [...subjects].filter((subject) => parts.isOrphan(subject, named)).map((subject) => ({subject})),
      before?.erased,
    );
    if (before !== undefined) this.orphans.done.then(before.end);
    this.start();
  }

  /** Resolves when nothing of what was added by now is there any more; without rests until then. */
  async settle(): Promise<void> {
    const jobs = this.orphans === undefined ? this.lists : [...this.lists, this.orphans];
    await this.throttle.expedite(Promise.all(jobs.map(({done}) => done)));
  }

  /** Resolves when few lists wait. */
  async room(): Promise<void> {
    while (this.lists.length > listsMax) await this.lists[0].done;
  }

  /** Whether nothing is left to erase. */
  get isIdle(): boolean {
    return this.running === undefined;
  }

  /** Erases what was replaced, for some seconds at most, and leaves the rest and orphans to the next start. */
  async stop(): Promise<void> {
    this.orphans = undefined;
    const patience = new AbortController();
    const over = pause(stopMsMax, undefined, {signal: patience.signal}).catch(() => undefined);
    await this.throttle.expedite(Promise.race([this.running, over]));
    patience.abort();
    this.isStopped = true;
  }

  /** From now on what is erased is noted, and erased without rests. S5 */
  note(): void {
    this.noted = [];
  }

  takeNoted(): readonly StoredValue[] {
    const {noted = []} = this;
    this.noted = undefined;
    return noted;
  }

  /** Those of the values that can still be read. */
  async stillThere(values: readonly StoredValue[]): Promise<StoredValue[]> {
    const found: StoredValue[] = [];
    for (const value of values) if (await isThere(this.setup.jsm, value, this.trouble)) found.push(value);
    return found;
  }

  private start(): void {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
  }

  private async run(): Promise<void> {
    if (this.isGentle) await this.throttle.rest(firstReadsMs);
    for (let job = this.next; job !== undefined; job = this.next) {
      const current = job;
      if (await retryForever(() => this.work(current), this.trouble)) this.finish(current);
    }
  }

  private get next(): Job | undefined {
    return this.isStopped ? undefined : (this.lists[0] ?? this.orphans);
  }

  private finish(job: Job): void {
    const {partition, log} = this.setup;
    // Another call for orphans has taken over what this one erased.
    if (job === this.lists[0] || job === this.orphans) this.noted?.push(...job.erased.values());
    if (job === this.lists[0]) this.lists.shift();
    if (job === this.orphans) {
      this.orphans = undefined;
      if (job.erased.size > 0)
        log.info({partition, orphans: job.erased.size}, 'erased parts that an earlier owner had not published');
    }
    job.end();
  }

  /** One look, and what is done by it. Whether that was all. S2 */
  private async work(job: Job): Promise<boolean> {
    if (job !== this.next) return false;
    const look = await this.look();
    const targets = job.targetsIn(look.subjects);
    for (let at = 0; at < targets.length; ) {
      const startedMs = monotonicMs();
      if (job !== this.next) return false;
      if (startedMs > look.endMs && at > 0) return false;
      if (startedMs > look.endMs) throw new Error('what was seen is too old');
      const some = targets.slice(at, at + (this.isGentle ? gentleErasesAtOnce : erasesAtOnce));
      // None is under way any more when the next look is taken.
      const outcomes = await Promise.allSettled(some.map((target) => this.erase(target, look.run, job)));
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
      at += some.length;
      if (this.isGentle) await this.throttle.rest(monotonicMs() - startedMs);
    }
    // A run that has ended may have lost what it said was erased: another look tells.
    return this.setup.erasing.run() === look.run;
  }

  /** Nobody waits for it: what is noted somebody will soon. */
  private get isGentle(): boolean {
    return !this.throttle.isLifted && this.noted === undefined && this.lists.length < listsMax;
  }

  private async look(): Promise<Look> {
    const {partition, erasing} = this.setup;
    const endMs = erasing.isOfCluster() ? monotonicMs() + lookAgeMsMax : Number.POSITIVE_INFINITY;
    const run = erasing.run(); // S3 holds for the look as well.
    if (run === undefined) throw new Error('no server is there');
    const filter = bucketSubject('parts', `p${partition}.>`);
    const {state} = await erasing.jsm.streams.info(bucketStream('parts'), {subjects_filter: filter});
    return {run, endMs, subjects: new Set(Object.keys(state.subjects ?? {}))};
  }

  private async erase({subject, revision}: Target, run: string, job: Job): Promise<void> {
    const {jsm} = this.setup.erasing;
    const sequence = revision ?? (await this.sequenceOf(subject));
    if (sequence === undefined) return;
    if (this.setup.erasing.run() !== run) throw new Error('the server is another one than that which had the value'); // S3
    job.erased.set(subject, {subject, revision: sequence});
    try {
      await jsm.streams.deleteMessage(bucketStream('parts'), sequence, true);
    } catch (error) {
      // Somebody else had erased it. For a message that a power cut took the server says no more than that the deletion
      // failed: it is asked for the message then.
      if (hasCode(error, messageNotFound, sequenceNotFound)) return;
      if (!hasCode(error, deletionFailed) || (await isThere(jsm, {subject, revision: sequence}, this.trouble)))
        throw error;
    }
  }

  private async sequenceOf(subject: string): Promise<number | undefined> {
    const query = {last_by_subj: subject};
    const message = await this.setup.erasing.jsm.streams.getMessage(bucketStream('parts'), query);
    return message?.seq;
  }
}

/** A sequence that another value has by now counts for nothing. */
function isThere(jsm: JetStreamManager, {subject, revision}: StoredValue, trouble: Trouble): Promise<boolean> {
  return retryForever(async () => {
    try {
      const message = await jsm.streams.getMessage(bucketStream('parts'), {seq: revision});
      return message?.subject === subject;
    } catch (error) {
      if (hasCode(error, messageNotFound)) return false;
      throw error;
    }
  }, trouble);
}

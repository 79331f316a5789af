// Erases values that no kept manifest names any more: parts that snapshots replaced, and orphans, which an earlier owner wrote
// and never published. It runs after the snapshots, list by list, orphans last. Only the receipt of a deletion, a stop, and a
// snapshot whose lists accumulate wait for it.
//   Owns: the values still to be erased, and how. Does not own: what is garbage (part-store.ts), and when (snapshots.ts,
//   scrub.ts).
//   S1. Parts are erased by sequence: purge, KV delete and overwrite leave their bytes on the disk (docs/architecture.md,
//       Deletion).
//   S2. An erase never hits another value than the intended one. It names a sequence, and a server that lost its newest
//       messages (a power cut without sync, a restored backup) gives their sequences to others. So a value is erased only in
//       the server run in which a look found it by its subject, which is used for nothing else: no run gives a sequence twice.
//       One look serves a list; after a failure or in another run a new look is taken.
//   S3. An erase reaches the run of its look, or none: it is sent in the same turn of the event loop in which the link still
//       names that run. In a cluster this is the server we are connected to, and the stream's leader may begin another run
//       unseen; such a server is away for longer than a look is valid there.
//   S4. A list has only values that no later manifest names (snapshots.ts P4): it may be erased while the next snapshot is
//       written.
//   S5. Noting covers whole lists, including those begun before: a receipt speaks of all of it.
import {setTimeout as pause} from 'node:timers/promises';
import type {JetStreamManager} from '@nats-io/jetstream';
import {monotonicMs} from '../../clock.js';
import {deletionFailed, hasCode, messageNotFound, sequenceNotFound} from '../../nats/error-codes.js';
import {bucketStream, partsBucket} from '../../nats/topology.js';
import type {Logger} from '../../observe.js';
import {PacedWork} from '../../pacing/paced-work.js';
import {whenAllEnded} from '../../pacing/when-all-ended.js';
import {RetryLog, retryForever} from '../retry.js';
import {Throttle} from '../throttle.js';
import type {KeySet} from './named-parts.js';
import {type PartStore, type StoredValue, storedValues} from './part-store.js';

/**
 * An erase rewrites the storage block of its value, up to 4 MiB, and flushes it, about 7.5 ms; concurrent erases share the
 * flush. So the cost depends on the number of values, not on their size. Where no caller waits, few run at once, so that other
 * requests to the stream are not delayed.
 */
const erasesAtOnce = 8;
const gentleErasesAtOnce = 2;
/** Values that are read back together. */
const readsAtOnce = 16;
/** S3: validity of a look in a cluster. A server that lost power takes longer to return. */
const lookAgeMsMax = 1_000;
/** The next start erases what is left. */
const stopMsMax = 5_000;
/** Reports read a new snapshot's parts from the same stream as soon as it is published: a list begins later. */
const firstReadsMs = 25;
/** Lists that may wait, the one being erased included; with this many, erasing takes no rests. */
const listsMax = 2;

/** A connection that nothing else uses: a server handles the requests of one connection one after the other. */
export interface ErasingLink {
  readonly jsm: JetStreamManager;
  /**
   * Run of the server at the other end of the connection; undefined while there is none. A message sent in the same turn of the
   * event loop reaches that run, or none.
   */
  run(): string | undefined;
  /** Whether that server is one of a cluster. */
  isOfCluster(): boolean;
}

interface Target {
  readonly subject: string;
  /** Undefined: the sequence must be looked up. */
  readonly revision?: number;
}

/** The values of a partition that existed at a look, and the server's run. */
interface Look {
  readonly run: string;
  /** Monotonic time after which an erase needs another look. S3 */
  readonly endMs: number;
  readonly subjects: ReadonlySet<string>;
}

class Job {
  /** The values to be erased, among the existing subjects. */
  readonly targetsIn: (subjects: ReadonlySet<string>) => Target[];
  readonly erased: Map<string, StoredValue>;
  /** Resolves when none of its values exists any more. */
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
  /** Client that reads values back. */
  readonly jsm: JetStreamManager;
  readonly erasing: ErasingLink;
  readonly log: Logger;
  /** Throttle of erasing alone: a caller that waits for other work does not lift it. */
  readonly throttle?: Throttle;
}

export class PartSweep {
  private readonly setup: PartSweepSetup;
  /** Of the parts. */
  private readonly stream: string;
  private readonly throttle: Throttle;
  private readonly retries: RetryLog;
  private readonly lists: Job[] = [];
  private orphans: Job | undefined;
  private readonly sweeping: PacedWork;
  /** Erased values since `note`. S5 */
  private noted: StoredValue[] | undefined;

  constructor(setup: PartSweepSetup) {
    this.setup = setup;
    this.stream = bucketStream(partsBucket(setup.partition));
    this.sweeping = new PacedWork({work: () => this.sweep(), onFailed: throwAgain});
    this.throttle = setup.throttle ?? new Throttle(() => 0);
    this.retries = new RetryLog(setup.log, {partition: setup.partition, tried: 'to erase parts'});
  }

  /** Adds a list of values to be erased. S4 */
  add(values: readonly StoredValue[]): void {
    if (values.length === 0) return;
    this.lists.push(new Job((subjects) => values.filter(({subject}) => subjects.has(subject))));
    this.sweeping.wake();
  }

  /**
   * Erases the values of earlier owners whose part is not in `named` (the keys of the kept manifests). A later call replaces
   * the earlier one and includes values that arrived since: a write of a former owner may reach the store late.
   */
  addOrphans(named: KeySet): void {
    const {parts} = this.setup;
    const before = this.orphans;
    this.orphans = new Job(
      (subjects) => [...subjects].filter((subject) => parts.isOrphan(subject, named)).map((subject) => ({subject})),
      before?.erased,
    );
    if (before !== undefined) this.orphans.done.then(before.end);
    this.sweeping.wake();
  }

  /** Resolves when no value added by now exists any more; erases without rests until then. */
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
    return !this.sweeping.isBusy;
  }

  /** Erases replaced values for some seconds at most; leaves the rest and orphans to the next start. */
  async stop(): Promise<void> {
    this.orphans = undefined;
    const patience = new AbortController();
    const over = pause(stopMsMax, undefined, {signal: patience.signal}).catch(() => undefined);
    await this.throttle.expedite(Promise.race([this.sweeping.idle(), over]));
    patience.abort();
    this.sweeping.stop();
  }

  /** Notes erased values from now on, and erases without rests. S5 */
  note(): void {
    this.noted = [];
  }

  takeNoted(): readonly StoredValue[] {
    const {noted = []} = this;
    this.noted = undefined;
    return noted;
  }

  /** The values that can still be read. */
  async stillThere(values: readonly StoredValue[]): Promise<StoredValue[]> {
    const found: StoredValue[] = [];
    for (let at = 0; at < values.length; at += readsAtOnce) {
      const some = values.slice(at, at + readsAtOnce);
      const areThere = await Promise.all(
        some.map((value) => isThere(this.setup.jsm, this.stream, value, this.retries)),
      );
      found.push(...some.filter((_, i) => areThere[i]));
    }
    return found;
  }

  private async sweep(): Promise<undefined> {
    if (this.next !== undefined && this.isGentle) await this.throttle.rest(firstReadsMs);
    for (let job = this.next; job !== undefined; job = this.next) {
      const current = job;
      if (await retryForever(() => this.work(current), this.retries)) this.finish(current);
    }
  }

  private get next(): Job | undefined {
    return this.sweeping.isStopped ? undefined : (this.lists[0] ?? this.orphans);
  }

  private finish(job: Job): void {
    const {partition, log} = this.setup;
    // Another call for orphans has taken over what this one erased.
    if (job === this.lists[0] || job === this.orphans) for (const value of job.erased.values()) this.noted?.push(value);
    if (job === this.lists[0]) this.lists.shift();
    if (job === this.orphans) {
      this.orphans = undefined;
      if (job.erased.size > 0)
        log.info({partition, orphans: job.erased.size}, 'erased parts that an earlier owner had not published');
    }
    job.end();
  }

  /** Takes one look and erases the values that it found. Returns whether the job is complete. S2 */
  private async work(job: Job): Promise<boolean> {
    if (job !== this.next) return false;
    const look = await this.look();
    const targets = job.targetsIn(look.subjects);
    for (let at = 0; at < targets.length; ) {
      const startedMs = monotonicMs();
      if (job !== this.next) return false;
      if (startedMs > look.endMs && at > 0) return false;
      if (startedMs > look.endMs) throw new Error('the list of stored parts is too old');
      const some = targets.slice(at, at + (this.isGentle ? gentleErasesAtOnce : erasesAtOnce));
      // The next look must not run beside an erase.
      await whenAllEnded(some.map((target) => this.erase(target, look.run, job)));
      at += some.length;
      if (this.isGentle) await this.throttle.rest(monotonicMs() - startedMs);
    }
    // A run that has ended may have lost erases that it confirmed: another look tells.
    return this.setup.erasing.run() === look.run;
  }

  /** Throttle only while no caller waits and no receipt is being prepared. */
  private get isGentle(): boolean {
    return !this.throttle.isLifted && this.noted === undefined && this.lists.length < listsMax;
  }

  private async look(): Promise<Look> {
    const {partition, erasing} = this.setup;
    const endMs = erasing.isOfCluster() ? monotonicMs() + lookAgeMsMax : Number.POSITIVE_INFINITY;
    const run = erasing.run(); // S3 holds for the look, too.
    if (run === undefined) throw new Error('no nats-server runs');
    return {run, endMs, subjects: await storedValues(erasing.jsm, partition)};
  }

  private async erase({subject, revision}: Target, run: string, job: Job): Promise<void> {
    const {jsm} = this.setup.erasing;
    const sequence = revision ?? (await this.sequenceOf(subject));
    if (sequence === undefined) return;
    if (this.setup.erasing.run() !== run) throw new Error('nats-server restarted since the value was listed'); // S3
    job.erased.set(subject, {subject, revision: sequence});
    try {
      await jsm.streams.deleteMessage(this.stream, sequence, true);
    } catch (error) {
      // A value that is not found was erased before. For a message that a power cut lost, the server only says that the
      // deletion failed, so ask it for the message.
      if (hasCode(error, messageNotFound, sequenceNotFound)) return;
      if (
        !hasCode(error, deletionFailed) ||
        (await isThere(jsm, this.stream, {subject, revision: sequence}, this.retries))
      )
        throw error;
    }
  }

  private async sequenceOf(subject: string): Promise<number | undefined> {
    const query = {last_by_subj: subject};
    const message = await this.setup.erasing.jsm.streams.getMessage(this.stream, query);
    return message?.seq;
  }
}

/** A bug: every fault of the store is retried. */
function throwAgain(error: Error): never {
  throw error;
}

/** A sequence that another value has now does not count. */
function isThere(
  jsm: JetStreamManager,
  stream: string,
  {subject, revision}: StoredValue,
  retries: RetryLog,
): Promise<boolean> {
  return retryForever(async () => {
    try {
      const message = await jsm.streams.getMessage(stream, {seq: revision});
      return message?.subject === subject;
    } catch (error) {
      if (hasCode(error, messageNotFound)) return false;
      throw error;
    }
  }, retries);
}

// Answers to live questions (src/asks/partition.ts): profile, history, bodies, deletions. Live: every write that was acked before the
// question was sent is folded first, whichever edge acked it. Only the owner gives answers that do not follow from the log
// (ownership.ts O2).
import {setImmediate as nextTurn, setTimeout as pause} from 'node:timers/promises';
import {wtf8} from '../../../actors/bytes/bytes.js';
import {isoText} from '../../../actors/calendar.js';
import {conflictsMax} from '../../../actors/dedupe/conflicts.js';
import {assert} from '../../../actors/invariant.js';
import {idCharsMax} from '../../../actors/limits.js';
import {nameKey} from '../../../actors/log/entries.js';
import type {DeletionRecord} from '../../../actors/manifest.js';
import {secretTraitsOf} from '../../../actors/user/profile.js';
import {type Asker, ofService} from '../../asks/asker.js';
import type {PartitionAnswer, PartitionQuestion} from '../../asks/partition.js';
import {replyBytesMax} from '../../asks/subjects.js';
import {type Deletion, devicesListedMax, type UserRef} from '../../asks/users.js';
import {monotonicMs} from '../../clock.js';
import type {AckedSequences} from '../../ingest/acked-sequences.js';
import {positionText} from '../../log-position.js';
import type {PartitionMeasures} from '../../measures.js';
import {Crowded, type DealtSlots} from '../../pacing/dealt-slots.js';
import {Stopped} from '../../pacing/stop.js';
import {MissingPart} from '../../parts/stored-parts.js';
import {isReportLate} from '../alarms.js';
import {pathsOf} from '../funnels/user-paths.js';
import type {ReadBarrier} from '../log/read-barrier.js';
import type {PartitionView} from '../partition-view.js';
import type {Runner} from '../runner.js';
import type {OwnershipState} from '../snapshot/ownership.js';
import {loadRecord} from '../snapshot/user-loader.js';
import {withAbsences} from './absent-rows.js';
import {effectData} from './effect-data.js';
import {HistoryReads} from './history-reads.js';
import {type CatchUp, measurePartition} from './measuring.js';
import {ReadTooLong, readPage} from './read-budget.js';
import {TailReads} from './tail-reads.js';

const caughtUpMsMax = 2_000;
/** Deadline of a status answer: its question waits 1 s. */
const statusMsMax = 600;
const retryPauseMs = 20;
/** A part may be swept while it is being read, because the current state names a newer one: then the read starts again. */
const overtakenMsMax = 10_000;
/** Callers wait 15 s (src/edge/query/asks.ts): before that they are told why there is no page. */
const pageMsMax = 14_000;
/** Bytes of one conflict's JSON: its name has at most 4 bytes a character. */
const conflictBytesMax = 4 * idCharsMax + 64;
/** Bound of the bytes of a name in JSON, by its UTF-16 units: at most three bytes each, quotes and a comma. */
const jsonBytesMax = (units: number): number => 3 * units + 3;
/** Bound of the names of one answer. */
const namesBytesMax = 800_000;
assert(namesBytesMax + jsonBytesMax(2 * idCharsMax) <= replyBytesMax, 'a reply carries the names of an answer');
assert(conflictsMax * conflictBytesMax <= replyBytesMax, 'a reply carries all conflicts that a partition holds');

type Ask<K extends PartitionQuestion['ask']> = Extract<PartitionQuestion, {ask: K}>;

/** Questions about the thread itself are answered elsewhere. */
type LiveQuestion = Exclude<PartitionQuestion, {ask: 'measures'}>;

export class LiveReads {
  private readonly runner: Runner;
  private readonly view: PartitionView;
  private readonly rows: HistoryReads;
  private readonly tails: TailReads;
  private readonly longReads: DealtSlots;
  private readonly readBarrier: ReadBarrier;

  /** `longReads`: slots of the thread. */
  constructor(runner: Runner, longReads: DealtSlots, readBarrier: ReadBarrier) {
    this.runner = runner;
    this.view = runner.view;
    this.readBarrier = readBarrier;
    this.rows = new HistoryReads(runner.view, (user) => runner.mover.hasLeft(user));
    this.tails = new TailReads(runner.view, this.rows);
    this.longReads = longReads;
  }

  /** `seen`: acks known when the question was sent. `asker` absent: a part of the service. */
  async answer(question: LiveQuestion, seen?: AckedSequences, asker: Asker = ofService): Promise<PartitionAnswer> {
    const startMs = monotonicMs();
    const endMs = startMs + overtakenMsMax;
    for (;;) {
      try {
        const answer = await this.answerOnce(question, seen, startMs + pageMsMax, asker);
        return await this.ofOwner(answer);
      } catch (error) {
        if (error instanceof ReadTooLong) return tooLong;
        if (error instanceof Crowded) return crowded;
        if (error instanceof Stopped) return left;
        if (!(error instanceof MissingPart)) throw error;
        if (this.view.layout.readsFrom(error.ref)) {
          if (await this.view.ownership.isOutlived()) return movedOn;
          throw error;
        }
        if (monotonicMs() > endMs)
          return {kind: 'unavailable', message: 'the stored events change faster than they are read'};
      }
    }
  }

  /** Gives an answer only as the owner. O2, O5 (ownership.ts) */
  private async ofOwner(answer: PartitionAnswer): Promise<PartitionAnswer> {
    const {ownership} = this.view;
    if (ownership.isLost || this.runner.hasEnded) return movedOn;
    if (!this.mayDiffer(answer)) return answer;
    const standing = await ownership.state(caughtUpMsMax);
    if (standing === 'owner') return answer;
    return standing === 'outlived' ? movedOn : ownerUnknown;
  }

  /** Whether a successor may answer something else: it may have the deletion's receipt, or may have erased these rows. */
  private mayDiffer(answer: PartitionAnswer): boolean {
    if (answer.kind === 'bodies' || answer.kind === 'tail') return !this.view.ownership.isTrusted;
    return 'deletion' in answer && answer.deletion?.status === 'pending';
  }

  private async answerOnce(
    question: LiveQuestion,
    seen: AckedSequences | undefined,
    endMs: number,
    asker: Asker,
  ): Promise<PartitionAnswer> {
    switch (question.ask) {
      case 'status':
        return this.status();
      case 'generation':
        return this.generation();
      case 'publish':
        void this.runner.force();
        return {kind: 'publishing'};
      case 'conflicts':
        return {kind: 'conflicts', conflicts: this.view.partition.dedupe.conflicts.newest()};
      case 'funnel_memory':
        return {kind: 'funnel_memory', memory: this.runner.funnelMemory};
      case 'bodies':
        return this.bodies(question, seen, endMs, asker);
      case 'deletion':
        return this.deletion(question, seen);
      case 'names':
        return this.names(question, !(await this.isCaughtUp(caughtUpMsMax, seen)));
      case 'tail':
        if (!(await this.isReplayed(seen))) return behindItsLog;
        return readPage(this.longReads, endMs, (budget) => this.tails.tail(question, budget), asker);
    }
    if (!(await this.isCaughtUp(caughtUpMsMax, seen))) return behindItsLog;
    switch (question.ask) {
      case 'name':
        return this.name(question.event);
      case 'exists':
        return this.exists(question.user);
      case 'profile':
        return this.profile(question.user);
      case 'devices':
        return this.devices(question);
      case 'funnels':
        return this.funnels(question);
      case 'effect':
        return effectData(this.view, this.view.outbox, question, nextTurn);
      case 'history':
        return readPage(
          this.longReads,
          endMs,
          async (budget) => {
            const user = question.user === undefined ? undefined : this.find(question.user);
            return this.withOwner(question, await this.rows.history(question, user, budget));
          },
          asker,
        );
    }
  }

  private withOwner({user}: Ask<'history'>, answer: PartitionAnswer): PartitionAnswer {
    if (user === undefined || answer.kind !== 'history' || !answer.isUserUnknown) return answer;
    return {...answer, ...this.linkedTo(user)};
  }

  private async bodies(
    {ordinals, was}: Ask<'bodies'>,
    seen: AckedSequences | undefined,
    endMs: number,
    asker: Asker,
  ): Promise<PartitionAnswer> {
    const {rows, longReads} = this;
    const {partition} = this.view;
    // The row list may come from another owner that has folded more of the log.
    const isAhead = ordinals.some((ordinal) => ordinal >= rows.ordinalEnd);
    if (!(await (isAhead ? this.isCaughtUp(caughtUpMsMax, seen) : this.isReplayed(seen)))) return behindItsLog;
    return readPage(
      longReads,
      endMs,
      async (budget) => {
        const {texts: events, users} = await rows.events(ordinals, budget);
        return was === undefined
          ? {kind: 'bodies', events, users}
          : withAbsences(partition, {ordinals, events, users}, was);
      },
      asker,
    );
  }

  private async generation(): Promise<PartitionAnswer> {
    const generation = await this.runner.identity.confirmGeneration();
    return generation === undefined ? logUnknown : {kind: 'generation', generation};
  }

  private async status(): Promise<PartitionAnswer> {
    const {partition} = this.view;
    const [lag, standing] = await this.withStanding(this.lag());
    if (standing === 'outlived') return movedOn;
    return {
      kind: 'status',
      partition: partition.partition,
      phase: this.runner.phase,
      appliedSequence: partition.appliedSequence,
      published: this.runner.published,
      appendFault: this.view.writer.fault ?? null,
      refreshChange: this.view.refresh.change ?? null,
      lag,
      damagedParts: this.view.damage.countOf(partition.partition),
    };
  }

  private async lag(): Promise<string | null> {
    const {refresh} = this.view;
    if (!(await this.isCaughtUp(statusMsMax))) return 'it is behind its log';
    const ageMs = this.runner.snapshotAgeMs;
    return ageMs !== null && isReportLate(ageMs, refresh.ms)
      ? `its newest snapshot is ${Math.round(ageMs / 1_000)} s old`
      : null;
  }

  /** Measures within 600 ms, whether or not the log is folded; undefined when another process owns the partition. */
  async measures(): Promise<PartitionMeasures | undefined> {
    const [caughtUp, standing] = await this.withStanding(this.catchUp(statusMsMax));
    if (standing === 'outlived') return undefined;
    // A paused owner may find its snapshot late although a successor publishes. O1 (ownership.ts)
    const alarms = standing === 'owner' ? this.runner.lookForAlarms(standing) : this.runner.raisedAlarms;
    return measurePartition(this.runner, caughtUp, alarms);
  }

  /**
   * Runs `work` and asks for the standing at the same time: a silent NATS answers neither, and then the partition is behind its
   * log.
   */
  private async withStanding<T>(work: Promise<T>): Promise<[T, OwnershipState]> {
    const {ownership} = this.view;
    const [done, standing] = await Promise.all([work, ownership.state(statusMsMax)]);
    // The process may have been paused since the check.
    if (standing === 'owner' && !ownership.isConfirmed) return [done, await ownership.state(statusMsMax)];
    return [done, standing];
  }

  /** Whether every write acked before the call, or `seen`, is folded within `msMax`. */
  private async isCaughtUp(msMax: number, seen?: AckedSequences): Promise<boolean> {
    return (await this.catchUp(msMax, seen)).isCaughtUp;
  }

  /**
   * Whether the rows of before a start are there again, each in its place: until the log is folded, some are missing, and users who
   * joined are back at their old places. Waits as `isCaughtUp` does.
   */
  private async isReplayed(seen: AckedSequences | undefined): Promise<boolean> {
    return this.runner.phase !== 'recovering' || this.isCaughtUp(caughtUpMsMax, seen);
  }

  /** Waits until every write acked before the call, or `seen`, is folded, or `msMax` is over. */
  private async catchUp(msMax: number, seen?: AckedSequences): Promise<CatchUp> {
    const {partition} = this.view;
    const startedMs = monotonicMs();
    const deadlineMs = startedMs + msMax;
    const leftMs = () => Math.max(0, deadlineMs - monotonicMs());
    while (leftMs() > 0) {
      // A question lost in a restart of the server is asked again.
      const sequence = await this.newestWithin(leftMs(), seen);
      if (sequence !== undefined) {
        const behind = Math.max(0, sequence - partition.appliedSequence);
        const isCaughtUp = await this.runner.whenApplied(sequence, leftMs());
        return {isCaughtUp, behind, waitedMs: monotonicMs() - startedMs};
      }
      await pause(retryPauseMs);
    }
    return {isCaughtUp: false, behind: null, waitedMs: monotonicMs() - startedMs};
  }

  /** Undefined when the log does not answer in time: the client reports a silent one only after a second and more. */
  private newestWithin(msMax: number, seen: AckedSequences | undefined): Promise<number | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, msMax, undefined);
      const asked = this.readBarrier.sequence(seen).finally(() => clearTimeout(timer));
      asked.then(resolve, () => resolve(undefined));
    });
  }

  // ---- names ----

  private names({epoch: asked, from: askedFrom}: Ask<'names'>, isBehind: boolean): PartitionAnswer {
    const {partition} = this.view;
    const {names} = partition.aggregator;
    const epoch = `${partition.generation}.${names.removals}`;
    const from = epoch === asked && askedFrom <= names.count ? askedFrom : 0;
    const texts: string[] = [];
    let next = from;
    for (let bytes = 0; next < names.count && bytes < namesBytesMax; next++) {
      if (!names.has(next)) continue;
      const text = names.text(next);
      texts.push(text);
      bytes += jsonBytesMax(text.length);
    }
    return {kind: 'names', epoch, from, names: texts, next, end: names.count, isBehind};
  }

  private name(event: string): PartitionAnswer {
    const {partition} = this.view;
    const key = nameKey(event);
    const isKnown = partition.aggregator.names.find(key, 1, key.length) >= 0;
    const newest = partition.deletions.newestOf(partition.hashOf(key));
    return {kind: 'name', isKnown, ...(newest && {deletion: this.receipt(newest)})};
  }

  // ---- users ----

  /** Index of the user; undefined for an anonymous user who is linked to a known one, even while its events still move. */
  private find(user: UserRef): number | undefined {
    if (this.linkedTo(user).linkedTo !== undefined) return undefined;
    const key = userKey(user);
    const index = this.view.partition.users.table.find(key, 0, key.length);
    return index >= 0 ? index : undefined;
  }

  private exists(user: UserRef): PartitionAnswer {
    return this.find(user) === undefined ? this.unknownUser(user) : {kind: 'known_user'};
  }

  private unknownUser(user: UserRef): PartitionAnswer {
    const {partition} = this.view;
    const key = userKey(user);
    const newest = partition.deletions.newestOf(partition.hashOf(key));
    return {kind: 'unknown_user', ...(newest && {deletion: this.receipt(newest)}), ...this.linkedTo(user)};
  }

  private linkedTo({kind, id}: UserRef): {readonly linkedTo?: string} {
    const {links} = this.view.partition;
    const key = userKey({kind, id});
    const device = kind === 'anonymous' ? links.find(key, 0, key.length) : undefined;
    if (device === undefined || links.isShared(device)) return {};
    return {linkedTo: links.owners.text(links.ownerOf(device)).slice(1)};
  }

  private async funnels({user, funnels}: Ask<'funnels'>): Promise<PartitionAnswer> {
    const {partition, layout, cache} = this.view;
    const index = this.find(user);
    if (index === undefined) return this.unknownUser(user);
    const paths = (await pathsOf({partition, layout, cache}, [index], funnels, nextTurn)).get(index);
    if (!partition.users.table.has(index)) return this.unknownUser(user);
    const reached = funnels.map((_, i) => ({
      reached: paths?.[i]?.length ?? 0,
      reachedMs: paths?.[i]?.at(-1) ?? null,
    }));
    return {kind: 'funnels', reached};
  }

  private devices({userId}: Ask<'devices'>): PartitionAnswer {
    const {partition} = this.view;
    const {links, deletions} = partition;
    const key = userKey({kind: 'user', id: userId});
    const devices = links.devicesOf(key, 0, key.length);
    const own = devices.filter((device) => !links.isShared(device)).slice(0, devicesListedMax);
    const anonymousIds = own.map((device) => links.devices.text(device).slice(1));
    const newest = deletions.newestOf(partition.hashOf(key));
    const onward = newest?.onward && {id: newest.id, partitions: newest.onward.partitions};
    return {kind: 'devices', anonymousIds, hasAny: links.knowsOwner(key, 0, key.length), ...(onward && {onward})};
  }

  private async profile(user: UserRef): Promise<PartitionAnswer> {
    const {partition, layout, cache} = this.view;
    const index = this.find(user);
    const record = index === undefined ? undefined : await loadRecord(partition, layout, cache, index);
    // The user was erased while its record was read.
    if (index === undefined || record === undefined || !partition.users.table.has(index)) return this.unknownUser(user);
    return {
      kind: 'profile',
      id: user.id,
      traitsJson: record.traits?.json ?? '{}',
      secretTraits: record.traits === undefined ? [] : secretTraitsOf(record.traits),
      createdMs: record.createdMs,
      lastSeenMs: record.lastEventMs ?? record.lastIdentifyMs ?? record.createdMs,
      traitsOverLimit: record.traits?.overLimit ?? 0,
    };
  }

  // ---- deletions ----

  private async deletion(question: Ask<'deletion'>, seen: AckedSequences | undefined): Promise<PartitionAnswer> {
    const {partition} = this.view;
    const isCaughtUp =
      question.waitMs > 0
        ? await this.completion(question.id, question.waitMs, seen)
        : await this.isCaughtUp(caughtUpMsMax, seen);
    const record = partition.deletions.get(question.id);
    // The erase entry may be in the part of the log that is not folded yet.
    if (record === undefined && !isCaughtUp) return behindItsLog;
    return record === undefined ? {kind: 'unknown_deletion'} : {kind: 'deletion', deletion: this.receipt(record)};
  }

  /**
   * Waits until a snapshot without the user is published, or the time is over. Returns whether the log is folded. The deletion may
   * come from another partition, after the question (src/partition/erasure/onward.ts): until then no message rests in the log.
   */
  private async completion(id: string, waitMs: number, seen: AckedSequences | undefined): Promise<boolean> {
    const {partition} = this.view;
    const deadlineMs = monotonicMs() + waitMs;
    const leftMs = (): number => Math.max(0, deadlineMs - monotonicMs());
    if (!(await this.isCaughtUp(waitMs, seen))) return false;
    while (!partition.deletions.has(id) && leftMs() > 0 && !this.runner.hasEnded)
      await this.runner.whenApplied(partition.appliedSequence + 1, leftMs());
    await this.runner.whenErased(id, leftMs());
    return true;
  }

  private receipt(record: DeletionRecord): Deletion {
    const {partition} = this.view.partition;
    const {id, position, eventsDeleted} = record;
    const completed = this.runner.isErased(id) ? record.completed : null;
    return {
      id,
      status: completed === null ? 'pending' : 'completed',
      log_position: positionText({partition, ...position}),
      events_deleted: eventsDeleted,
      completed_at: completed === null ? null : isoText(completed.timeMs),
      verified: completed?.verified ?? null,
    };
  }
}

const behindItsLog: PartitionAnswer = {kind: 'unavailable', message: 'the partition is behind its log'};

export const movedOn: PartitionAnswer = {kind: 'moved', message: 'another process owns the partition now'};

const ownerUnknown: PartitionAnswer = {
  kind: 'unavailable',
  message: 'the store does not answer which process owns the partition',
};

const logUnknown: PartitionAnswer = {
  kind: 'unavailable',
  message: 'the service does not know yet whether the log is the one that it folded',
};

const crowded: PartitionAnswer = {
  kind: 'crowded',
  message: 'too many of your long reads wait already: ask again once they are answered',
};
const left: PartitionAnswer = {kind: 'unavailable', message: 'nobody waits for this answer any more'};

const tooLong: PartitionAnswer = {
  kind: 'unavailable',
  message: 'the page reads too much of the store in its time: ask for fewer events, or for a shorter range',
};

const userKey = (user: UserRef): Uint8Array => wtf8((user.kind === 'user' ? 'u' : 'a') + user.id);

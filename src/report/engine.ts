// The report engine: one question in, one answer out, over the newest published snapshots.
//   RE1. An answer is computed over one set of snapshots, from beginning to end; its headers name it.
//   RE2. A swept part means that the set is out of date: the engine starts again on the newest one, for as long as a client
//       may wait; a question for an older set learns that it is gone. A missing part that the newest set names is damage.
//   RE3. Memory: parts with the values derived from them (derived-indexes.ts), rows gathered by running reports, lists of durations
//       and cached answers have fixed shares of `cacheBytesMax`. What does not fit is read again, from the kernel's page cache with
//       the service's own nats-server.
//   RE4. While clients ask for reports, the engine reads a snapshot when it is published, and the parts that are new and fit free
//       room (warm-up.ts): the next question need not wait.
//   RE5. Callers have their turns (dealt-slots.ts): nobody's questions keep those of others, or alerts, waiting.
//   RE6. A start reads ahead the parts that the first reports will need, as far as there is room (warm-up.ts), and computes some
//       reports of its own (rehearsal.ts).

import {setTimeout as pause} from 'node:timers/promises';
import {isoText} from '../../actors/calendar.js';
import {retainedFromDayOf} from '../../actors/identity/snapshot-set.js';
import {must, throwBroken} from '../../actors/invariant.js';
import {dayMs} from '../../actors/limits.js';
import {NumberLists} from '../../actors/report/funnel/median.js';
import {type Asker, alertsCaller, ofService, partitionsCaller} from '../asks/asker.js';
import type {ChangesQuery} from '../asks/changes.js';
import type {ExportQuery} from '../asks/exports.js';
import type {ReportAnswer, ReportQuery, ReportQuestion} from '../asks/report.js';
import {monotonicMs} from '../clock.js';
import {covers, lackingIn, type Place, readPositions} from '../log-position.js';
import {isSilence, reasonOf} from '../nats/error-codes.js';
import type {Logger} from '../observe.js';
import {ConditionVariable} from '../pacing/condition-variable.js';
import {Crowded, DealtSlots, type Slot, type Waiting} from '../pacing/dealt-slots.js';
import {Stopped, unlessStopped} from '../pacing/stop.js';
import {Damage, isUnreadable} from '../parts/damage.js';
import {PartsCache} from '../parts/parts-cache.js';
import {MissingPart, type PartValues} from '../parts/stored-parts.js';
import {ChosenNumbers} from './derived/chosen-numbers.js';
import {DerivedIndexes} from './derived/derived-indexes.js';
import {HeldBuckets} from './derived/held-buckets.js';
import {PostingsIndex} from './derived/postings-index.js';
import {ValueIndex} from './derived/value-index.js';
import {Evaluation} from './evaluate.js';
import {AnswerCache} from './published/answer-cache.js';
import {asOf, headersOf, isNoneMatch, originOf} from './published/freshness.js';
import {HeldSets, positionOf, type WholeSet} from './published/held-sets.js';
import {hintOf, unknownNames} from './published/hint.js';
import {
  Disagreement,
  deletionsOf,
  type ManifestSource,
  NewestSnapshots,
  type PartitionSnapshot,
  type SnapshotSet,
} from './published/newest-snapshots.js';
import {CpuTime, QuestionWork, TooExpensive, type WorkBounds} from './question-work.js';
import {inRounds} from './questions/all.js';
import type {FastPaths} from './reading.js';
import {rehearse} from './rehearsal.js';
import type {AskedShare, Others} from './rounds.js';
import {BeyondMemory} from './row-scan.js';
import {type Peers, pinsOf, Shards} from './shards.js';
import type {UserReferences} from './user-references.js';
import {warmUp} from './warm-up.js';

/** Shares of the memory: parts and values derived from them, rows gathered by running reports, answers, lists of durations. RE3 */
const partsShare = 38 / 64;
const gatheredShare = 20 / 64;
const answersShare = 4 / 64;
const listsShare = 1 / 64;
/** Snapshots may follow each other faster than a busy machine computes a report. */
const overtakenMsMax = 20_000;
/** Two reports of a caller keep the thread busy while one of them waits for parts. The third slot is for another caller. RE5 */
const slotsOfCallers = 3;
const slotsOfCallerMax = 2;
/** A page of the dashboard asks some ten questions at once. */
export const waitingOfCallerMax = 32;
/** Slots of callers, and one for alerts. */
const reportsAtOnceMax = slotsOfCallers + 1;
/** Shares of other processes' questions that are folded at once. They wait for nobody, so they need slots that no question holds. */
const sharesAtOnceMax = 2;
/** A larger partial takes longer to move than to fold again. */
const partialBytesMax = 16 << 20;
/** RE4: an open dashboard asks more often. */
const interestMs = 10 * 60_000;
/** Longest wait of reading ahead for running reports, which read the same parts. */
const warmUpWaitMsMax = 1_000;
/** RE4: the pause after a read, in times of its duration, as hundreds of partitions publish at different times. */
const aheadRest = 8;
/** Period of checks by callers that wait for a snapshot: a notice of a publication may be lost. */
const lookAgainMs = 250;
/** Different failures that are logged until an answer succeeds. */
const failuresMax = 8;

interface EngineOptions {
  readonly partitionCount: number;
  readonly cacheBytesMax: number;
  /** Bound of cached answers, in characters; 0: none is cached. Absent: a share of `cacheBytesMax` (RE3). */
  readonly answerCharsMax?: number;
  /** Makes the `user_ref`s of changes; without it changes are not answered. */
  readonly references?: UserReferences;
  /** Longest time from an ack until every report has the event; it may change. */
  readonly refresh: {readonly ms: number};
  /** Bound of the computing for one question, ms of this thread; absent: none. */
  readonly cpuMsMax?: number;
}

/** Measures are the thread's own. */
type EngineQuestion = Exclude<ReportQuestion, {ask: 'measures'}>;
type AskedReport = Extract<ReportQuestion, {ask: 'report'}>;
type AskedConverted = Extract<ReportQuestion, {ask: 'converted'}>;

/** Bits of one answer: four million users. Base64 makes them a third longer. */
const convertedBytesMax = 512 * 1024;

const isOurs = (caller: string): boolean => caller === alertsCaller || caller === partitionsCaller;

export class ReportEngine {
  readonly parts: PartsCache;
  readonly derived: DerivedIndexes;
  readonly postings: PostingsIndex;
  private readonly paths: FastPaths;
  private readonly snapshots: NewestSnapshots;
  private readonly held = new HeldSets();
  private readonly published = new ConditionVariable();
  private publications = 0;
  private readonly answers: AnswerCache;
  readonly atWork = new DealtSlots({
    slots: slotsOfCallers,
    ofCallerMax: slotsOfCallerMax,
    waitingMax: waitingOfCallerMax,
    ownSlots: [alertsCaller],
  });
  private readonly sharesAtWork = new DealtSlots({
    slots: sharesAtOnceMax,
    ofCallerMax: 1,
    waitingMax: waitingOfCallerMax,
    ownSlots: [],
  });
  private shards: Shards | undefined;
  private readonly bounds: WorkBounds;
  /** Rows that a report may hold. RE3 */
  private readonly gatheredBytesMax: number;
  private readonly damage: Damage;
  private readonly logger: Logger;
  private readonly refresh: {readonly ms: number};
  private readonly references: UserReferences | undefined;
  /** Failures that were logged since an answer succeeded. */
  private readonly failures = new Set<string>();
  private askedMs = Number.NEGATIVE_INFINITY;
  private isAheadDue = false;
  private readingAhead: Promise<void> | undefined;
  /** For reading ahead. */
  private readonly whenIdle = (): Promise<unknown> => this.atWork.idle(warmUpWaitMsMax);

  constructor(manifests: ManifestSource, values: PartValues, options: EngineOptions, logger: Logger) {
    const {partitionCount, cacheBytesMax} = options;
    this.parts = new PartsCache(values, Math.floor(cacheBytesMax * partsShare));
    const whenIdle = (waitMsMax: number): Promise<unknown> => this.atWork.idle(waitMsMax);
    this.derived = new DerivedIndexes(this.parts.memory, logger, {whenIdle});
    this.postings = new PostingsIndex(this.parts, this.derived, partitionCount);
    this.paths = {
      postings: this.postings,
      values: new ValueIndex(this.parts, this.derived, partitionCount),
      numbers: new ChosenNumbers(this.derived, partitionCount),
      daySets: true,
      sets: new HeldBuckets(this.derived, partitionCount),
      lists: new NumberLists(Math.floor(cacheBytesMax * listsShare)),
    };
    this.snapshots = new NewestSnapshots(manifests, this.parts, partitionCount);
    this.gatheredBytesMax = Math.floor((cacheBytesMax * gatheredShare) / reportsAtOnceMax);
    this.bounds = {cpu: new CpuTime(), cpuMsMax: options.cpuMsMax ?? Number.POSITIVE_INFINITY};
    // Strings take up to two bytes a character.
    this.answers = new AnswerCache(options.answerCharsMax ?? Math.floor((cacheBytesMax * answersShare) / 2));
    this.damage = new Damage(logger);
    this.logger = logger;
    this.refresh = options.refresh;
    this.references = options.references;
  }

  /** Never rejects: a failure is answered `unavailable`, and logged once until an answer succeeds. `asker` absent: this process. */
  async answer(question: EngineQuestion, asker: Asker = ofService): Promise<ReportAnswer> {
    this.derived.dropUnasked();
    try {
      const answer = await this.onNewest(() => this.answerOf(question, asker));
      this.failures.clear();
      return answer;
    } catch (error) {
      throwBroken(error);
      if (error instanceof Stopped) return {kind: 'unavailable', message: 'nobody waits for this answer any more'};
      if (error instanceof Crowded) return {kind: 'crowded', message: crowded};
      if (error instanceof TooExpensive) return {kind: 'too_expensive', message: error.message};
      if (error instanceof Disagreement || error instanceof BeyondMemory)
        return {kind: 'unavailable', message: error.message};
      if (!this.damage.note(error)) this.noteFailure(error as Error, question);
      return {kind: 'unavailable', message: 'the report cannot be computed now'};
    }
  }

  /** From now on other report processes take their shares of questions. */
  join(peers: Peers): void {
    this.shards = new Shards(peers);
  }

  /** The share of another process's question; undefined: it is not answered here (shards.ts SH2). */
  async partial(asked: AskedShare, asker: Asker): Promise<Uint8Array | undefined> {
    this.askedMs = monotonicMs();
    this.derived.dropUnasked();
    try {
      const newest = await this.snapshots.read();
      if (!areAll(newest) || !(asked.query.report in inRounds)) return undefined;
      this.held.hold(newest, monotonicMs());
      const set = this.held.at(asked.at);
      const isSame = set !== undefined && isEqual(pinsOf(set).indexes, asked.indexes);
      if (!isSame || asked.partitions.some((partition) => set[partition] === undefined)) return undefined;
      const place = this.sharesAtWork.place(asker.caller);
      return await this.sharesAtWork.run(place, asker.gone, (slot) =>
        this.evaluation(asker, slot, asker.gone, sharesAtOnceMax).partial(asked, set, partialBytesMax),
      );
    } catch (error) {
      throwBroken(error);
      // The asker folds these partitions itself. It notes a part that is damaged, and not one that was swept meanwhile.
      this.logger.debug({err: error, report: asked.query.report}, 'a share is not answered');
      return undefined;
    }
  }

  private answerOf(question: EngineQuestion, asker: Asker): Promise<ReportAnswer> {
    switch (question.ask) {
      case 'report':
        return this.reportOf(question, asker);
      case 'export':
        return this.exported(question.query, asker);
      case 'converted':
        return this.converted(question, asker);
      case 'changes':
        return this.changes(question.query, asker);
      case 'status':
        return this.status();
    }
  }

  private noteFailure(error: Error, question: EngineQuestion): void {
    if (this.failures.has(error.message) || this.failures.size >= failuresMax) return;
    this.failures.add(error.message);
    const ask = question.ask === 'report' ? question.query.report : question.ask;
    if (isSilence(error))
      this.logger.warn({reason: reasonOf(error), ask}, 'NATS did not answer, and a report needs it');
    else this.logger.error({err: error, ask}, 'report failed');
  }

  /** Called once there are snapshots. Never rejects. RE6 */
  async warmUp(): Promise<void> {
    const startMs = monotonicMs();
    try {
      const snapshots = await this.snapshots.read();
      if (!areAll(snapshots)) return;
      await warmUp(this.parts, this.ownOf(snapshots), this.whenIdle);
      this.logger.debug({ms: monotonicMs() - startMs, bytes: this.parts.memory.bytesHeld}, 'parts were read ahead');
      const reports = await rehearse(
        snapshots,
        (query) => this.compute(this.evaluation(), query, snapshots),
        this.whenIdle,
      );
      this.logger.debug({ms: monotonicMs() - startMs, reports}, 'the first reports were rehearsed');
    } catch (error) {
      throwBroken(error);
      // Questions read the same parts, and report the fault.
      this.logger.debug({err: error}, 'reading ahead for the first reports failed');
    }
  }

  /** The connection to NATS was lost and is back: the last publications may be lost. */
  noteReturn(): void {
    this.snapshots.doubt();
  }

  /** A manifest was published. Resolves when it and its parts are read, and the pause after that is over. RE4 */
  notePublished(): Promise<void> {
    this.publications += 1;
    this.published.notify();
    this.isAheadDue = true;
    this.readingAhead ??= this.readAhead().finally(() => {
      this.readingAhead = undefined;
    });
    return this.readingAhead;
  }

  private async readAhead(): Promise<void> {
    while (this.isAheadDue) {
      this.isAheadDue = false;
      const startMs = monotonicMs();
      if (startMs - this.askedMs > interestMs) return;
      let tookMs = 0;
      try {
        const snapshots = await this.snapshots.read();
        tookMs = monotonicMs() - startMs;
        if (areAll(snapshots)) await warmUp(this.parts, this.ownOf(snapshots), this.whenIdle);
      } catch (error) {
        throwBroken(error);
        // The next question reads it again, and reports the fault.
        this.logger.debug({err: error}, 'a new snapshot could not be read ahead');
      }
      await pause(aheadRest * tookMs, undefined, {ref: false});
    }
  }

  /** What to read ahead: other processes read the rest. */
  private ownOf(snapshots: WholeSet): WholeSet {
    return this.shards?.ownOf(snapshots) ?? snapshots;
  }

  private async status(): Promise<ReportAnswer> {
    const snapshots = await this.snapshots.read().catch(unlessInDisagreement);
    const {outdated} = this.snapshots;
    const manifests = snapshots.map((snapshot) => snapshot?.manifest);
    const isReady = snapshots.length > 0 && manifests.every((manifest) => manifest !== undefined);
    const asOfMs = isReady ? asOf(manifests) : null;
    const damagedParts = this.damage.byPartition;
    return {kind: 'status', ready: isReady, asOfMs, damagedParts, ...(outdated.length > 0 && {outdated})};
  }

  /** Answers over the newest snapshots, again if a part was swept. RE2 */
  private async onNewest(answer: () => Promise<ReportAnswer>): Promise<ReportAnswer> {
    const endMs = monotonicMs() + overtakenMsMax;
    for (;;) {
      try {
        return await answer();
      } catch (error) {
        if (!(error instanceof MissingPart) || (await this.snapshots.nameNow(error.ref))) throw error;
        if (this.snapshots.outdated.length > 0) throw new Disagreement();
        if (monotonicMs() > endMs)
          return {kind: 'unavailable', message: 'the service publishes snapshots faster than reports read them'};
      }
    }
  }

  private async reportOf(asked: AskedReport, asker: Asker): Promise<ReportAnswer> {
    this.askedMs = monotonicMs();
    const {at, includes} = asked;
    const newest = await (includes === undefined ? this.snapshots.read() : this.readIncluding(includes, asker));
    if (!areAll(newest)) return noSnapshots;
    const lacking = includes === undefined ? [] : lackingIn(placesOf(newest), readPositions(includes.positions));
    if (lacking.length > 0) return {kind: 'not_yet', lacking, nextByMs: this.nextByMs(newest)};
    this.held.hold(newest, monotonicMs());
    if (at === undefined) return this.report(asked, newest, newest, asker);
    const set = this.held.at(at);
    const answer = set && (await this.overHeld(at, () => this.report(asked, set, newest, asker)));
    return answer ?? {kind: 'snapshot_gone'};
  }

  /** The newest snapshots, once they include the writes, or after `waitMs`. */
  private async readIncluding(
    {positions, waitMs}: NonNullable<AskedReport['includes']>,
    {gone}: Asker,
  ): Promise<SnapshotSet> {
    const endMs = monotonicMs() + waitMs;
    const writes = readPositions(positions);
    for (;;) {
      const {publications} = this;
      const newest = await this.snapshots.read();
      const leftMs = endMs - monotonicMs();
      if (leftMs <= 0 || (areAll(newest) && covers(placesOf(newest), writes))) return newest;
      await unlessStopped(
        this.published.until(() => this.publications !== publications, Math.min(leftMs, lookAgainMs)),
        gone,
      );
    }
  }

  /** The held set; undefined if it is no longer held. RE2 */
  private async overHeld(at: string, report: () => Promise<ReportAnswer>): Promise<ReportAnswer | undefined> {
    try {
      const answer = await report();
      // A deletion that ended the set in the meantime may have its receipt by now (HS2).
      const newest = await this.snapshots.read();
      if (areAll(newest)) this.held.hold(newest, monotonicMs());
      return this.held.at(at) === undefined ? undefined : answer;
    } catch (error) {
      if (!isUnreadable(error) || (await this.snapshots.nameNow(error.ref))) throw error;
      this.held.end(at);
      return undefined;
    }
  }

  /** RE1 */
  private async report(
    {query, ifNoneMatch}: AskedReport,
    snapshots: WholeSet,
    newest: WholeSet,
    asker: Asker,
  ): Promise<ReportAnswer> {
    const manifests = snapshots.map(({manifest}) => manifest);
    const origin = originOf(query, manifests);
    const body = await this.bodyOf(origin, query, snapshots, asker);
    const retainedFromMs = retainedFromDayOf(snapshots) * dayMs;
    const headers = headersOf(query, manifests, body, {nextByMs: this.nextByMs(newest), retainedFromMs});
    const unknown = unknownNames(query, snapshots);
    const hint =
      unknown.length > 0 &&
      (await this.answers.get(`${origin} hint`, asker, () => ({work: () => hintOf(unknown, snapshots)})));
    return {
      kind: 'report',
      headers: hint ? {...headers, 'Report-Hint': hint} : headers,
      body: isNoneMatch(ifNoneMatch, headers.ETag) ? null : body,
    };
  }

  private exported(query: ExportQuery, asker: Asker): Promise<ReportAnswer> {
    return this.overUndeleted(asker, async (set, evaluation) => {
      const page = await evaluation.exported(query, set);
      return page === undefined ? {kind: 'unknown_event'} : {kind: 'exported', ...standOf(set), ...page};
    });
  }

  private changes(query: ChangesQuery, asker: Asker): Promise<ReportAnswer> {
    const references = must(this.references, 'changes are asked of an engine that can name users');
    return this.overUndeleted(asker, async (set, evaluation) => {
      const page = await evaluation.changes(query, references, set);
      return typeof page === 'string'
        ? {kind: 'position_gone', reason: page}
        : {kind: 'changes', ...standOf(set), ...page};
    });
  }

  /** No answer has an event of a user whose receipt was given: a deletion meanwhile makes it again (held-sets.ts HS2). */
  private async overUndeleted(
    asker: Asker,
    make: (set: WholeSet, evaluation: Evaluation) => Promise<ReportAnswer>,
  ): Promise<ReportAnswer> {
    this.askedMs = monotonicMs();
    const endMs = monotonicMs() + overtakenMsMax;
    for (let newest = await this.snapshots.read(); ; newest = await this.snapshots.read()) {
      if (!areAll(newest)) return noSnapshots;
      const set: WholeSet = newest;
      const answer = await this.inTurn(asker, (evaluation) => make(set, evaluation));
      const now = await this.snapshots.read();
      if (areAll(now) && deletionsOf(now) === deletionsOf(set)) return answer;
      if (monotonicMs() > endMs)
        return {kind: 'unavailable', message: 'deletions complete faster than the report is computed'};
    }
  }

  private async converted({partition, funnel, fromByte}: AskedConverted, {gone}: Asker): Promise<ReportAnswer> {
    const newest = await this.snapshots.read();
    const snapshot = newest[partition];
    if (snapshot === undefined) return noSnapshots;
    const asker = {caller: partitionsCaller, gone};
    const users = await this.inTurn(asker, (evaluation) => evaluation.converted(funnel, snapshot, newest.length));
    const bytes = users.encode();
    const end = fromByte + convertedBytesMax;
    const {position} = snapshot.manifest;
    const page = Buffer.from(bytes.subarray(fromByte, end)).toString('base64');
    return {kind: 'converted', position, users: page, hasMore: end < bytes.length};
  }

  /** Time by which reports include an event that was acknowledged right after the oldest partition's tick. */
  private nextByMs(newest: WholeSet): number {
    return asOf(newest.map(({manifest}) => manifest)) + this.refresh.ms;
  }

  /** Computed once for all askers, and cached. */
  private bodyOf(
    origin: string,
    query: ReportQuery,
    snapshots: readonly PartitionSnapshot[],
    asker: Asker,
  ): Promise<string> {
    return this.answers.get(origin, asker, () => {
      const place = this.placeOf(asker);
      const work = (stop: AbortSignal): Promise<string> =>
        this.atWork.run(place, stop, (slot) => {
          const evaluation = this.evaluation(asker, slot, stop);
          const compute = (others?: Others) => this.compute(evaluation, query, snapshots, others);
          const {shards} = this;
          return shards ? shards.during(query, snapshots, {caller: asker.caller, gone: stop}, compute) : compute();
        });
      return {work, shareWith: (caller) => this.atWork.share(place, caller)};
    });
  }

  /** Work for one asker alone. @throws Crowded, Stopped, TooExpensive RE5 */
  private async inTurn<T>(asker: Asker, work: (evaluation: Evaluation) => Promise<T>): Promise<T> {
    const {gone} = asker;
    return this.atWork.run(this.placeOf(asker), gone, (slot) => work(this.evaluation(asker, slot, gone)));
  }

  /** Parts of the service are never refused: they ask a bounded number of questions. */
  private placeOf({caller}: Asker): Waiting {
    return this.atWork.place(caller, isOurs(caller) ? Number.POSITIVE_INFINITY : waitingOfCallerMax);
  }

  /**
   * `atOnce`: evaluations that share the memory of one question. Work that nobody asked for has no slot and no bound; what parts of the
   * service ask has no bound: nobody could ask for less.
   */
  private evaluation(asker?: Asker, slot?: Slot, stop?: AbortSignal, atOnce = 1): Evaluation {
    const cpuMsMax = asker && isOurs(asker.caller) ? Number.POSITIVE_INFINITY : this.bounds.cpuMsMax;
    const work = slot && stop && new QuestionWork(slot, stop, {...this.bounds, cpuMsMax});
    return new Evaluation(this.parts, Math.floor(this.gatheredBytesMax / atOnce), this.paths, work?.nextSlice);
  }

  private async compute(
    evaluation: Evaluation,
    query: ReportQuery,
    snapshots: readonly PartitionSnapshot[],
    others?: Others,
  ): Promise<string> {
    const startedMs = monotonicMs();
    const body = await evaluation.answer(query, snapshots, others);
    this.logger.debug({report: query.report, ms: monotonicMs() - startedMs}, 'report computed');
    return body;
  }
}

const crowded = `${waitingOfCallerMax} of your questions are waiting already: ask again once they are answered`;

/** No snapshots. */
function unlessInDisagreement(error: unknown): SnapshotSet {
  if (error instanceof Disagreement) return [];
  throw error;
}

const noSnapshots: ReportAnswer = {
  kind: 'unavailable',
  message: 'not every partition has published a snapshot yet',
};

/** The position and the time of a set, as answers name them. */
function standOf(set: WholeSet): {readonly position: string; readonly asOf: string} {
  const manifests = set.map(({manifest}) => manifest);
  return {position: positionOf(manifests), asOf: isoText(asOf(manifests))};
}

const areAll = (snapshots: readonly (PartitionSnapshot | undefined)[]): snapshots is readonly PartitionSnapshot[] =>
  snapshots.every((snapshot) => snapshot !== undefined);

const isEqual = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((text, i) => text === others[i]);

const placesOf = (set: WholeSet): Map<number, Place> =>
  new Map(set.map(({manifest: {partition, position}}) => [partition, position]));

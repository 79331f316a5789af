// Finds the users who complete saved funnels, and appends them to the log: the fold keeps them, and queues their notifications.
//   SF1. Users who complete a funnel by their newest event are found right after the fold: their own rows are walked.
//   SF2. Users who complete one by late events, or by events of another partition, are found after the next snapshot that has these
//        rows: the report thread lists them. In the end all users are notified whom the funnel report counts.
//   SF3. A funnel begins with the users who completed it by the newest snapshot at that time. Only later ones are notified.
//   SF4. No caller waits for this work: it pauses `restFactor` times as long as it took.
//   SF5. A completion that is appended twice counts once (actors/funnels CO1): a crash, or another owner, does no harm.
//   SF6. What the watch keeps of users fits in `funnelBytesMax`. Who does not fit is found by SF2 alone: later, and as exactly.
//   SF7. A linked device is left to the partition of its owner (actors/funnels CO3): its person completes the funnel once, as the
//        known user.
//   SF8. Where events are excluded, or steps strict, a late event can undo a completion. The message is not taken back, but one that
//        no endpoint has got yet is not sent (reads/effect-data.ts). Either way the log says that the user completed the
//        funnel: if it does so again, nobody is told.

import {setImmediate as nextTurn} from 'node:timers/promises';
import {funnelsWatchedMax, type StepWatch} from '../../../actors/funnels/step-watch.js';
import {throwBroken} from '../../../actors/invariant.js';
import type {Completion} from '../../../actors/log/entries.js';
import type {Position} from '../../../actors/manifest.js';
import type {UserSet} from '../../../actors/table/user-set.js';
import type {FunnelPath} from '../../asks/funnels.js';
import {funnelPathOf} from '../../asks/question/funnel-path.js';
import {monotonicMs} from '../../clock.js';
import type {SavedFunnel} from '../../kept/saved-funnel.js';
import {isBefore} from '../../log-position.js';
import type {FunnelMemory} from '../../measures.js';
import {PacedWork} from '../../pacing/paced-work.js';
import type {Effects, Outbox} from '../effects.js';
import {type LogWriter, usersCompletedMax} from '../log/log-writer.js';
import type {PartitionView} from '../partition-view.js';
import {pathsOf} from './user-paths.js';

/** SF4: this work takes a tenth of the thread's time at most. */
const restFactor = 9;
const restMsMax = 60_000;
/** Users walked together, and the chunks that are read for them: users with more chunks are left to SF2. */
const usersAtOnce = 512;
const chunksAtOnceMax = 256;
/** Pause before the report thread is asked again, if it could not answer. */
const askAgainMs = 1_000;
/** Users of one message: each of them may be notified. */
const usersToldMax = 1_000;
const appliedMsMax = 5_000;

/** A share of the users who completed a funnel, from the report thread (src/asks/report.ts). */
export interface Converted {
  readonly position: Position;
  /** Users, by their distance from `firstUser`. */
  readonly users: UserSet;
  readonly firstUser: number;
  /** First byte of the next share; undefined after the last. */
  readonly nextByte: number | undefined;
}

export interface SavedFunnelsSetup extends Pick<PartitionView, 'partition' | 'layout' | 'cache' | 'damage'> {
  readonly writer: Pick<LogWriter, 'complete'>;
  readonly effects: Pick<Effects, 'whenQueued'>;
  readonly outbox: Pick<Outbox, 'funnels'>;
  /** Asks for a share of the users who completed a funnel; undefined: the answer is unknown now. */
  readonly converted: (funnel: FunnelPath, fromByte: number) => Promise<Converted | undefined>;
  /** SF6 */
  readonly funnelBytesMax: number;
  /** Position of the newest published snapshot; undefined before the first. */
  readonly publishedPosition: () => Position | undefined;
  readonly whenApplied: (sequence: number, waitMs: number) => Promise<boolean>;
  readonly isLive: () => boolean;
  readonly onFatal: (error: Error) => void;
}

class TooManyChunks extends Error {}

export class SavedFunnels {
  private readonly setup: SavedFunnelsSetup;
  private funnels: readonly SavedFunnel[] = [];
  private watch: StepWatch | undefined;
  /** First position whose snapshot has rows that may complete a funnel, by funnel. */
  private readonly due = new Map<string, Position>();
  private readonly walking: PacedWork;
  private readonly settling: PacedWork;

  constructor(setup: SavedFunnelsSetup) {
    this.setup = setup;
    const rules = {isAllowed: setup.isLive, onFailed: setup.onFatal};
    this.walking = new PacedWork({...rules, work: () => this.walkUsers()});
    this.settling = new PacedWork({...rules, work: () => this.settle()});
  }

  /** Takes over the newest definitions. Call it before the first fold, and when they may have changed. */
  define(): void {
    const funnels = this.setup.outbox.funnels().slice(0, funnelsWatchedMax);
    if (JSON.stringify(funnels) !== JSON.stringify(this.funnels)) this.replace(funnels);
    this.wake();
  }

  private replace(funnels: readonly SavedFunnel[]): void {
    const {partition} = this.setup;
    const {completions} = partition;
    this.funnels = funnels;
    this.watch = partition.events.watchFunnels(
      funnels.map(({id, question}) => {
        const {steps, windowMs, order} = funnelPathOf(question);
        const isDone = (user: number): boolean => completions.has(id, user);
        return {steps: steps.map(({event}) => event), windowMs, isAnyOrder: order === 'any', isDone};
      }),
      this.setup.funnelBytesMax,
    );
    this.due.clear();
    // The new watch has not seen rows that were folded before.
    for (const {id} of funnels) this.due.set(id, this.positionAt(partition.appliedSequence));
  }

  /** SF6 */
  get memory(): FunnelMemory {
    const {watch} = this;
    const {partition, funnelBytesMax: bytesMax} = this.setup;
    const bytes = partition.completions.byteLength;
    if (watch === undefined) return {bytes, bytesMax, lateUsers: 0};
    const lateUsers = Math.max(0, partition.users.table.count - watch.usersMax);
    return {bytes: bytes + watch.byteLength, bytesMax, lateUsers};
  }

  /** Call it when the partition goes live, and when something may be due. */
  wake(): void {
    this.noteFolded();
    this.notePublished();
  }

  noteFolded(): void {
    if (this.watch?.hasUsers) this.walking.wake();
  }

  /** A snapshot begins: it will have the rows that are folded by now. */
  snapshotBegun(sequence: number): void {
    const touched = this.watch?.takeTouched() ?? 0;
    const position = this.positionAt(sequence);
    for (const [at, {id}] of this.funnels.entries()) if ((touched & (1 << at)) !== 0) this.due.set(id, position);
  }

  private positionAt(sequence: number): Position {
    return {generation: this.setup.partition.generation, sequence};
  }

  notePublished(): void {
    if (this.hasDue) this.settling.wake();
  }

  private get hasDue(): boolean {
    const {completions} = this.setup.partition;
    return this.due.size > 0 || completions.funnels.length > this.funnels.length;
  }

  // ---- SF1 ----

  private async walkUsers(): Promise<number | undefined> {
    const {partition, damage} = this.setup;
    const startedMs = monotonicMs();
    const found = this.watch?.takeUsers(usersAtOnce) ?? [];
    try {
      await this.walkSome(this.funnels, new Map(found.filter(([user]) => partition.identity.stays(user))));
    } catch (error) {
      throwBroken(error);
      // SF2 finds them.
      if (!(error instanceof TooManyChunks) && !damage.note(error as Error)) throw error;
    }
    return found.length > 0 ? restMs(startedMs) : undefined; // SF4
  }

  /** `masks`: by user the funnels that it may have completed, as bits. */
  private async walkSome(funnels: readonly SavedFunnel[], masks: ReadonlyMap<number, number>): Promise<void> {
    const {completions} = this.setup.partition;
    let chunks = 0;
    const turn = async (): Promise<void> => {
      chunks += 1;
      if (chunks > chunksAtOnceMax) throw new TooManyChunks();
      await nextTurn();
    };
    const isAsked = (user: number, at: number): boolean => (masks.get(user)! & (1 << at)) !== 0;
    const asked = funnels.map(({question}) => funnelPathOf(question));
    const paths = await pathsOf(this.setup, [...masks.keys()], asked, turn, isAsked);
    for (const [at, {id, question}] of funnels.entries()) {
      if (!completions.hasBegun(id)) continue; // SF3, then SF2
      const isComplete = (user: number): boolean =>
        paths.get(user)![at]!.length === question.steps.length && !completions.has(id, user);
      const users = [...masks.keys()].filter(isComplete);
      if (users.length > 0) await this.append({stage: 'now', funnel: id, users: users.sort((a, b) => a - b)});
    }
  }

  // ---- SF2, SF3 ----

  private async settle(): Promise<number | undefined> {
    const {partition, isLive} = this.setup;
    const startedMs = monotonicMs();
    const {funnels} = this;
    let isPutOff = false;
    let hasWorked = false;
    for (const id of partition.completions.funnels)
      if (isLive() && !funnels.some((one) => one.id === id))
        await this.append({stage: 'removed', funnel: id, users: []});
    for (const funnel of funnels) {
      const dueFrom = this.due.get(funnel.id);
      if (!isLive() || dueFrom === undefined || this.funnels !== funnels) continue;
      const hasBegun = partition.completions.hasBegun(funnel.id);
      const published = this.setup.publishedPosition();
      if (hasBegun && (published === undefined || isBefore(published, dueFrom))) continue;
      hasWorked = true;
      const isDone = hasBegun ? await this.catchUp(funnel, dueFrom) : await this.begin(funnel);
      isPutOff ||= !isDone;
    }
    return hasWorked ? Math.max(isPutOff ? askAgainMs : 0, restMs(startedMs)) : undefined; // SF4
  }

  /** SF3. @returns false: it cannot be said now. */
  private async begin({id, ...funnel}: SavedFunnel): Promise<boolean> {
    const isSaid = await this.eachConverted(funnel, async (share) => {
      for (const some of pieces(share, usersCompletedMax))
        await this.append({stage: 'before', funnel: id, users: some});
    });
    if (isSaid) await this.append({stage: 'begin', funnel: id, users: []});
    return isSaid;
  }

  /** SF2. @returns false: it cannot be said now. */
  private async catchUp(funnel: SavedFunnel, dueFrom: Position): Promise<boolean> {
    const {partition, effects, isLive} = this.setup;
    const {completions} = partition;
    const {id} = funnel;
    let isOlder = false;
    const isSaid = await this.eachConverted(funnel, async (share) => {
      const {position} = share;
      isOlder ||= isBefore(position, dueFrom);
      const isNew = (user: number): boolean => partition.identity.stays(user) && !completions.has(id, user);
      for (const some of pieces(share, usersToldMax, isNew)) {
        if (!isLive()) return;
        await this.append({stage: 'now', funnel: id, users: some});
        await effects.whenQueued();
      }
    });
    if (!isSaid || isOlder || !isLive()) return false;
    if (this.due.get(id) === dueFrom) this.due.delete(id);
    return true;
  }

  private async eachConverted(
    {question}: Pick<SavedFunnel, 'question'>,
    take: (share: Converted) => Promise<void>,
  ): Promise<boolean> {
    const funnel = funnelPathOf(question);
    for (let fromByte: number | undefined = 0; fromByte !== undefined; ) {
      const share: Converted | undefined = await this.settling.unlessStopped(this.setup.converted(funnel, fromByte));
      if (share === undefined || !this.setup.isLive()) return false;
      await take(share);
      fromByte = share.nextByte;
    }
    return true;
  }

  private async append(completion: Completion): Promise<void> {
    const sequence = await this.setup.writer.complete(completion);
    await this.setup.whenApplied(sequence, appliedMsMax);
  }

  stop(): void {
    this.walking.stop();
    this.settling.stop();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await Promise.all([this.walking.idle(), this.settling.idle()]);
  }
}

const restMs = (startedMs: number): number => Math.min(restFactor * (monotonicMs() - startedMs), restMsMax);

/** Users of a share, ascending, up to `countMax` at a time. */
function* pieces(
  {users, firstUser}: Converted,
  countMax: number,
  isMeant: (user: number) => boolean = () => true,
): Generator<number[], void, void> {
  let piece: number[] = [];
  for (const member of users.members()) {
    const user = firstUser + member;
    if (!isMeant(user)) continue;
    piece.push(user);
    if (piece.length < countMax) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

// Postings of the events that questions choose (actors/report/funnel/user-postings.ts), from which funnels are answered.
//   Owns: which events have postings, and when they are built. Does not own: how long they are kept (derived-indexes.ts), the order
//   and the segments of their rows (actors/report/funnel).
//   PI1. A group has the events of some selectors in one partition. It answers questions about these, for snapshots that have
//        exactly its rows (postings-plan.ts PP1), or all of those in the asked stretch. Otherwise rows are scanned.
//   PI2. A question that is asked again (repeated-questions.ts) gets postings in the background, in one group with the selectors
//        of other groups that share one and were asked for lately: an event has a second place in memory only if these do not
//        fit together.
//   PI3. A group follows the snapshots that are asked for. An answer builds postings of a few missing rows itself: scanning
//        everything would take longer.
//   PI4. What a build replaces stays meanwhile, so that answers continue; without memory for both, it goes before.
//   PI5. Rows that comparisons of numbers skip are counted by the scan alone: selectors with these have no postings.
import type {ChunkEntry} from '../../../actors/manifest.js';
import {
  mergeDue,
  type PlannedSegment,
  planSegments,
  planWithin,
  type Segment,
} from '../../../actors/report/funnel/postings-plan.js';
import {
  type AllocatePostings,
  PostingsBuilder,
  plainMemory,
  selectorsMax,
  type UserPostings,
} from '../../../actors/report/funnel/user-postings.js';
import {type Selector, skipsRows, textOfSelector} from '../../../actors/report/rows/row-choice.js';
import {chunksWithin, keptKey, liveRows, type Stretch} from '../../../actors/report/selection.js';
import {UserSet} from '../../../actors/table/user-set.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import {kernelMemory} from '../kernels/funnel-kernel.js';
import {rowFinder} from '../kernels/name-kernel.js';
import {PartScan} from '../part-scan.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {type RowReading, RowScan} from '../row-scan.js';
import {type Build, type BuildNeed, type Derived, type DerivedIndexes, interestMs} from './derived-indexes.js';
import {newRepeated, type Repeated, RepeatedQuestions} from './repeated-questions.js';

/** Rows that take some 5 ms. In larger stores a share of the rows, which is less than a scan of all of them. PI3 */
const rowsOnTheWayMin = 65_536;
const shareOnTheWay = 1 / 16;
const always: Stretch = {startMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY};

/** Selectors by their text. */
type Selectors = ReadonlyMap<string, Selector>;

/** PI1 */
interface Group {
  readonly partition: number;
  /** In the order of their lists. */
  readonly selectors: Selectors;
  /** Time of the newest question about each selector. */
  readonly askedMs: Map<string, number>;
  segments: readonly Segment[];
}

/** A question in one partition. */
interface PostedQuestion extends Repeated {
  /** Until then it has no postings: they do not exist in any memory. */
  restUntilMs: number;
}

/** A question that waits for postings. */
interface WantedPostings {
  readonly snapshot: PartitionSnapshot;
  readonly selectors: Selectors;
  readonly stretch: Stretch;
  readonly question: PostedQuestion;
}

/** What a build makes: a group in place of others. */
interface PostingsTarget {
  readonly group: Group;
  readonly replaced: readonly Group[];
}

/** Postings of the events that a question chooses, and the list of each of its selectors in them. */
export interface PostedEvents {
  readonly segments: readonly UserPostings[];
  readonly lists: readonly number[];
}

/** The rows that postings are built from. */
interface Source {
  readonly snapshot: PartitionSnapshot;
  readonly selectors: Selectors;
  readonly chunks: readonly ChunkEntry[];
  readonly stretch: Stretch;
  readonly rankStart: number;
}

/** How a build ended. */
type PostingsEnd = 'built' | 'no room' | 'impossible';

/** Whether there is room for kept bytes and scratch. */
type HasRoom = (keptBytes: number, passingBytes: number) => boolean;

export class PostingsIndex {
  private readonly parts: PartsCache;
  private readonly derived: DerivedIndexes;
  private readonly partitionCount: number;
  private readonly allocate: AllocatePostings;
  private readonly postings: Derived<UserPostings>;
  private readonly questions: RepeatedQuestions<PostedQuestion>;
  private groups: readonly Group[] = [];
  /** By question. */
  private readonly wanted = new Map<string, WantedPostings>();
  private backlog: Promise<void> | undefined;
  private segmentsBuilt = 0;

  /** `allocate`: memory of the postings. */
  constructor(
    parts: PartsCache,
    derived: DerivedIndexes,
    partitionCount: number,
    allocate: AllocatePostings = kernelMemory,
  ) {
    this.parts = parts;
    this.derived = derived;
    this.partitionCount = partitionCount;
    this.allocate = allocate;
    this.postings = derived.kind({noteDrop: (key) => this.release(key)});
    this.questions = new RepeatedQuestions(derived, partitionCount);
  }

  get bytesHeld(): number {
    return this.postings.bytes;
  }

  /**
   * All events in the stretch that each selector chooses, and others of theirs; undefined: scan. `reading`: of the answer. PI1
   * @throws MissingPart, DamagedPart
   */
  async eventsOf(
    reading: RowReading,
    snapshot: PartitionSnapshot,
    selectors: readonly Selector[],
    stretch: Stretch,
  ): Promise<PostedEvents | undefined> {
    if (selectors.some(skipsRows)) return undefined; // PI5
    const texts = selectors.map(textOfSelector);
    const distinct = new Map(selectors.map((selector, i) => [texts[i]!, selector] as const));
    const {partition} = snapshot.manifest;
    const key = `${partition} ${[...distinct.keys()].join(' ')}`;
    const question = this.questions.asked(key, () => ({...newRepeated(), restUntilMs: 0}));
    const group = this.groups.find((each) => each.partition === partition && hasAll(each, distinct));
    const plan = planSegments(snapshot.index, group?.segments ?? []);
    if (this.questions.isDue(question) && plan.some((segment) => lacksAny(segment, stretch)))
      this.want(key, {snapshot, selectors: distinct, stretch, question});
    if (group === undefined) return undefined;
    this.noteAsked(group, texts);
    const segments = await this.completed(reading, snapshot, group, plan, stretch);
    const places = [...group.selectors.keys()];
    return segments && {segments, lists: texts.map((text) => places.indexOf(text))};
  }

  private noteAsked({segments, askedMs}: Group, texts: readonly string[]): void {
    for (const {key} of segments) this.postings.get(key);
    for (const text of texts) askedMs.set(text, this.derived.clockMs());
  }

  /** The group's postings, completed by those that the stretch lacks; undefined: scan. PI3 */
  private async completed(
    reading: RowReading,
    snapshot: PartitionSnapshot,
    {selectors}: Group,
    plan: readonly PlannedSegment[],
    stretch: Stretch,
  ): Promise<readonly UserPostings[] | undefined> {
    let rowsLeft = Math.max(rowsOnTheWayMin, liveRows(snapshot.index.chunks) * shareOnTheWay);
    const fits: HasRoom = (keptBytes, passingBytes) => keptBytes + passingBytes <= reading.gatheredBytesMax;
    const all: UserPostings[] = [];
    for (const {chunks, held} of plan) {
      const rankStart = all.at(-1)?.rankEnd ?? 0;
      const source = {snapshot, selectors, chunks, stretch, rankStart};
      const lacking = held === undefined ? chunksOf(source, scanOf(reading, source)) : [];
      if (held === undefined && lacking.length === 0) continue;
      rowsLeft -= liveRows(lacking);
      if (rowsLeft < 0) return undefined;
      const postings = held?.postings ?? (await builtOf(reading, source, fits, plainMemory));
      if (postings === undefined || postings.rankStart < rankStart) return undefined;
      all.push(postings);
    }
    return all;
  }

  /** Resolves when no build runs or waits. */
  async settled(): Promise<void> {
    while (this.backlog !== undefined) await this.backlog;
  }

  /** Gives up postings that were dropped, so that their memory is collected. */
  private release(key: string): void {
    for (const group of this.groups) group.segments = group.segments.filter((segment) => segment.key !== key);
    this.groups = this.groups.filter(({segments}) => segments.length > 0);
  }

  private dropAll(segments: readonly Segment[]): void {
    for (const {key} of segments) this.postings.drop(key);
  }

  // -- building --

  private want(key: string, wanted: WantedPostings): void {
    if (this.derived.clockMs() < wanted.question.restUntilMs) return;
    this.wanted.set(key, wanted);
    this.backlog ??= this.workOff().finally(() => {
      this.backlog = undefined;
    });
  }

  /** Builds for one question after the other. */
  private async workOff(): Promise<void> {
    for (const [key, wanted] of this.wanted) {
      this.wanted.delete(key);
      for (const target of this.targetsFor(wanted)) {
        const end = await this.derived.build('postings', (build) => this.buildGroup(wanted, target, build));
        if (end === 'impossible') wanted.question.restUntilMs = this.derived.clockMs() + interestMs;
        if (end !== 'no room') break;
      }
    }
  }

  /** Groups to build for a question, the preferred first. PI2 */
  private targetsFor({snapshot, selectors}: WantedPostings): readonly PostingsTarget[] {
    const {partition} = snapshot.manifest;
    const sharing = this.groups.filter((each) => each.partition === partition && sharesAny(each, selectors));
    const held = sharing.find((each) => hasAll(each, selectors));
    if (held !== undefined) return [{group: held, replaced: []}];
    const own = {group: newGroup(partition, selectors, this.derived.clockMs()), replaced: []};
    const all = this.together(own.group, sharing);
    return sharing.length === 0 || all.selectors.size > selectorsMax ? [own] : [{group: all, replaced: sharing}, own];
  }

  private together({partition, selectors, askedMs}: Group, groups: readonly Group[]): Group {
    const all = {partition, selectors: new Map(selectors), askedMs: new Map(askedMs), segments: []};
    for (const other of groups)
      for (const [text, selector] of other.selectors) {
        const ms = other.askedMs.get(text) ?? Number.NEGATIVE_INFINITY;
        if (all.selectors.has(text) || ms < this.derived.clockMs() - interestMs) continue;
        all.selectors.set(text, selector);
        all.askedMs.set(text, ms);
      }
    return all;
  }

  /** What does not fit is noted with the question. */
  private async buildGroup(wanted: WantedPostings, target: PostingsTarget, build: Build): Promise<PostingsEnd> {
    const {snapshot, stretch, question} = wanted;
    const {group} = target;
    const plan = mergeDue(planWithin(planSegments(snapshot.index, group.segments), stretch), snapshot.index);
    const kept = plan.flatMap(({held}) => held ?? []);
    const scan = new PartScan(this.parts, () => build.pause());
    scan.partitionCount = this.partitionCount;
    const reading = {scan, finder: rowFinder, gatheredBytesMax: this.derived.builtBytesMax};
    const made: Segment[] = [];
    const segments: Segment[] = [];
    question.refused = undefined;
    try {
      for (const {chunks, held} of plan) {
        const rankStart = segments.at(-1)?.postings.rankEnd ?? 0;
        const source = {snapshot, selectors: group.selectors, chunks, stretch: always, rankStart};
        const hasRoom = this.roomFor(wanted, target, kept, made, build);
        const postings = held?.postings ?? (await builtOf(reading, source, hasRoom, this.allocate));
        if (postings === undefined) return question.refused === undefined ? 'impossible' : 'no room';
        if (postings.rankStart < rankStart) break; // Rare: an earlier segment has more ranks than the one it replaces.
        const segment = held ?? {key: `${(this.segmentsBuilt += 1)}`, chunks, postings};
        if (held === undefined) {
          this.postings.keep(segment.key, postings);
          made.push(segment);
        }
        segments.push(segment);
      }
    } finally {
      if (segments.length < plan.length) this.dropAll(made);
    }
    if (segments.length < plan.length) {
      group.segments = [];
      this.dropAll(kept);
      return this.buildGroup(wanted, target, build);
    }
    this.takeOver(target, segments);
    return 'built';
  }

  private takeOver({group, replaced}: PostingsTarget, segments: readonly Segment[]): void {
    const gone = [group, ...replaced].flatMap((each) => each.segments.filter((segment) => !segments.includes(segment)));
    group.segments = segments.filter(({key}) => this.postings.get(key) !== undefined);
    this.groups = [...this.groups.filter((each) => each !== group && !replaced.includes(each)), group];
    this.dropAll(gone);
  }

  /** Room of idle values for a segment, and after them of what the build replaces. PI4 */
  private roomFor(
    {question}: WantedPostings,
    {group, replaced}: PostingsTarget,
    kept: readonly Segment[],
    made: readonly Segment[],
    build: Build,
  ): HasRoom {
    return (keptBytes, passingBytes) => {
      const need: BuildNeed = {keptBytes, passingBytes};
      build.borrow(passingBytes);
      if (build.makeRoom(need)) return true;
      const old = [group, ...replaced].flatMap(({segments}) => segments.filter((segment) => !kept.includes(segment)));
      const freedBytes = bytesOf(old);
      if (freedBytes > 0 && build.makeRoom({...need, freedBytes})) {
        this.dropAll(old);
        return true;
      }
      question.refused = {...need, keptBytes: keptBytes + bytesOf(made)};
      return false;
    };
  }
}

const newGroup = (partition: number, selectors: Selectors, nowMs: number): Group => ({
  partition,
  selectors,
  askedMs: new Map([...selectors.keys()].map((text) => [text, nowMs])),
  segments: [],
});

const hasAll = (group: Group, selectors: Selectors): boolean =>
  [...selectors.keys()].every((text) => group.selectors.has(text));

const sharesAny = (group: Group, selectors: Selectors): boolean =>
  [...selectors.keys()].some((text) => group.selectors.has(text));

const bytesOf = (segments: readonly Segment[]): number => segments.reduce((sum, {postings}) => sum + postings.bytes, 0);

/** Whether the stretch needs rows of the segment that have no postings. */
const lacksAny = ({chunks, held}: PlannedSegment, stretch: Stretch): boolean =>
  held === undefined && chunksWithin(chunks, [stretch]).length > 0;

const scanOf = (reading: RowReading, {selectors, stretch}: Source): RowScan =>
  new RowScan(reading, {stretch, selectors: [...selectors.values()]});

/** Those of the chunks that may have chosen rows. */
function chunksOf({snapshot, chunks}: Source, scan: RowScan): readonly ChunkEntry[] {
  const keys = new Set(chunks.map(keptKey));
  return scan.chunks(snapshot).filter((chunk) => keys.has(keptKey(chunk)));
}

/** Undefined if there is no room for them, or they cannot exist (user-postings.ts UP3). @throws MissingPart, DamagedPart */
async function builtOf(
  reading: RowReading,
  source: Source,
  hasRoom: HasRoom,
  allocate: AllocatePostings,
): Promise<UserPostings | undefined> {
  const {selectors, rankStart} = source;
  const {users} = source.snapshot.index;
  const everybody = {...source.snapshot, leftOut: {...source.snapshot.leftOut, users: new UserSet()}}; // UP5
  const scan = scanOf(reading, source);
  const chunks = chunksOf(source, scan);
  const builder = new PostingsBuilder(users.count, [...selectors.values()], rankStart);
  await scan.fold(everybody, (rows, chosen) => builder.count(rows, chosen), undefined, chunks);
  const keptBytes = PostingsBuilder.postingsBytesMin(selectors.size, builder.eventCount);
  const passingBytes = PostingsBuilder.passingBytes(users.count, builder.eventCount);
  if (!hasRoom(keptBytes, passingBytes)) return undefined;
  builder.startPlacing();
  await scan.fold(everybody, (rows, chosen) => builder.place(rows, chosen), undefined, chunks);
  return reading.scan.inSlices(builder.build((bytes) => (hasRoom(bytes, passingBytes) ? allocate(bytes) : undefined)));
}

// Postings of the events that conditions choose (actors/report/funnel/user-postings.ts): a later answer about the same events,
// over any stretch of time, reads no rows.
//   Owns: which chunks have them. Does not own: which rows are chosen (row-scan.ts), which questions they are kept for
//   (repeated-questions.ts) and how long (derived-indexes.ts), which rows a segment holds (postings-plan.ts, PP1 to PP3).
//   CP1. The name of an event is the position of its selector. An event that several selectors choose is there for each.
//   CP2. Rows that comparisons of numbers skip are counted by the scan alone: selectors with these have no postings. Neither
//        have those that choose more rows than an answer may gather (gathered-postings.ts).
import type {ChunkEntry} from '../../../actors/manifest.js';
import {
  mergeDue,
  type PlannedSegment,
  planSegments,
  planWithin,
  type Segment,
} from '../../../actors/report/funnel/postings-plan.js';
import type {AllocatePostings, UserPostings} from '../../../actors/report/funnel/user-postings.js';
import {type Selector, skipsRows, textOfSelector} from '../../../actors/report/rows/row-choice.js';
import type {Stretch} from '../../../actors/report/selection.js';
import type {Derived, DerivedIndexes} from '../derived-indexes.js';
import {kernelMemory} from '../funnel/funnel-kernel.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {newRepeated, type Repeated, RepeatedQuestions} from '../repeated-questions.js';

/** Selectors whose events one set of postings has. */
export const selectorsMax = 0x80;

export interface WantedPostings {
  readonly chunks: readonly ChunkEntry[];
  /** At most `selectorsMax`. */
  readonly selectors: readonly Selector[];
  /** Name of the events of each selector. */
  readonly names: readonly number[];
  /** Above all names. */
  readonly nameCount: number;
  readonly rankStart: number;
}

/** Gathers postings out of rows; undefined: they are more than an answer may gather. @throws MissingPart, DamagedPart */
export type GatherChosen = (wanted: WantedPostings, allocate: AllocatePostings) => Promise<UserPostings | undefined>;

/** Postings, and the name in them of the events of each selector. */
export interface PostedEvents {
  readonly segments: readonly UserPostings[];
  readonly names: readonly number[];
}

/** Segments of one question differ in their chunks alone. */
const noNames: ReadonlySet<number> = new Set();

interface ChosenState extends Repeated {
  segments: readonly Segment[];
  /** The events have no postings in any memory, or are more than an answer may gather. CP2 */
  areTooMany: boolean;
}

/** What a question asks for in one partition. `selectors`: without equal ones. */
interface ChosenQuestion {
  readonly gather: GatherChosen;
  readonly selectors: readonly Selector[];
}

export class ChosenPostings {
  private readonly derived: DerivedIndexes;
  private readonly postings: Derived<UserPostings>;
  private readonly questions: RepeatedQuestions<ChosenState>;
  private readonly allocate: AllocatePostings;
  private segmentsBuilt = 0;

  /** `allocate`: memory of the postings. */
  constructor(derived: DerivedIndexes, partitionCount: number, allocate: AllocatePostings = kernelMemory) {
    this.derived = derived;
    this.postings = derived.kind({noteDrop: (key) => this.release(key)});
    const newState = (): ChosenState => ({...newRepeated(), segments: [], areTooMany: false});
    this.questions = new RepeatedQuestions(derived, partitionCount, newState, (state) => this.keepOnly(state, []));
    this.allocate = allocate;
  }

  /** All events in the stretch that each selector chooses, and others of theirs; undefined: scan. @throws MissingPart, DamagedPart */
  async eventsOf(
    snapshot: PartitionSnapshot,
    selectors: readonly Selector[],
    stretch: Stretch,
    gather: GatherChosen,
  ): Promise<PostedEvents | undefined> {
    if (selectors.some(skipsRows)) return undefined;
    const texts = selectors.map(textOfSelector);
    const distinct = [...new Set(texts)];
    if (distinct.length > selectorsMax) return undefined;
    const state = this.questions.asked(`${snapshot.manifest.partition} ${distinct.join(' ')}`);
    for (const {key} of state.segments) this.postings.get(key); // Notes the use.
    if (state.areTooMany || !this.questions.isDue(state)) return undefined;
    const plan = mergeDue(planWithin(planSegments(snapshot.index, state.segments), stretch), snapshot.index);
    const chosen = distinct.map((text) => selectors[texts.indexOf(text)]!);
    const segments = await this.completed(plan, state, {gather, selectors: chosen});
    return segments && {segments, names: texts.map((text) => distinct.indexOf(text))};
  }

  /** Gives up postings that were dropped, so that their memory is collected. */
  private release(key: string): void {
    for (const state of this.questions.all()) state.segments = state.segments.filter((segment) => segment.key !== key);
  }

  private keepOnly(state: ChosenState, segments: readonly Segment[]): void {
    const dropped = state.segments.filter((segment) => !segments.includes(segment));
    state.segments = segments;
    for (const {key} of dropped) this.postings.drop(key);
  }

  /** The postings of the plan. New ones are kept if there is room. */
  private async completed(
    plan: readonly PlannedSegment[],
    state: ChosenState,
    asked: ChosenQuestion,
  ): Promise<readonly UserPostings[] | undefined> {
    const all: UserPostings[] = [];
    const kept: Segment[] = [];
    for (const {chunks, held} of plan) {
      const rankStart = all.at(-1)?.rankEnd ?? 0;
      const postings = held?.postings ?? (await this.gathered(chunks, asked, rankStart));
      if (postings === undefined) {
        state.areTooMany = true;
        return undefined;
      }
      // Rare: an earlier segment has more ranks than the one it replaces.
      if (postings.rankStart < rankStart) return this.completed(plan.map(anew), state, asked);
      all.push(postings);
      const segment = held ?? this.keep({chunks, postings}, state);
      if (segment !== undefined && this.postings.get(segment.key) !== undefined) kept.push(segment);
    }
    this.keepOnly(state, kept);
    return all;
  }

  private gathered(
    chunks: readonly ChunkEntry[],
    {gather, selectors}: ChosenQuestion,
    rankStart: number,
  ): Promise<UserPostings | undefined> {
    const names = selectors.map((_, name) => name); // CP1
    return gather({chunks, selectors, names, nameCount: names.length, rankStart}, this.allocate);
  }

  private keep({chunks, postings}: Pick<Segment, 'chunks' | 'postings'>, state: ChosenState): Segment | undefined {
    const need = {keptBytes: postings.bytes, passingBytes: 0};
    const key = `${(this.segmentsBuilt += 1)}`;
    const isKept = this.derived.makeRoom(need, state.asks) && this.postings.keep(key, postings);
    state.refused = isKept ? undefined : need;
    return isKept ? {key, chunks, names: noNames, postings} : undefined;
  }
}

const anew = ({chunks}: PlannedSegment): PlannedSegment => ({chunks, held: undefined});

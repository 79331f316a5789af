// A second thread for long funnels: it takes half of the users, out of the same memory.
//   Owns: the thread, which postings it has, and whose funnel it walks along. Does not own: the walk
//   (actors/report/funnel/posted-funnel.ts).
//   J1. Blocks of users are taken in turn, by a number that both threads count up: a thread that comes late, as on a machine
//       without a core for it, has few of them, or none, and nobody waits for more than the block that it is at.
//   J2. Without it a funnel is walked alone: one that is short, one over postings of which some are not kept, one that comes
//       while the thread starts or walks; and again, all of it, when the thread ends in the middle. Once it failed, or could
//       not be started, all are walked alone.
//   J3. The thread is started once a long funnel is asked. It ends when postings in shared memory that it has are no longer
//       kept, but not in the middle of a walk: their memory is freed with it, and not when it happens to collect.
//   J4. One funnel at a time, and one thread: the next one starts when the last one has ended, as both would sit in the same
//       seat (funnel-kernel.ts, K3).
//   J5. A scheduler may put a thread that is woken on the core of the one that woke it, and leave it to wait there beside an
//       idle core. So while the other has not begun, whoever walks sleeps for a moment between blocks: one of the two is
//       then woken while the other runs, and comes to a core of its own.
//   J6. Both end within a block of each other. What the second one counted is waited for and taken at once, without a turn of
//       the event loop: to be woken by that took 0.2 to 1 ms of a funnel's 7, and up to 4.
//   J7. Medians are a fifth of a long funnel, so both find them, of steps in turn. Each reads the other's durations where they
//       lie: from the end of its walk to the release the second one changes none of its own, and the first one none of those
//       that it told of. The second one looks out for that, awake, for longer than a block takes: to wake it again would take
//       a part of what it saves. Without it, or where durations did not fit the memory of lists, the first one finds all.

import {MessageChannel, type MessagePort, receiveMessageOnPort, Worker} from 'node:worker_threads';
import {type FunnelResult, medianOfStep} from '../../../actors/report/funnel/funnel.js';
import {type ListPlaces, listAt, NumberList, type NumberLists} from '../../../actors/report/funnel/median.js';
import type {PostedFunnel} from '../../../actors/report/funnel/posted-funnel.js';
import type {PostingsColumns, UserPostings} from '../../../actors/report/funnel/user-postings.js';
import type {Stretch} from '../../../actors/report/selection.js';
import {monotonicMs} from '../../clock.js';
import type {Logger} from '../../observe.js';
import type {Memory} from '../../web-assembly.js';
import {SharedPostingsMemory} from './funnel-kernel.js';

/** Users times steps: some 3 ms of walking. To wake the thread and to hear from it takes 0.1 to 0.2 ms. */
const longLookups = 500_000;
/** With a conversion window a user walks from some two to eight entries, and from the best one once more. */
const walksInWindow = 3;
/** J5: so often, and so long at most. A block takes some 0.3 ms. */
const pausesMax = 3;
const pauseMs = 0.15;
/** J6: a block. J7: the median of a step. */
const othersWaitMsMax = 1;

export interface SecondWalkerSettings {
  readonly kernel: object;
  /** Of the durations of whoever asks. */
  readonly lists: NumberLists;
}

/** Of the durations of each thread. J7 */
export interface ListMemories {
  readonly asker: SharedArrayBuffer;
  readonly second: SharedArrayBuffer;
}

export interface SecondWalkerData {
  readonly kernel: object;
  readonly lists: ListMemories;
  /** Takes each `Walked` and `FoundMedians`, before `turns` say so. */
  readonly results: MessagePort;
}

export interface SecondWalkerOptions {
  readonly program?: URL;
  readonly lookupsMin?: number;
}

/** Of one partition: its postings, and the name index of each step's event. */
export interface PostedSteps {
  readonly segments: readonly UserPostings[];
  readonly stepNames: readonly number[];
}

/** Postings that are kept, by the number that walks call them by. */
export interface ToldSegment {
  readonly kind: 'segment';
  readonly number: number;
  /** Shared, if a kernel walks over it; otherwise the columns are copied. */
  readonly memory: Memory<SharedArrayBuffer> | undefined;
  readonly columns: PostingsColumns;
  readonly ranks: {readonly start: number; readonly end: number};
}

export interface ToldWalk {
  readonly kind: 'walk';
  readonly number: number;
  /** Of each partition; segments by their numbers. */
  readonly partitions: readonly {readonly segments: readonly number[]; readonly stepNames: readonly number[]}[];
  readonly asked: AskedWalk;
  readonly turns: Int32Array;
  /** Of each step, once it is found: ms, NaN where nobody reached it. */
  readonly medians: Float64Array;
}

/** Of the walk that was told last: the durations of whoever asked, of each partition and step. J7 */
export interface ToldMedians {
  readonly kind: 'medians';
  readonly number: number;
  readonly durations: readonly (readonly ListPlaces[])[];
}

export type ToSecondWalker = ToldSegment | ToldWalk | ToldMedians | {readonly kind: 'forget'; readonly number: number};

export interface Walked {
  readonly kind: 'walked';
  /** Of the walk. */
  readonly number: number;
  /** Of each partition; numbers themselves where they did not fit the memory of lists. */
  readonly results: readonly {
    readonly reached: Float64Array;
    readonly durations: readonly (ListPlaces | Float64Array)[];
  }[];
}

/** It takes no more steps of the walk. J7 */
export interface FoundMedians {
  readonly kind: 'found';
  readonly number: number;
}

export type FromSecondWalkerAtOnce = Walked | FoundMedians;

export type FromSecondWalker = {readonly kind: 'ready'};

/** `windowMs` is inclusive, infinite without a window. */
export interface AskedWalk {
  readonly stretch: Stretch;
  readonly windowMs: number;
}

/**
 * The shared numbers of a walk (J1): which block is next, and whether the second thread takes any, or has counted them; then
 * which step's median is next (J7), and how many the second thread has found.
 */
export const nextBlockAt = 0;
export const stateAt = 1;
const nextStepAt = 2;
export const foundAt = 3;
export const states = {offered: 0, taken: 1, closed: 2, counted: 3} as const;
const turnCount = 4;
/** More blocks and steps than there are: none is left. */
const turnsEnd = 2 ** 30;

/** A funnel that two threads walk. */
export interface JointWalk {
  readonly takeBlock: () => number;
  /** What the second one counted, once no block is left; undefined: it ended, and all must be counted anew. */
  finish(): Promise<readonly FunnelResult[] | undefined>;
  /**
   * After that: the median of each step, of the durations of whoever asked (`own`) and of what the second one counted (`others`).
   * Undefined: both are at hand for whoever asked to find them alone. J7
   */
  medians(
    own: readonly FunnelResult[],
    others: readonly FunnelResult[],
  ): Promise<readonly (number | null)[] | undefined>;
  /** Nobody takes blocks or steps any more, whether they are all counted or not, nor reads what the second one counted. */
  release(): void;
}

export class SecondWalker {
  private readonly settings: SecondWalkerSettings;
  private readonly logger: Logger;
  private readonly program: URL;
  private readonly lookupsMin: number;
  /** Of one thread after the other. */
  private readonly secondLists: SharedArrayBuffer;
  /** Until its exit. J4 */
  private worker: Worker | undefined;
  private results: MessagePort | undefined;
  private state: 'none' | 'starting' | 'ready' | 'ending' | 'broken' = 'none';
  private isWalking = false;
  /** J3: postings that it has are not kept any more. */
  private isOutdated = false;
  private readonly numbers = new Map<UserPostings, number>();
  private lastNumber = 0;
  private walks = 0;
  /** Of the last walk; undefined and false: the thread ended. */
  private whenWalked: (walked: Walked | undefined) => void = () => {};
  private whenFound: (areThere: boolean) => void = () => {};

  constructor(
    settings: SecondWalkerSettings,
    logger: Logger,
    {
      program = new URL('./second-walker-worker.js', import.meta.url),
      lookupsMin = longLookups,
    }: SecondWalkerOptions = {},
  ) {
    this.settings = settings;
    this.secondLists = new SharedArrayBuffer(settings.lists.memory.byteLength);
    this.logger = logger;
    this.program = program;
    this.lookupsMin = lookupsMin;
  }

  get isReady(): boolean {
    return this.state === 'ready';
  }

  /** J2 */
  get isBroken(): boolean {
    return this.state === 'broken';
  }

  /** What it has, and has to give up when it is no longer kept. J3 */
  get postings(): readonly UserPostings[] {
    return [...this.numbers.keys()];
  }

  /** Along with `funnels`, which are of these partitions, over postings that are kept. Undefined: they are walked alone. J2 */
  join(partitions: readonly PostedSteps[], funnels: readonly PostedFunnel[], asked: AskedWalk): JointWalk | undefined {
    const users = funnels.reduce((sum, funnel) => sum + funnel.entryUsersMax, 0);
    const stepCount = partitions[0]?.stepNames.length ?? 0;
    const walks = Number.isFinite(asked.windowMs) ? walksInWindow : 1;
    if (users * stepCount * walks < this.lookupsMin || this.isWalking) return undefined;
    if (this.state === 'none') this.start();
    if (this.state !== 'ready') return undefined;
    const numbered = partitions.map(({segments, stepNames}) => ({
      segments: segments.map((segment) => this.numberOf(segment)),
      stepNames,
    }));
    return this.offer({kind: 'walk', number: ++this.walks, partitions: numbered, asked, ...sharedNumbers(stepCount)});
  }

  /** Postings that it has and that are no longer kept go. J3 */
  keepOnly(kept: ReadonlySet<UserPostings>): void {
    for (const [postings, number] of this.numbers) {
      if (kept.has(postings)) continue;
      this.numbers.delete(postings);
      if (postings.memory instanceof SharedPostingsMemory) this.isOutdated = true;
      else this.say({kind: 'forget', number});
    }
    this.endIfOutdated();
  }

  private offer(walk: ToldWalk): JointWalk {
    const {turns} = walk;
    const walked = new Promise<Walked | undefined>((resolve) => {
      this.whenWalked = resolve;
    });
    const found = new Promise<boolean>((resolve) => {
      this.whenFound = resolve;
    });
    this.isWalking = true;
    this.worker?.ref(); // Whoever waits for it keeps the process, and nobody else.
    this.say(walk);
    const close = (): boolean =>
      Atomics.compareExchange(turns, stateAt, states.offered, states.closed) === states.offered;
    const finish = async (): Promise<readonly FunnelResult[] | undefined> => {
      if (close()) return [];
      Atomics.wait(turns, stateAt, states.taken, othersWaitMsMax); // J6
      this.takeResults();
      return (await walked)?.results.map(({reached, durations}) => ({
        reached,
        durations: durations.map((told) => this.listOf(told)),
      }));
    };
    const medians: JointWalk['medians'] = (own, others) => this.findMedians(walk, own, others, found);
    const release = (): void => {
      close();
      Atomics.add(turns, nextBlockAt, turnsEnd);
      Atomics.add(turns, nextStepAt, turnsEnd);
      this.isWalking = false;
      this.worker?.unref();
      this.endIfOutdated();
    };
    return {takeBlock: blocksOf(turns), finish, medians, release};
  }

  /** J7. `found`: once the second thread takes no more steps. */
  private async findMedians(
    {number, turns, medians}: ToldWalk,
    own: readonly FunnelResult[],
    others: readonly FunnelResult[],
    found: Promise<boolean>,
  ): Promise<readonly (number | null)[] | undefined> {
    const durations = own.map((funnel) => this.placesOf(funnel));
    if (others.length === 0 || !durations.every((places) => places !== undefined)) return undefined;
    this.say({kind: 'medians', number, durations});
    const all = [...own, ...others];
    const foundHere = takeSteps(turns, medians, (step) => medianOfStep(all, step, this.settings.lists.room));
    if (!waitForFound(turns, medians.length - foundHere)) {
      this.takeResults();
      if (!(await found)) return undefined;
    }
    return Array.from(medians, (ms) => (Number.isNaN(ms) ? null : ms));
  }

  private placesOf({durations}: FunnelResult): readonly ListPlaces[] | undefined {
    const places = durations.map((list) => this.settings.lists.placesOf(list));
    return places.every((each) => each !== undefined) ? places : undefined;
  }

  private listOf(told: ListPlaces | Float64Array): NumberList {
    return told instanceof Float64Array ? NumberList.of(told) : listAt(this.secondLists, told);
  }

  private numberOf(postings: UserPostings): number {
    const known = this.numbers.get(postings);
    if (known !== undefined) return known;
    const number = ++this.lastNumber;
    const {columns, rankStart: start, rankEnd: end} = postings;
    const memory = postings.memory instanceof SharedPostingsMemory ? postings.memory.memory : undefined;
    this.numbers.set(postings, number);
    this.say({kind: 'segment', number, memory, columns, ranks: {start, end}});
    return number;
  }

  private say(message: ToSecondWalker): void {
    this.worker?.postMessage(message);
  }

  // -- the thread --

  private start(): void {
    try {
      const {port1: results, port2} = new MessageChannel();
      const {kernel, lists} = this.settings;
      const memories = {asker: lists.memory, second: this.secondLists};
      const workerData: SecondWalkerData = {kernel, lists: memories, results: port2};
      const worker = new Worker(this.program, {workerData, transferList: [port2], name: 'funnels'});
      this.worker = worker;
      this.results = results;
      results.on('message', (message: FromSecondWalkerAtOnce) => this.hear(message));
      results.unref();
      this.state = 'starting';
      worker.on('message', (_: FromSecondWalker) => {
        if (this.state === 'starting') this.state = 'ready';
      });
      worker.on('error', (error) => this.fail(error));
      worker.on('exit', () => this.forget());
      worker.unref();
    } catch (error) {
      this.fail(error as Error); // No thread can be had.
    }
  }

  /** Those that are there. J6 */
  private takeResults(): void {
    while (this.results !== undefined) {
      const received = receiveMessageOnPort(this.results);
      if (received === undefined) return;
      this.hear(received.message as FromSecondWalkerAtOnce);
    }
  }

  private hear(message: FromSecondWalkerAtOnce): void {
    if (message.number !== this.walks) return;
    if (message.kind === 'walked') this.whenWalked(message);
    else this.whenFound(true);
  }

  private fail(error: Error): void {
    this.state = 'broken';
    this.logger.error({err: error}, 'the second thread for long funnels failed: they are walked by one');
  }

  private endIfOutdated(): void {
    if (!this.isOutdated || this.isWalking || this.worker === undefined) return;
    if (this.state !== 'broken') this.state = 'ending';
    void this.worker.terminate();
  }

  private forget(): void {
    this.worker = undefined;
    this.results?.close();
    this.results = undefined;
    if (this.state !== 'broken') this.state = 'none';
    this.isOutdated = false;
    this.numbers.clear();
    this.whenWalked(undefined); // J2
    this.whenFound(false);
  }
}

function sharedNumbers(stepCount: number): Pick<ToldWalk, 'turns' | 'medians'> {
  const mediansAt = turnCount * Int32Array.BYTES_PER_ELEMENT;
  const buffer = new SharedArrayBuffer(mediansAt + stepCount * Float64Array.BYTES_PER_ELEMENT);
  return {turns: new Int32Array(buffer, 0, turnCount), medians: new Float64Array(buffer, mediansAt, stepCount)};
}

/** Finds medians of steps in turn, with the other thread, and returns of how many. J7 */
export function takeSteps(
  turns: Int32Array,
  medians: Float64Array,
  find: (step: number) => number | null,
  told = (): void => {},
): number {
  const next = (): number => Atomics.add(turns, nextStepAt, 1);
  let found = 0;
  for (let step = next(); step < medians.length; step = next()) {
    medians[step] = find(step) ?? Number.NaN;
    found += 1;
    told();
  }
  return found;
}

/** Whether the second thread has found so many medians within a moment. */
function waitForFound(turns: Int32Array, count: number): boolean {
  const endMs = monotonicMs() + othersWaitMsMax;
  for (let found = Atomics.load(turns, foundAt); found < count; found = Atomics.load(turns, foundAt)) {
    const leftMs = endMs - monotonicMs();
    if (leftMs <= 0) return false;
    Atomics.wait(turns, foundAt, found, leftMs);
  }
  return true;
}

/** J1, J5 */
function blocksOf(turns: Int32Array): () => number {
  let pauses = 0;
  return () => {
    const block = Atomics.add(turns, nextBlockAt, 1);
    const isFirst = block === 0;
    if (!isFirst && pauses < pausesMax && Atomics.load(turns, stateAt) === states.offered) {
      pauses += 1;
      Atomics.wait(turns, stateAt, states.offered, pauseMs);
    }
    return block;
  };
}

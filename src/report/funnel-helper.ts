// A second thread for long funnels: it takes half of the users, out of the same memory.
//   Owns: the thread, what postings it has, and who is helped. Does not own: the walk (actors/report/posted-funnel.ts).
//   J1. Blocks of users are taken in turn, by a number that both threads count up: a helper that comes late, as on a machine
//       without a core for it, has few of them, or none, and nobody waits for more than the block that it is at.
//   J2. Without help the funnel is walked alone: what is small, what lies in memory that is not shared, what comes while
//       the helper starts or is taken, and again all of it when the helper ends in the middle.
//   J3. The thread is started once a long funnel is asked. It holds postings that are kept, and ends when one of them no
//       longer is: its memory is freed with it, and not when it happens to collect. Postings that an answer built for itself
//       come along with the walk.
//   J4. What it counted lies in its own memory until `release`: one funnel at a time is helped.
//   J5. A scheduler may put a thread that is woken on the core of the one that woke it, and leave it to wait there beside an
//       idle core. So while the helper has not begun, whoever walks sleeps for a moment between blocks: one of the two is
//       then woken while the other runs, and comes to a core of its own.

import {Worker} from 'node:worker_threads';
import type {FunnelResult} from '../../actors/report/funnel.js';
import {blockUsers} from '../../actors/report/funnel-steps.js';
import {NumberList} from '../../actors/report/median.js';
import type {PostedFunnel} from '../../actors/report/posted-funnel.js';
import type {Stretch} from '../../actors/report/selection.js';
import type {PostingsColumns, UserPostings} from '../../actors/report/user-postings.js';
import type {Logger} from '../observe.js';
import type {Memory} from '../web-assembly.js';
import {SharedPostingsMemory} from './funnel-kernel.js';

/** Users times steps: some 3 ms of walking. To wake the helper and to hear from it takes 0.1 to 0.2 ms. */
const longLookups = 500_000;
/** J5: so often, and so long at most. A block takes some 0.3 ms. */
const pausesMax = 3;
const pauseMs = 0.15;

export interface FunnelHelperWorkerData {
  readonly kernel: object;
  /** Of lists of durations that wait to be used again. */
  readonly listBytesMax: number;
}

/** Of one partition: its postings, and the name index of each step's event. */
export interface PostedSteps {
  readonly segments: readonly UserPostings[];
  readonly stepNames: readonly number[];
}

export interface SharedPostings {
  /** Undefined: no kernel walks over it. */
  readonly memory: Memory<SharedArrayBuffer> | undefined;
  readonly buffer: SharedArrayBuffer;
  readonly columns: PostingsColumns;
  readonly ranks: {readonly start: number; readonly end: number};
}

/** Postings that are kept, by the number that walks call them by. */
export interface SharedSegment {
  readonly kind: 'segment';
  readonly number: number;
  readonly postings: SharedPostings;
}

export interface SharedWalk {
  readonly kind: 'walk';
  /** Of each partition; segments by their numbers, but for those of this answer alone. J3 */
  readonly partitions: readonly {
    readonly segments: readonly (number | SharedPostings)[];
    readonly stepNames: readonly number[];
  }[];
  readonly stretch: Stretch;
  readonly windowMs: number;
  readonly turns: Int32Array;
  readonly number: number;
}

export type ToHelper = SharedSegment | SharedWalk;

export interface Walked {
  readonly kind: 'walked';
  /** Of the walk. */
  readonly number: number;
  /** Of each partition. Durations lie in memory of the helper (J4). */
  readonly results: readonly {readonly reached: Float64Array; readonly durations: readonly Float64Array[]}[];
}

export type FromHelper = {readonly kind: 'ready'} | Walked;

/** Of the two shared numbers of a walk (J1): which block is next, and whether the helper takes any. */
export const nextBlockAt = 0;
export const stateAt = 1;
export const states = {offered: 0, taken: 1, closed: 2} as const;

/** A funnel that is helped with. */
export interface Help {
  readonly takeBlock: () => number;
  /** What the helper counted, once no block is left; undefined: it ended, and all must be counted anew. */
  finish(): Promise<readonly FunnelResult[] | undefined>;
  /** Nobody reads what it counted any more. J4 */
  release(): void;
}

export class FunnelHelper {
  private readonly workerData: FunnelHelperWorkerData;
  private readonly logger: Logger;
  private readonly program: URL;
  private readonly lookupsMin: number;
  private worker: Worker | undefined;
  private isReady = false;
  /** The turns of the walk that it helps with. J4 */
  private taken: Int32Array | undefined;
  private isBroken = false;
  private readonly numbers = new Map<UserPostings, number>();
  private lastNumber = 0;
  private walks = 0;
  private answered: (walked: Walked | undefined) => void = () => {};

  constructor(
    workerData: FunnelHelperWorkerData,
    logger: Logger,
    {program = new URL('./funnel-helper-worker.js', import.meta.url), lookupsMin = longLookups} = {},
  ) {
    this.workerData = workerData;
    this.logger = logger;
    this.program = program;
    this.lookupsMin = lookupsMin;
  }

  /** Whether a thread is there to help. */
  get isAwake(): boolean {
    return this.isReady;
  }

  /** With `funnels`, which are of these partitions. `kept`: J3. Undefined: they are walked alone. J2 */
  help(
    partitions: readonly PostedSteps[],
    funnels: readonly PostedFunnel[],
    {stretch, windowMs}: {readonly stretch: Stretch; readonly windowMs: number},
    kept: ReadonlySet<UserPostings>,
  ): Help | undefined {
    const users = funnels.reduce((sum, {blockCount}) => sum + blockCount, 0) * blockUsers;
    const stepCount = partitions[0]?.stepNames.length ?? 0;
    if (users * stepCount < this.lookupsMin || this.taken !== undefined || this.isBroken) return undefined;
    if (!partitions.every(({segments}) => segments.every(isShared))) return undefined;
    this.worker ??= this.start();
    if (!this.isReady) return undefined;
    const turns = new Int32Array(new SharedArrayBuffer(8));
    const numbered = partitions.map(({segments, stepNames}) => ({
      segments: segments.map((segment) => (kept.has(segment) ? this.numberOf(segment) : sharedOf(segment))),
      stepNames,
    }));
    return this.offer({kind: 'walk', number: ++this.walks, partitions: numbered, stretch, windowMs, turns});
  }

  /** Postings that it has and that are no longer kept go, and it with them. J3 */
  keepOnly(kept: ReadonlySet<UserPostings>): void {
    if ([...this.numbers.keys()].some((postings) => !kept.has(postings))) this.end();
  }

  private offer(walk: SharedWalk): Help {
    const {turns} = walk;
    const walked = new Promise<Walked | undefined>((resolve) => {
      this.answered = resolve;
    });
    this.taken = turns;
    this.worker?.ref(); // Whoever waits for it keeps the process, and nobody else.
    this.say(walk);
    const finish = async (): Promise<readonly FunnelResult[] | undefined> => {
      if (Atomics.compareExchange(turns, stateAt, states.offered, states.closed) === states.offered) return [];
      const result = await walked;
      return result?.results.map(({reached, durations}) => ({
        reached,
        durations: durations.map((numbers) => NumberList.of(numbers)),
      }));
    };
    const release = (): void => {
      if (this.taken !== turns) return;
      this.taken = undefined;
      this.worker?.unref();
    };
    return {takeBlock: blocksOf(turns), finish, release};
  }

  private numberOf(postings: UserPostings): number {
    const known = this.numbers.get(postings);
    if (known !== undefined) return known;
    const number = ++this.lastNumber;
    this.numbers.set(postings, number);
    this.say({kind: 'segment', number, postings: sharedOf(postings)});
    return number;
  }

  private say(message: ToHelper): void {
    this.worker?.postMessage(message);
  }

  // -- the thread --

  private start(): Worker {
    const {workerData} = this;
    const worker = new Worker(this.program, {workerData, name: 'funnels'});
    worker.on('message', (message: FromHelper) => {
      if (worker !== this.worker) return;
      if (message.kind === 'ready') this.isReady = true;
      else if (message.number === this.walks) this.answered(message);
    });
    worker.on('error', (error) => {
      this.isBroken = true;
      this.logger.error({err: error}, 'the thread that helps with funnels failed: they are walked by one');
    });
    worker.on('exit', () => {
      if (worker === this.worker) this.forget();
    });
    worker.unref();
    return worker;
  }

  private end(): void {
    const {worker} = this;
    this.forget();
    void worker?.terminate();
  }

  private forget(): void {
    this.worker = undefined;
    this.isReady = false;
    this.taken = undefined;
    this.numbers.clear();
    this.answered(undefined); // J2
  }
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

function sharedOf({memory, columns, rankStart, rankEnd}: UserPostings): SharedPostings {
  const {memory: kernelMemory, buffer} = memory as SharedPostingsMemory;
  return {memory: kernelMemory, buffer, columns, ranks: {start: rankStart, end: rankEnd}};
}

const isShared = ({memory}: UserPostings): boolean => memory instanceof SharedPostingsMemory;

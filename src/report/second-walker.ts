// A second thread for long funnels: it takes half of the users, out of the same memory.
//   Owns: the thread, which postings it has, and whose funnel it walks along. Does not own: the walk
//   (actors/report/posted-funnel.ts).
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

import {MessageChannel, type MessagePort, receiveMessageOnPort, Worker} from 'node:worker_threads';
import type {FunnelResult} from '../../actors/report/funnel.js';
import {NumberList} from '../../actors/report/median.js';
import type {PostedFunnel} from '../../actors/report/posted-funnel.js';
import type {Stretch} from '../../actors/report/selection.js';
import type {PostingsColumns, UserPostings} from '../../actors/report/user-postings.js';
import type {Logger} from '../observe.js';
import type {Memory} from '../web-assembly.js';
import {SharedPostingsMemory} from './funnel-kernel.js';

/** Users times steps: some 3 ms of walking. To wake the thread and to hear from it takes 0.1 to 0.2 ms. */
const longLookups = 500_000;
/** With a conversion window a user walks from some two to eight entries, and from the best one once more. */
const walksInWindow = 3;
/** J5: so often, and so long at most. A block takes some 0.3 ms. */
const pausesMax = 3;
const pauseMs = 0.15;
/** J6: a block, and the copying after the last one. */
const countedWaitMsMax = 1;

export interface SecondWalkerSettings {
  readonly kernel: object;
  /** Of lists of durations that wait to be used again, and of results likewise. */
  readonly listBytesMax: number;
}

export interface SecondWalkerData extends SecondWalkerSettings {
  /** Takes each `Walked`, before `turns` say so. */
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
}

export type ToSecondWalker = ToldSegment | ToldWalk | {readonly kind: 'forget'; readonly number: number};

export interface Walked {
  /** Of the walk. */
  readonly number: number;
  /** Of each partition; durations in memory that the next walk uses again. */
  readonly results: readonly {readonly reached: Float64Array; readonly durations: readonly Float64Array[]}[];
}

export type FromSecondWalker = {readonly kind: 'ready'};

/** `windowMs` is inclusive, infinite without a window. */
export interface AskedWalk {
  readonly stretch: Stretch;
  readonly windowMs: number;
}

/** Of the two shared numbers of a walk (J1): which block is next, and whether the second thread takes any, or has counted them. */
export const nextBlockAt = 0;
export const stateAt = 1;
export const states = {offered: 0, taken: 1, closed: 2, counted: 3} as const;
/** More blocks than there are: none is left. */
const blocksEnd = 2 ** 30;

/** A funnel that two threads walk. */
export interface JointWalk {
  readonly takeBlock: () => number;
  /** What the second one counted, once no block is left; undefined: it ended, and all must be counted anew. */
  finish(): Promise<readonly FunnelResult[] | undefined>;
  /** Nobody takes blocks any more, whether they are all counted or not, nor reads what the second one counted. */
  release(): void;
}

export class SecondWalker {
  private readonly settings: SecondWalkerSettings;
  private readonly logger: Logger;
  private readonly program: URL;
  private readonly lookupsMin: number;
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
  private answered: (walked: Walked | undefined) => void = () => {};

  constructor(
    settings: SecondWalkerSettings,
    logger: Logger,
    {
      program = new URL('./second-walker-worker.js', import.meta.url),
      lookupsMin = longLookups,
    }: SecondWalkerOptions = {},
  ) {
    this.settings = settings;
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
    const turns = new Int32Array(new SharedArrayBuffer(8));
    return this.offer({kind: 'walk', number: ++this.walks, partitions: numbered, asked, turns});
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
      this.answered = resolve;
    });
    this.isWalking = true;
    this.worker?.ref(); // Whoever waits for it keeps the process, and nobody else.
    this.say(walk);
    const close = (): boolean =>
      Atomics.compareExchange(turns, stateAt, states.offered, states.closed) === states.offered;
    const finish = async (): Promise<readonly FunnelResult[] | undefined> => {
      if (close()) return [];
      Atomics.wait(turns, stateAt, states.taken, countedWaitMsMax); // J6
      this.takeResults();
      return (await walked)?.results.map(({reached, durations}) => ({
        reached,
        durations: durations.map((numbers) => NumberList.of(numbers)),
      }));
    };
    const release = (): void => {
      close();
      Atomics.add(turns, nextBlockAt, blocksEnd);
      this.isWalking = false;
      this.worker?.unref();
      this.endIfOutdated();
    };
    return {takeBlock: blocksOf(turns), finish, release};
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
      const workerData: SecondWalkerData = {...this.settings, results: port2};
      const worker = new Worker(this.program, {workerData, transferList: [port2], name: 'funnels'});
      this.worker = worker;
      this.results = results;
      results.on('message', (walked: Walked) => this.hear(walked));
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
      this.hear(received.message as Walked);
    }
  }

  private hear(walked: Walked): void {
    if (walked.number === this.walks) this.answered(walked);
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

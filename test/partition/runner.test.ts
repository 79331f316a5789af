// When a partition publishes ticks by itself: driven by hand, without a log.
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {Conflicts} from '../../actors/dedupe/conflicts.js';
import {Deletions} from '../../actors/deletions.js';
import {Completions} from '../../actors/funnels/completions.js';
import {Links} from '../../actors/identity/links.js';
import {Moves} from '../../actors/identity/moves.js';
import {EventRetention} from '../../actors/retention.js';
import {DistinctNames} from '../../actors/table/distinct-names.js';
import {UserActors} from '../../actors/user/user-actors.js';
import {createLogger} from '../../src/observe.js';
import {noOutbox} from '../../src/partition/effects.js';
import {noJournal} from '../../src/partition/erasure/deletion-journal.js';
import {Runner, type RunnerSetup} from '../../src/partition/runner.js';
import {Replaced} from '../../src/partition/snapshot/manifest-store.js';
import {Throttle} from '../../src/partition/throttle.js';
import {Damage, DamagedState} from '../../src/parts/damage.js';

const refreshMs = 1_000;

beforeEach(() => void vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']}));
afterEach(() => void vi.useRealTimers());

/** A tick that waits until the log is said to have it. */
interface Waiting {
  readonly periodMs: number;
  readonly epoch: number;
  readonly stored: (sequence: number) => void;
}

/** A partition of which only its ticks come out of the log. */
class Driven {
  /** Its owner was not paused since it heard that it is one. */
  readonly ownership = {
    isLost: false,
    state: async () => 'owner',
    isConfirmed: true,
    isOutlived: async () => false,
    epoch: 1,
    meet: async (_epoch: number): Promise<boolean> => false,
    lose: (_successor: Replaced): void => undefined,
  };
  readonly ticks: Waiting[] = [];
  readonly refresh = {ms: refreshMs, change: undefined};
  readonly runner: Runner;
  /** Ends the snapshot that is being written. */
  snapshotTaken = (): void => undefined;
  /** Sequence of a message that the log has and cannot read. */
  unreadable = 0;
  /** Sequence of the message that comes next. */
  sequence = 1;
  private arrived = (): void => undefined;
  private isTickDue = false;
  readonly snapshots = {
    publishedSequence: 0,
    published: null as {sequence: number; asOfMs: number} | null,
    isRunning: false,
    idle: async () => undefined,
    take: () => {
      this.snapshots.isRunning = true;
      return new Promise<void>((taken) => {
        this.snapshotTaken = () => {
          this.snapshots.isRunning = false;
          taken();
        };
      });
    },
    onPublished: (_published: {sequence: number; asOfMs: number}): void => undefined,
  };

  constructor(newestSequence: () => Promise<number> = async () => 0) {
    const setup = {
      partition: {
        partition: 0,
        appliedSequence: 0,
        appliedMark: '',
        deletions: new Deletions(),
        retention: new EventRetention(),
        dedupe: {conflicts: new Conflicts()},
        moves: new Moves(1),
        openMessage: () => ({logTimeMs: 0}),
        fold: () => {
          const stop = this.isTickDue ? {kind: 'tick', epoch: 2, gaps: 0, hasExpired: false} : {kind: 'done'};
          this.isTickDue = false;
          return stop;
        },
        takeClosedChunks: () => [],
        takeEffects: () => [],
        completions: new Completions(() => true),
        users: Object.assign(new UserActors(() => {}), {
          profiles: {passivate: () => [], traitNames: new DistinctNames()},
        }),
        links: new Links(),
      },
      layout: {writing: {size: 0}, propertyNames: new DistinctNames()},
      reader: {
        newestSequence,
        read: () => this.messages(),
        holds: async () => true,
        expedite: () => undefined,
        interrupt: () => undefined,
        checkReadable: async (first: number, last: number) => {
          if (first <= this.unreadable && this.unreadable <= last) throw new DamagedState(0, 'a message of its log');
        },
      },
      writer: {
        tick: (periodMs: number, epoch: number) =>
          new Promise<number>((stored) => void this.ticks.push({periodMs, epoch, stored})),
      },
      snapshots: this.snapshots,
      ownership: this.ownership,
      journal: noJournal,
      outbox: noOutbox,
      effects: {tell: () => undefined},
      damage: new Damage(createLogger('silent', 'test')),
      sweep: {stop: async () => undefined},
      throttle: new Throttle(() => 0),
      refresh: this.refresh,
      retentionDays: 0,
      stagger: 0.5,
      tailBytesMax: 1_000_000,
      noteApplied: () => undefined,
      noteCompared: () => undefined,
      renewHandOver: () => undefined,
      log: createLogger('silent', 'test'),
      onFatal: (error: Error) => {
        throw error;
      },
    };
    this.runner = new Runner(setup as unknown as RunnerSetup);
  }

  private async *messages() {
    for (;;) {
      await new Promise<void>((arrived) => void (this.arrived = arrived));
      yield [{sequence: this.sequence, bytes: new Uint8Array()}];
    }
  }

  /** A tick comes out of the log, whether its own publish has heard of that or not. */
  async foldTick(): Promise<void> {
    this.isTickDue = true;
    this.arrived();
    await turns();
  }

  /** All ticks so far are stored, and in a snapshot. */
  async publish(): Promise<void> {
    for (const [i, {stored}] of this.ticks.entries()) stored(i + 1);
    await turns();
    this.snapshots.onPublished({sequence: this.ticks.length, asOfMs: 0});
    await turns();
  }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A partition whose first snapshot is published. */
async function live(): Promise<Driven> {
  const driven = new Driven();
  const started = driven.runner.start();
  await turns();
  await driven.publish();
  await started;
  return driven;
}

test('while NATS is away one tick waits, however many periods go by', async () => {
  const driven = await live();
  await vi.advanceTimersByTimeAsync(100 * refreshMs);
  expect(driven.ticks).toHaveLength(2);
  await driven.publish();
  await vi.advanceTimersByTimeAsync(refreshMs);
  expect(driven.ticks).toHaveLength(3);
});

test('ticks follow a refresh that becomes longer, and say so, from the next one on', async () => {
  const driven = await live();
  await vi.advanceTimersByTimeAsync(refreshMs);
  await driven.publish();
  driven.refresh.ms = 60 * refreshMs;
  await vi.advanceTimersByTimeAsync(refreshMs);
  await driven.publish();
  await vi.advanceTimersByTimeAsync(47 * refreshMs);
  expect(driven.ticks.map(({periodMs}) => periodMs)).toEqual([800, 800, 48_000]);
  await vi.advanceTimersByTimeAsync(refreshMs);
  expect(driven.ticks).toHaveLength(4);
});

test('who waits for a report has a snapshot taken, every five seconds at most, from the owner that is live', async () => {
  let laterMs = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + laterMs);
  const starting = new Driven();
  await starting.runner.force();
  expect(starting.ticks).toHaveLength(0);
  const driven = await live();
  const force = async (): Promise<number> => {
    void driven.runner.force();
    void driven.runner.force();
    await turns();
    return driven.ticks.length;
  };
  expect(await force()).toBe(2);
  await driven.publish();
  expect(await force()).toBe(2);
  laterMs += 5_000;
  expect(await force()).toBe(3);
  laterMs += 5_000;
  driven.ownership.state = async () => 'outlived';
  expect(await force()).toBe(3);
  vi.restoreAllMocks();
});

test('a tick that is folded while a snapshot is being written has another one behind it, also before its own ack', async () => {
  const driven = await live();
  await driven.foldTick();
  await vi.advanceTimersByTimeAsync(refreshMs);
  await driven.foldTick();
  expect(driven.ticks).toHaveLength(2);
  driven.snapshotTaken();
  for (let tries = 0; driven.ticks.length < 3 && tries < 1_000; tries++) await turns();
  expect(driven.ticks).toHaveLength(3);
});

test('a drain while the first snapshot of a start is being written leaves no timer behind', async () => {
  const driven = new Driven();
  const started = driven.runner.start();
  await turns();
  const drained = driven.runner.drain();
  await turns();
  expect(driven.ticks).toHaveLength(2);
  await driven.publish();
  await Promise.all([started, drained]);
  expect([driven.runner.phase, vi.getTimerCount()]).toEqual(['draining', 0]);
});

test('a drain while a start still folds has the last word in the log', async () => {
  let caughtUp = (_sequence: number): void => undefined;
  const driven = new Driven(() => new Promise((resolve) => void (caughtUp = resolve)));
  const started = driven.runner.start();
  const drained = driven.runner.drain();
  await turns();
  await driven.publish();
  await drained;
  caughtUp(0);
  await started;
  expect(driven.ticks).toHaveLength(2); // One of the start.
  expect(vi.getTimerCount()).toBe(0);
});

test('a drain has its last tick after what the mover waits for: no snapshot comes behind that one', async () => {
  const driven = await live();
  let ended = (): void => undefined;
  const idle = vi.spyOn(driven.runner.mover, 'idle');
  idle.mockImplementationOnce(() => new Promise<void>((resolve) => void (ended = resolve)));
  const ticks = driven.ticks.length;
  const drained = driven.runner.drain();
  await turns();
  expect(driven.ticks).toHaveLength(ticks);
  ended();
  await turns();
  expect(driven.ticks).toHaveLength(ticks + 1);
  await driven.publish();
  await drained;
});

test('a message that nats-server cannot read is not passed over: the partition stands still, with the alarm, and says so', async () => {
  const driven = await live();
  driven.sequence = 3; // Messages 1 and 2 did not come.
  await driven.foldTick();
  expect(driven.runner.phase).toBe('live'); // They were removed.
  driven.unreadable = 2;
  await driven.foldTick();
  expect([driven.runner.phase, driven.runner.lookForAlarms('owner')]).toEqual(['halted', ['standing_still']]);
  expect(driven.runner.view.damage.countOf(0)).toBe(1);
});

test('a successor may have truncated the log: its predecessor halts nothing', async () => {
  const driven = await live();
  driven.sequence = 3; // Messages 1 and 2 did not come.
  driven.ownership.isOutlived = async () => true;
  await driven.foldTick();
  expect([driven.runner.phase, driven.snapshots.isRunning]).toEqual(['live', false]); // Nothing was folded past them.
  driven.unreadable = 2;
  await driven.foldTick();
  expect([driven.runner.phase, driven.snapshots.isRunning]).toEqual(['live', false]);
});

test('a start appends a tick of its epoch before it reads the log, and is live once that one is published', async () => {
  const driven = new Driven();
  const started = driven.runner.start();
  expect(driven.ticks.map(({epoch}) => epoch)).toEqual([1]);
  await turns();
  expect(driven.runner.phase).toBe('recovering');
  await driven.publish();
  await started;
  expect([driven.runner.phase, driven.ticks.length]).toEqual(['live', 1]);
});

test('a tick of a successor ends the runner: it takes no snapshot, and nothing counts as folded', async () => {
  const driven = await live();
  const lost: Replaced[] = [];
  const successor = new Replaced(0, 2);
  driven.ownership.lose = (replaced) => {
    lost.push(replaced);
    driven.runner.abandon(); // As the thread does (hand.ts).
  };
  driven.ownership.meet = async () => {
    throw successor;
  };
  const read = driven.runner.whenApplied(9, 60_000);
  await driven.foldTick();
  expect([await read, lost, driven.snapshots.isRunning, driven.runner.hasEnded]).toEqual([
    false,
    [successor],
    false,
    true,
  ]);
});

test('a partition that another owner takes while it is released ends, and waits for nothing', async () => {
  const driven = await live();
  const released = driven.runner.release();
  await turns();
  driven.runner.abandon();
  for (const {stored} of driven.ticks) stored(1);
  await released;
  expect([driven.runner.hasEnded, driven.ticks.length]).toEqual([true, 2]);
});

test('an owner that goes on in another epoch appends a tick of it: those of before are filler', async () => {
  const driven = await live();
  driven.ownership.meet = async (epoch) => {
    driven.ownership.epoch = epoch + 1;
    return true;
  };
  await driven.foldTick();
  expect(driven.ticks.map(({epoch}) => epoch)).toEqual([1, 3]);
});

test('an owner that was paused since it heard that it is one calls nothing late', async () => {
  const driven = await live();
  driven.snapshots.published = {sequence: 1, asOfMs: 0};
  driven.ownership.isConfirmed = false;
  expect(driven.runner.lookForAlarms('owner')).toEqual([]);
  expect(driven.runner.lookForAlarms('unknown')).toContain('report_lag');
  driven.ownership.isConfirmed = true;
  expect(driven.runner.lookForAlarms('owner')).toContain('report_lag');
});

test('while history is played, after a start or in an import, the alarm of late reports waits a minute', async () => {
  let laterMs = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + laterMs);
  const starting = new Driven(() => new Promise(() => undefined)); // Its log is not folded yet.
  void starting.runner.start();
  starting.snapshots.published = {sequence: 1, asOfMs: 0}; // It was stopped for long.
  expect(starting.runner.lookForAlarms('owner')).toEqual([]);
  laterMs = 50_000;
  expect(starting.runner.lookForAlarms('owner')).toEqual([]);
  laterMs = refreshMs + 61_000;
  expect(starting.runner.lookForAlarms('owner')).toEqual(['report_lag']);
  const driven = await live();
  const publishedBefore = (ageMs: number) => {
    driven.snapshots.published = {sequence: 1, asOfMs: Date.now() - ageMs};
  };
  publishedBefore(refreshMs + 50_000);
  expect(driven.runner.lookForAlarms('owner')).toEqual([]);
  publishedBefore(refreshMs + 61_000);
  expect(driven.runner.lookForAlarms('owner')).toEqual(['report_lag']);
  vi.restoreAllMocks();
});

// Users who leave a partition for itself: the real mover over parts in memory, with the clock in the test's hands.
import {performance} from 'node:perf_hooks';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {chunkRowsMax, leaverRowsMax} from '../../../actors/limits.js';
import {
  type Arrival,
  writeArrive,
  writeErase,
  writeEvent,
  writeLeave,
  writeLink,
  writeTick,
} from '../../../actors/log/entries.js';
import type {MoveCounts} from '../../../actors/manifest.js';
import {Mover, type MoverSetup} from '../../../src/partition/identity/mover.js';
import {Throttle} from '../../../src/partition/throttle.js';
import {DamagedState} from '../../../src/parts/damage.js';
import {MemoryShell} from '../../support/memory-shell.js';

const day = Date.UTC(2026, 4, 1);

class World {
  readonly shell: MemoryShell;
  private published: MoveCounts;
  /** Of the newest snapshots of the other partitions. */
  elsewhere: MoveCounts;
  /** A partition whose manifest cannot be read. */
  unreadable: number | undefined;
  readonly mover: Mover;
  private readonly setup: MoverSetup;
  /** Called behind each piece of a move but the last. */
  betweenPieces: () => Promise<void> = async () => {};

  constructor(partitions = 1) {
    const shell = new MemoryShell(undefined, {partition: 0, partitions});
    this.shell = shell;
    this.published = shell.partition.moves.counts;
    this.elsewhere = this.published;
    const view = shell.readable(1024 * 1024);
    const world = this;
    const setup = {
      ...view,
      refresh: {ms: 1_000},
      throttle: new Throttle(() => 0),
      erasure: shell.erasureFor(view.cache),
      writer: {
        leave: async (leavers: Parameters<typeof writeLeave>[1]) => shell.append((w) => writeLeave(w, leavers)),
        arrive: async (arrival: Arrival) => shell.append((w) => writeArrive(w, arrival)),
      },
      snapshots: {
        isRunning: false,
        idle: async () => {},
        get movesPublished() {
          return world.published.left;
        },
      },
      damage: {note: () => false},
      destination: (to: number) => ({
        writer: {
          arrive: async (arrival: Arrival, events: Uint8Array, count: number) => {
            await shell.append(
              (w) => {
                writeArrive(w, arrival);
                w.raw(events);
              },
              undefined,
              1 + count,
            );
            if (arrival.piece + 1 < arrival.pieces) await world.betweenPieces();
          },
        },
        manifests: {
          read: async () => {
            if (to === world.unreadable) throw new DamagedState(to, 'its newest manifest');
            return {
              revision: 1,
              manifest: {moves: to === shell.partition.partition ? world.published : world.elsewhere},
            };
          },
        },
      }),
      publish: async () => {
        await world.tick();
        return true;
      },
      isLive: () => true,
      onFatal: (error: Error) => {
        throw error;
      },
    };
    this.setup = setup as unknown as MoverSetup;
    this.mover = new Mover(this.setup);
    shell.isSent = (user) => this.mover.isSent(user);
  }

  /** The mover of the owner that follows. */
  successor(): Mover {
    return new Mover(this.setup);
  }

  async tick(): Promise<void> {
    await this.shell.append((writer) => writeTick(writer, day, 1_000, 1));
    this.published = this.shell.partition.moves.counts;
  }

  /** Long enough for all that is to be done without a snapshot of the destination. */
  async beats(): Promise<void> {
    for (let i = 0; i < 6; i++) {
      this.mover.wake();
      await vi.advanceTimersByTimeAsync(1_000);
      await this.mover.idle();
    }
  }

  events(
    count: number,
    who: (i: number) => {userId?: string; anonymousId?: string},
    event = 'visit',
    more: object = {},
  ): Promise<void> {
    return this.shell.append(
      (writer) => {
        for (let i = 0; i < count; i++)
          writeEvent(writer, {event, ...who(i), timeMs: day + i, receivedMs: day, properties: {i, ...more}});
      },
      undefined,
      count,
    );
  }

  link(device: string, user: string): Promise<void> {
    return this.shell.append((writer) => writeLink(writer, device, user, day));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now());
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const anonymous = (id: string) => () => ({anonymousId: id});
const user = (id: string) => () => ({userId: id});

test('a linked user leaves, arrives and is settled; its chunk is written anew without it once it is closed', async () => {
  const world = new World();
  const {partition} = world.shell;
  await world.events(5_000, anonymous('d'));
  await world.link('d', 'ann');
  for (let i = 0; i < 3; i++) await world.events(5_000, user(`other${i}`));
  expect([...partition.moves.candidates]).toHaveLength(1);
  await world.beats();
  expect(partition.events.tally).toMatchObject({counted: 20_000, arrived: 5_000});
  expect(partition.moves.pending).toHaveLength(1);
  await world.tick();
  await world.beats();
  expect(partition.moves.pending).toHaveLength(0);
  const {layout} = world.shell.readable(0);
  // 5,000 of the 16,384 rows of the first chunk.
  expect(layout.chunks.get(0)).toMatchObject({count: chunkRowsMax, live: chunkRowsMax - 5_000, leftOut: 0});
});

test("a user with too many events stays, and its device is nobody's from then on", async () => {
  const world = new World();
  const {partition} = world.shell;
  for (let i = 0; i < 2; i++) await world.events(Math.ceil((leaverRowsMax + 1) / 2), anonymous('undefined'));
  await world.link('undefined', 'ann');
  await world.beats();
  expect(partition.identity.tally).toEqual({joined: 1, shared: 0, tooLarge: 1});
  expect([partition.moves.pending.length, partition.events.tally.arrived]).toEqual([0, 0]);
  await world.events(1, anonymous('undefined'));
  expect(partition.moves.candidates.size).toBe(0);
  expect(partition.users.table.count).toBe(1);
});

test('a user with too many events keeps its key, though a second user named its device before that was known', async () => {
  const keysOf = ({table}: World['shell']['partition']['users']) =>
    Array.from({length: table.count}, (_, index) => (table.has(index) ? table.text(index) : null));
  const large = async (): Promise<World> => {
    const world = new World();
    for (let i = 0; i < 2; i++) await world.events(Math.ceil((leaverRowsMax + 1) / 2), anonymous('undefined'));
    for (const name of ['ann', 'bob']) await world.link('undefined', name);
    return world;
  };
  const world = await large();
  await world.beats();
  expect(keysOf(world.shell.partition.users)).toEqual(['aundefined']);
  await world.events(1, anonymous('undefined'));
  expect(world.shell.partition.users.table.count).toBe(1);
  // Of another one who came under the key meanwhile it stays apart. The first user's deletion takes neither, the id's own both.
  const apart = await large();
  const {partition} = apart.shell;
  await apart.events(1, anonymous('undefined'));
  await apart.beats();
  expect(keysOf(partition.users)).toEqual(['mundefined', 'aundefined']);
  await apart.shell.append((writer) => writeErase(writer, 'u', 'ann', 'del1', day));
  expect([partition.users.table.live, partition.deletions.get('del1')?.eventsDeleted]).toEqual([2, 0]);
  await apart.shell.append((writer) => writeErase(writer, 'a', 'undefined', 'del2', day));
  expect([partition.users.table.live, partition.deletions.get('del2')?.eventsDeleted]).toEqual([0, leaverRowsMax + 3]);
});

test('what comes late with the device alone follows; what comes after a second owner is an anonymous user of its own', async () => {
  const world = new World();
  const {partition} = world.shell;
  await world.link('d', 'ann');
  await world.events(1, anonymous('d'));
  await world.beats();
  await world.events(1, anonymous('d'));
  await world.link('d', 'bob');
  await world.events(1, anonymous('d'));
  await world.beats();
  expect(partition.events.tally.arrived).toBe(2);
  await world.tick();
  await world.beats();
  const keys = Array.from({length: partition.users.table.count}, (_, i) => partition.users.table.text(i));
  expect(keys).toEqual(['md', 'uann', 'md', 'ad']);
  expect([0, 1, 2, 3].map((each) => partition.moves.leftOut.has(each))).toEqual([true, false, true, false]);
});

test('events are appended once a snapshot with their move is published', async () => {
  const world = new World();
  const {shell} = world;
  await world.events(2, anonymous('d'));
  await world.link('d', 'ann');
  await shell.append((writer) => writeLeave(writer, [{user: 0, isTooLarge: false}]));
  await shell.append((writer) => writeTick(writer, day, 1_000, 1)); // Its manifest is not written yet.
  await world.beats();
  expect(shell.partition.moves.pending[0]?.contents).not.toBeNull();
  expect(shell.partition.events.tally.arrived).toBe(0);
  await world.tick();
  await world.beats();
  expect(shell.partition.events.tally.arrived).toBe(2);
});

test('before an erasure, what a predecessor may have sent is sent; what no snapshot has published is not', async () => {
  const world = new World();
  const {shell, mover} = world;
  const {partition} = shell;
  const leave = async (device: string, user: number) => {
    await world.events(2, anonymous(device));
    await world.link(device, 'ann');
    await shell.append((writer) => writeLeave(writer, [{user, isTooLarge: false}]));
  };
  await leave('d', 0);
  await world.tick();
  await leave('e', 1);
  await mover.sendBeforeErasure([7]);
  expect([partition.events.tally.arrived, mover.isSent(0)]).toEqual([0, false]);
  await mover.sendBeforeErasure([0, 1]);
  expect([partition.events.tally.arrived, mover.isSent(0), mover.isSent(1)]).toEqual([2, true, false]);
  await shell.append((writer) => writeErase(writer, 'u', 'ann', 'del', day));
  expect(partition.deletions.get('del')?.eventsDeleted).toBe(4);
});

test('a start leaves out the rows that a predecessor sent and that their destination has published', async () => {
  const world = new World();
  const {shell, mover} = world;
  await world.events(2, anonymous('d'));
  await world.link('d', 'ann');
  await shell.append((writer) => writeLeave(writer, [{user: 0, isTooLarge: false}]));
  await world.tick();
  const before = world.successor();
  await before.noteReceived();
  expect(before.hasLeft(0)).toBe(false); // Nothing is sent yet.
  await mover.sendBeforeErasure([0]);
  await world.tick();
  const after = world.successor();
  expect([mover.hasLeft(0), after.hasLeft(0)]).toEqual([true, false]);
  await after.noteReceived();
  expect(after.hasLeft(0)).toBe(true);
});

test('a deletion counts the events of a move of which another deletion made the destination forget a piece', async () => {
  const world = new World();
  const {shell, mover} = world;
  const {partition} = shell;
  await world.events(1, user('bob'));
  await world.events(600, anonymous('d'), 'visit', {text: 'x'.repeat(2_000)}); // More than a message of a log holds.
  await world.link('d', 'ann');
  await shell.append((writer) => writeLeave(writer, [{user: 1, isTooLarge: false}]));
  await world.tick();
  world.betweenPieces = async () => {
    world.betweenPieces = async () => {};
    await shell.append((writer) => writeErase(writer, 'u', 'bob', 'del bob', day));
  };
  await world.beats();
  expect([partition.events.tally.arrived, mover.isSent(1)]).toEqual([0, true]);
  await mover.sendBeforeErasure([1]);
  await shell.append((writer) => writeErase(writer, 'u', 'ann', 'del', day));
  expect(partition.deletions.get('del')?.eventsDeleted).toBe(600);
});

test('a deletion of the owner takes what is left of its devices along, at any step', async () => {
  for (const beats of [0, 1, 2]) {
    const world = new World();
    const {partition} = world.shell;
    await world.events(3, anonymous('d'));
    await world.link('d', 'ann');
    await world.events(2, user('ann'), 'buy');
    for (let i = 0; i < beats; i++) {
      await world.beats();
      await world.tick();
    }
    await world.shell.append((writer) => writeErase(writer, 'u', 'ann', 'del', day));
    await world.tick();
    expect(partition.deletions.get('del')?.eventsDeleted).toBe(5);
    expect(partition.users.table.live).toBe(0);
    expect([
      partition.links.count,
      partition.links.owners.live,
      partition.moves.pending.flatMap(({users}) => users).length,
    ]).toEqual([0, 0, 0]);
    expect(partition.aggregator.names.live).toBe(0);
  }
});

test('a move that another partition has settled, and that went with the tail of the log, is given up', async () => {
  const world = new World(3);
  const {moves} = world.shell.partition;
  world.elsewhere = {left: [9, 0, 0], settled: [7, 0, 0], received: [0, 0, 0]};
  world.unreadable = 1;
  await world.mover.giveUpLost();
  expect(moves.counts.received).toEqual([0, 0, 7]);
  world.unreadable = undefined;
  await world.mover.giveUpLost();
  expect([moves.counts.received, world.shell.partition.events.tally.arrived]).toEqual([[0, 7, 7], 0]);
  world.elsewhere = {...world.elsewhere, settled: [6, 0, 0]};
  await world.mover.giveUpLost();
  expect(moves.counts.received).toEqual([0, 7, 7]);
});

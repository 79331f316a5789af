import {expect, test} from 'vitest';
import {Crowded, DealtSlots, type Slot} from '../../src/pacing/dealt-slots.js';
import {neverStops, newStop, Stopped} from '../../src/pacing/stop.js';

/** Lets everything run that waits for nothing but promises. */
const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

class World {
  readonly slots = new DealtSlots({slots: 3, ofCallerMax: 2, waitingMax: 4, ownSlots: ['alerts']});
  /** Work that runs, in the order in which it began. */
  readonly running: string[] = [];
  private readonly ends = new Map<string, () => void>();

  /** Names of work begin with their caller. */
  begin(work: string, stop = neverStops): Promise<void> {
    const place = this.slots.place(work.split(' ')[0]!);
    return this.slots.run(place, stop, () => this.work(work));
  }

  work(name: string): Promise<void> {
    this.running.push(name);
    return new Promise((resolve) => this.ends.set(name, resolve));
  }

  async end(name: string): Promise<void> {
    this.ends.get(name)!();
    this.running.splice(this.running.indexOf(name), 1);
    await settled();
  }
}

test('one caller never has all slots; free ones go to the callers in turn', async () => {
  const world = new World();
  for (const work of ['a 1', 'a 2', 'a 3', 'a 4', 'a 5']) void world.begin(work);
  await settled();
  expect(world.running).toEqual(['a 1', 'a 2']);
  for (const work of ['b 1', 'b 2', 'c 1']) void world.begin(work);
  await settled();
  expect(world.running).toEqual(['a 1', 'a 2', 'b 1']);
  await world.end('a 1');
  expect(world.running).toEqual(['a 2', 'b 1', 'c 1']);
  await world.end('c 1');
  expect(world.running).toEqual(['a 2', 'b 1', 'a 3']);
  await world.end('a 2');
  expect(world.running).toEqual(['b 1', 'a 3', 'b 2']);
  for (const work of ['b 1', 'a 3', 'b 2', 'a 4', 'a 5']) await world.end(work);
  expect([world.slots.running, world.slots.waiting]).toEqual([0, 0]);
});

test('a caller with too much waiting work is refused, and no other one is', async () => {
  const world = new World();
  for (let i = 0; i < 6; i++) void world.begin(`a ${i}`);
  await settled();
  expect(world.slots.waiting).toBe(4);
  expect(() => world.slots.place('a')).toThrow(Crowded);
  void world.begin('b 1');
  await settled();
  expect(world.running).toEqual(['a 0', 'a 1', 'b 1']);
});

test('a caller with a slot of its own waits for nobody else', async () => {
  const world = new World();
  for (const work of ['a 1', 'a 2', 'b 1', 'alerts 1', 'alerts 2']) void world.begin(work);
  await settled();
  expect(world.running).toEqual(['a 1', 'a 2', 'b 1', 'alerts 1']);
  await world.end('alerts 1');
  expect(world.running).toEqual(['a 1', 'a 2', 'b 1', 'alerts 2']);
});

test('who is gone leaves the line at once, and takes no turn', async () => {
  const world = new World();
  const stop = newStop();
  for (const work of ['a 1', 'a 2']) void world.begin(work);
  const left = world.begin('a 3', stop.signal);
  void world.begin('a 4');
  stop.abort();
  await expect(left).rejects.toBeInstanceOf(Stopped);
  expect(world.slots.waiting).toBe(1);
  await world.end('a 1');
  expect(world.running).toEqual(['a 2', 'a 4']);
  await expect(world.begin('a 5', stop.signal)).rejects.toBeInstanceOf(Stopped);
});

test('work for several callers runs at the first turn of any of them, once', async () => {
  const world = new World();
  for (const work of ['a 1', 'a 2', 'a 3']) void world.begin(work);
  const place = world.slots.place('a');
  const shared = world.slots.run(place, neverStops, () => world.work('shared'));
  await settled();
  expect(world.running).toEqual(['a 1', 'a 2']);
  world.slots.share(place, 'b');
  world.slots.share(place, 'b');
  await settled();
  expect(world.running).toEqual(['a 1', 'a 2', 'shared']);
  expect(world.slots.waiting).toBe(1);
  await world.end('shared');
  await shared;
  for (const work of ['a 1', 'a 2', 'a 3']) await world.end(work);
  expect(world.slots.running).toBe(0);
});

test('what runs has slices in turn by caller, one in each turn of the event loop', async () => {
  const slots = new DealtSlots({slots: 3, ofCallerMax: 2, waitingMax: 4, ownSlots: []});
  const dealt: string[] = [];
  let turn = 0;
  const turns: number[] = [];
  const work = async (name: string, slot: Slot): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await slot.nextSlice();
      dealt.push(name);
      turns.push(turn);
    }
  };
  const count = setInterval(() => undefined, 1);
  const tick = (): void => {
    turn += 1;
    if (dealt.length < 9) setImmediate(tick);
  };
  setImmediate(tick);
  await Promise.all(
    ['a', 'a', 'b'].map((caller) => slots.run(slots.place(caller), neverStops, (slot) => work(caller, slot))),
  );
  clearInterval(count);
  expect(dealt.slice(0, 6).filter((name) => name === 'b')).toHaveLength(3);
  expect(new Set(turns).size).toBe(turns.length);
});

test('it is idle when nothing runs; who waits for that goes on after a while all the same', async () => {
  const world = new World();
  expect(await world.slots.idle(60_000)).toBe(true);
  void world.begin('alerts 1');
  expect(await world.slots.idle(1)).toBe(false);
  const idle = world.slots.idle(60_000);
  await world.end('alerts 1');
  expect(await idle).toBe(true);
});

test('callers who come again and again pass nobody who waits', async () => {
  const world = new World();
  for (const work of ['a 1', 'a 2', 'a 3', 'a 4', 'b 0', 'c 0', 'd 0']) void world.begin(work);
  await settled();
  await world.end('a 1');
  await world.end('a 2'); // Whose turns are longest ago.
  expect(world.running).toEqual(['b 0', 'c 0', 'd 0']);
  const ended: string[] = [];
  for (let turn = 1; !world.running.includes('a 3'); turn++) {
    expect(turn).toBeLessThan(10);
    const [work] = world.running;
    ended.push(work!);
    await world.end(work!);
    void world.begin(`${work!.split(' ')[0]} ${turn}`);
    await settled();
  }
  expect(ended.length).toBeLessThan(4);
});

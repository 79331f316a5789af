import {describe, expect, test} from 'vitest';
import {dayMs} from '../../actors/limits.js';
import {LogicalTime} from '../../actors/log/logical-time.js';
import {catchUpDays, EventRetention} from '../../actors/retention.js';

const periodMs = 240_000;
/** Any day. */
const start = 20_000;

/** A partition's clock and retention. */
class World {
  readonly time = new LogicalTime();
  readonly retention = new EventRetention();

  /** `keptDays`: the setting; `oldestDay`: of the stored events. */
  constructor(keptDays: number, oldestDay: number, today = start) {
    this.tick(today * dayMs);
    this.retention.apply({days: keptDays, fromDay: Math.min(oldestDay, today - keptDays)}, this.time.logicalMs);
  }

  tick(timeMs: number): boolean {
    this.time.apply({timeMs, periodMs, epoch: 1});
    return this.retention.applyTick(timeMs, this.time.logicalMs);
  }

  /** Ticks of a whole day; returns how often events expired. */
  passDay(day: number): number {
    let raised = 0;
    for (let ms = periodMs; ms <= dayMs; ms += periodMs) if (this.tick(day * dayMs + ms)) raised += 1;
    return raised;
  }
}

describe('the day from which on events are kept', () => {
  test('follows the days, each of which expires once', () => {
    const world = new World(7, start - 7);
    for (let day = start; day < start + 20; day++) {
      expect(world.passDay(day)).toBe(1);
      expect(world.retention.fromDay).toBe(day + 1 - 7);
    }
  });

  test('is raised by the first tick after midnight', () => {
    const world = new World(7, start - 7);
    world.passDay(start);
    const before = world.retention.fromDay;
    for (let ms = periodMs; ms < dayMs; ms += periodMs) world.tick((start + 1) * dayMs + ms);
    expect(world.retention.fromDay).toBe(before);
    expect(world.tick((start + 2) * dayMs)).toBe(true);
    expect(world.retention.fromDay).toBe(before + 1);
  });

  test('400 days forward at once expire one day', () => {
    const world = new World(7, start - 7);
    world.passDay(start);
    const before = world.retention.fromDay;
    let raised = 0;
    for (let ms = 0; ms < dayMs; ms += periodMs) if (world.tick((start + 400) * dayMs + ms)) raised += 1;
    expect([raised, world.retention.fromDay]).toEqual([1, before + 1]);
    // The clock is right again, and the day goes on where it should be.
    for (let day = start + 1; day < start + 9; day++) world.passDay(day);
    expect(world.retention.fromDay).toBe(start + 9 - 7);
  });

  test('reaches a new setting by a month a day', () => {
    const world = new World(10, start - 100);
    expect([world.retention.fromDay, world.tick(start * dayMs + periodMs)]).toEqual([start - 100, true]);
    expect(world.retention.fromDay).toBe(start - 100 + catchUpDays);
    world.passDay(start);
    world.passDay(start + 1);
    expect(world.retention.fromDay).toBeLessThan(start + 2 - 10);
    for (let day = start + 2; day < start + 9; day++) {
      world.passDay(day);
      expect(world.retention.fromDay).toBe(day + 1 - 10);
    }
  });

  test('400 days forward while a new setting is reached expire a month', () => {
    const world = new World(10, start - 300);
    world.tick((start + 400) * dayMs);
    expect(world.retention.fromDay).toBe(start - 300 + catchUpDays);
  });

  test('a setting expires nothing by itself, and none keeps everything', () => {
    const world = new World(10, start - 5);
    expect([world.retention.fromDay, world.tick(start * dayMs + periodMs)]).toEqual([start - 10, false]);
    world.retention.apply({days: 0, fromDay: 0}, world.time.logicalMs);
    expect([world.passDay(start), world.retention.fromDay, world.retention.fromMs]).toEqual([0, 0, 0]);
  });

  test('goes on after a restart', () => {
    const world = new World(10, start - 100);
    world.tick(start * dayMs + periodMs);
    const [part] = world.retention.freeze();
    const restored = new EventRetention();
    restored.restore('retention', 0, part!.payload!);
    expect(restored).toEqual(world.retention);
  });
});

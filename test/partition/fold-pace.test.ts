// When folding rests: a millisecond after the last rest, and not while it is behind. And when the event loop has a turn.
import {expect, test} from 'vitest';
import {type FoldClock, FoldPace} from '../../src/partition/fold-pace.js';

class Clock implements FoldClock {
  atMs = 1_000;
  rests = 0;
  turns = 0;
  wallAheadMs = 5_000_000;

  nowMs(): number {
    return this.atMs;
  }

  wallMs(): number {
    return this.atMs + this.wallAheadMs;
  }

  rest(): void {
    this.atMs += 0.1;
    this.rests += 1;
  }

  async nextTurn(): Promise<void> {
    this.turns += 1;
  }

  /** Messages that take `ms` each, written `ageMs` ago. */
  fold(pace: FoldPace, count: number, ms: number, ageMs = 0): void {
    for (let i = 0; i < count; i++) {
      this.atMs += ms;
      void pace.turn(this.wallMs() - ageMs);
    }
  }
}

test('it rests after each millisecond of work', () => {
  const clock = new Clock();
  const pace = new FoldPace(clock);
  void pace.turn(clock.wallMs());
  clock.rests = 0;
  clock.fold(pace, 16, 0.25);
  expect(clock.rests).toBe(4);
  clock.fold(pace, 3, 5);
  expect(clock.rests).toBe(7);
});

test('what is behind is folded without rests', () => {
  const clock = new Clock();
  const pace = new FoldPace(clock);
  void pace.turn(clock.wallMs());
  clock.rests = 0;
  clock.fold(pace, 20, 1, 101);
  expect(clock.rests).toBe(0);
  clock.fold(pace, 1, 1, 99);
  expect(clock.rests).toBe(1);
});

test('the event loop has a turn every four milliseconds of folding, behind or not', async () => {
  for (const ageMs of [0, 1_000]) {
    const clock = new Clock();
    const pace = new FoldPace(clock);
    await pace.turn(clock.wallMs());
    clock.turns = 0;
    for (let i = 0; i < 100; i++) {
      clock.atMs += 0.5;
      await pace.turn(clock.wallMs() - ageMs);
    }
    expect(clock.turns).toBeGreaterThanOrEqual(12);
    expect(clock.turns).toBeLessThanOrEqual(14);
  }
});

test('the clock of a thread: a rest is a short sleep', () => {
  const pace = new FoldPace();
  const startMs = performance.now();
  let turns = 0;
  while (performance.now() - startMs < 50) {
    void pace.turn(Date.now());
    turns += 1;
  }
  // A sleep of 60 us for each of these milliseconds leaves time for hundreds of turns.
  expect(turns).toBeGreaterThan(50);
});

// When folding naps: a millisecond after the last nap, and not while it is behind. And when the event loop has a turn.
import {expect, test} from 'vitest';
import {type FoldClock, FoldPace} from '../../src/partition/fold-pace.js';

class Clock implements FoldClock {
  atMs = 1_000;
  naps = 0;
  turns = 0;
  wallAheadMs = 5_000_000;

  nowMs(): number {
    return this.atMs;
  }

  wallMs(): number {
    return this.atMs + this.wallAheadMs;
  }

  nap(): void {
    this.atMs += 0.1;
    this.naps += 1;
  }

  async nextTurn(): Promise<void> {
    this.turns += 1;
  }

  /** Messages that take `ms` each, written `ageMs` ago. */
  fold(pace: FoldPace, count: number, ms: number, ageMs = 0): void {
    for (let i = 0; i < count; i++) {
      this.atMs += ms;
      void pace.pauseIfDue(this.wallMs() - ageMs);
    }
  }
}

test('it naps after each millisecond of work', () => {
  const clock = new Clock();
  const pace = new FoldPace(clock);
  void pace.pauseIfDue(clock.wallMs());
  clock.naps = 0;
  clock.fold(pace, 16, 0.25);
  expect(clock.naps).toBe(4);
  clock.fold(pace, 3, 5);
  expect(clock.naps).toBe(7);
});

test('what is behind is folded without naps', () => {
  const clock = new Clock();
  const pace = new FoldPace(clock);
  void pace.pauseIfDue(clock.wallMs());
  clock.naps = 0;
  clock.fold(pace, 20, 1, 101);
  expect(clock.naps).toBe(0);
  clock.fold(pace, 1, 1, 99);
  expect(clock.naps).toBe(1);
});

test('the event loop has a turn every four milliseconds of folding, behind or not', async () => {
  for (const ageMs of [0, 1_000]) {
    const clock = new Clock();
    const pace = new FoldPace(clock);
    await pace.pauseIfDue(clock.wallMs());
    clock.turns = 0;
    for (let i = 0; i < 100; i++) {
      clock.atMs += 0.5;
      await pace.pauseIfDue(clock.wallMs() - ageMs);
    }
    expect(clock.turns).toBeGreaterThanOrEqual(12);
    expect(clock.turns).toBeLessThanOrEqual(14);
  }
});

test('the clock of a thread: a nap is a short sleep', () => {
  const pace = new FoldPace();
  const startMs = performance.now();
  let turns = 0;
  while (performance.now() - startMs < 50) {
    void pace.pauseIfDue(Date.now());
    turns += 1;
  }
  // A sleep of 60 us for each of these milliseconds leaves time for hundreds of turns.
  expect(turns).toBeGreaterThan(50);
});

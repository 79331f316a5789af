// An edge's watch of the cluster raises the level of the deployment, by the clock and what members say.
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {agreedMs} from '../../actors/cluster/level.js';
import {type MemberCard, memberName, memberText} from '../../actors/cluster/records.js';
import {ClusterWatch} from '../../src/cluster/cluster-watch.js';
import type {KeyListener} from '../../src/keys/key-bucket.js';
import {createLogger} from '../../src/observe.js';

const clock = vi.hoisted(() => ({ms: 0}));
vi.mock('../../src/clock.js', async (original) => ({...(await original<object>()), monotonicMs: () => clock.ms}));

/** Lets time pass, which the watch looks at once a second. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    clock.ms += 1_000;
    await vi.advanceTimersByTimeAsync(1_000);
  }
}

let listener: KeyListener;
let watch: ClusterWatch;
let revision = 0;
/** The stored level, and who was asked to raise it. */
let stored = 1;
let raised: number[] = [];

beforeEach(() => {
  vi.useFakeTimers({toFake: ['setInterval', 'clearInterval']});
  [stored, raised] = [1, []];
  const bucket = {
    watch: async (told: KeyListener) => {
      listener = told;
      told.all([]);
    },
    stop: () => undefined,
  };
  const level = {
    read: async () => stored,
    raise: async (from: number) => {
      raised.push(from);
      if (from !== stored) return false;
      stored += 1;
      return true;
    },
  };
  watch = new ClusterWatch(bucket, 1, 1, level, createLogger('silent', 'test'));
});

afterEach(() => {
  watch.stop();
  vi.useRealTimers();
});

function join(id: string, levels: MemberCard['levels']): void {
  const card = {name: id, sinceMs: 0, isBack: false, role: 'edge', levels} as const;
  revision += 1;
  listener.changed({name: memberName(id), revision, text: memberText('up', 0, card)});
}

test('once all members have had the next level for ten minutes, and not again', async () => {
  join('a', [1, 2]);
  join('b', [1, 1]);
  await pass(2 * agreedMs);
  expect(raised).toEqual([]);
  join('b', [1, 2]);
  await pass(agreedMs - 1_000);
  expect(raised).toEqual([]);
  await pass(2_000);
  expect([raised, stored]).toEqual([[1], 2]);
  await pass(3 * agreedMs);
  expect(raised).toEqual([1]); // Nobody has the level after it.
});

test('where another edge was faster, its level counts', async () => {
  join('a', [1, 3]);
  stored = 2;
  await pass(agreedMs + 2_000);
  expect([raised, stored]).toEqual([[1], 2]);
  await pass(agreedMs + 2_000);
  expect([raised, stored]).toEqual([[1, 2], 3]);
});

test('nobody is silent for the time in which this process did not run', async () => {
  await pass(10_000);
  clock.ms += 60_000; // Paused: no timer ran, and nothing was heard.
  expect(watch.unowned).toEqual([]);
  await pass(3_000);
  expect(watch.unowned).toEqual([]);
  await pass(2_000);
  expect(watch.unowned).toEqual([0]);
});

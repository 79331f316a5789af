// Partitions of a thread that come and go while it works on others.
import type {NatsConnection} from 'nats';
import {expect, test} from 'vitest';
import {InvariantError} from '../../actors/invariant.js';
import {createLogger} from '../../src/observe.js';
import {Hand, type Reads, type Started} from '../../src/partition/hand.js';
import {Unrecoverable} from '../../src/partition/retry.js';
import type {Runner} from '../../src/partition/runner.js';
import {Replaced} from '../../src/partition/snapshot/manifest-store.js';
import {Damage} from '../../src/parts/damage.js';
import type {ThreadVitals} from '../../src/thread-vitals.js';

/** A thread, and what it said. */
function handOf(start: (partition: number, onFatal: (error: Error) => void) => Promise<Started>) {
  const log = createLogger('silent', 'test');
  const said: string[] = [];
  const ended: Error[] = [];
  const hand = new Hand({
    nc: {subscribe: () => ({drain: async () => undefined})} as unknown as NatsConnection,
    start,
    vitals: {} as ThreadVitals,
    damage: new Damage(log),
    log,
    tell: (message) => said.push('partition' in message ? `${message.kind} ${message.partition}` : message.kind),
    fail: (error) => ended.push(error),
  });
  return {hand, said, ended};
}

function runnerOf() {
  const done: string[] = [];
  const runner = {
    start: async () => void done.push('start'),
    release: async () => void done.push('release'),
    abandon: () => void done.push('abandon'),
  };
  return {started: {runner: runner as unknown as Runner, reads: {} as Reads}, done};
}

test('a partition that cannot start because NATS does not answer is lost, and owned again; the thread goes on', async () => {
  const {started, done} = runnerOf();
  let tries = 0;
  const {hand, said, ended} = handOf(async () => {
    tries += 1;
    if (tries === 1) throw new Error('timeout');
    return started;
  });
  await hand.own(3);
  expect([said, hand.partitions]).toEqual([['lost 3'], []]);
  await hand.own(3);
  expect([said, hand.partitions, done, ended]).toEqual([['lost 3', 'owned 3'], [3], ['start'], []]);
});

test('a start that meets a bug ends the thread; one that was replaced does not', async () => {
  const bug = new InvariantError('a bug');
  await expect(handOf(() => Promise.reject(bug)).hand.own(1)).rejects.toBe(bug);
  const {hand, said} = handOf(() => Promise.reject(new Replaced(1, 2)));
  await hand.own(1);
  expect(said).toEqual(['lost 1']);
});

test('a start that fails once its partition is gone, or because of a successor, ends nothing', async () => {
  const {started} = runnerOf();
  let fail = (_error: Error): void => undefined;
  Object.assign(started.runner, {start: () => new Promise<void>((_, reject) => void (fail = reject))});
  const {hand, said, ended} = handOf(async () => started);
  const abandoned = hand.own(5);
  await new Promise((resolve) => setImmediate(resolve));
  hand.abandon(5);
  fail(new Unrecoverable('what was under way failed'));
  await abandoned;
  const replaced = hand.own(5);
  await new Promise((resolve) => setImmediate(resolve));
  fail(new Replaced(5, 2));
  await replaced;
  expect([said, hand.partitions, ended]).toEqual([['owned 5', 'owned 5', 'lost 5'], [], []]);
});

test('a runner that folds a tick of a successor ends, and only it', async () => {
  const {started, done} = runnerOf();
  let fatal = (_error: Error): void => undefined;
  const {hand, said, ended} = handOf(async (_partition, onFatal) => {
    fatal = onFatal;
    return started;
  });
  await hand.own(2);
  fatal(new Replaced(2, 9));
  fatal(new Error('what was under way failed'));
  expect([said, done, hand.partitions, ended]).toEqual([['owned 2', 'lost 2'], ['start', 'abandon'], [], []]);
});

test('a partition is released after its last snapshot, and not before', async () => {
  const {started, done} = runnerOf();
  let published = (): void => undefined;
  Object.assign(started.runner, {release: () => new Promise<void>((resolve) => void (published = resolve))});
  const {hand, said} = handOf(async () => started);
  await hand.own(0);
  const released = hand.release(0);
  await new Promise((resolve) => setImmediate(resolve));
  expect(said).toEqual(['owned 0']);
  published();
  await released;
  expect([said, done, hand.partitions]).toEqual([['owned 0', 'released 0'], ['start'], []]);
});

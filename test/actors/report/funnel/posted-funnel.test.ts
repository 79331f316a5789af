import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {countedRows} from '../../../../actors/chunk/left-rows.js';
import {noUser} from '../../../../actors/chunk/rows.js';
import {ranksPerMs, timeOfKey} from '../../../../actors/report/funnel/event-key.js';
import type {FunnelProgress} from '../../../../actors/report/funnel/funnel-progress.js';
import {NumberLists} from '../../../../actors/report/funnel/median.js';
import {PostedFunnel} from '../../../../actors/report/funnel/posted-funnel.js';
import {plainMemory, selectorsMax, type UserPostings} from '../../../../actors/report/funnel/user-postings.js';
import type {Stretch} from '../../../../actors/report/selection.js';
import {UserSet} from '../../../../actors/table/user-set.js';
import {memoryWithProgress, threadProgress} from '../../../../src/report/kernels/funnel-kernel.js';
import {chunkOf, finish, postingsOf, type Row, resultOf, segmentsOf, walkedFunnel} from '../../../support/postings.js';
import {runs} from '../../../support/runs.js';
import {PlainFunnelProgress} from '../../../twins/funnel-progress.js';

const erased = (user: number, {rows}: {rows: readonly Row[]}): readonly Row[] =>
  rows.map((row) => (row.user === user ? {...row, user: noUser, timeMs: 0} : row));

/** What one funnel gives back the next one takes. */
const lists = new NumberLists(1 << 20);

/** The progress where no segment has one. */
const twin = new PlainFunnelProgress();

/** Where the postings are, and what walks over them. */
const ways = [
  [memoryWithProgress, threadProgress],
  [plainMemory, threadProgress],
  [plainMemory, twin],
] as const;

const scanned = (...asked: Parameters<typeof walkedFunnel>) => resultOf(walkedFunnel(...asked));

/** The list of a step that never happened. */
const noList = 1_000;

function posted(
  segments: readonly UserPostings[],
  steps: number[],
  stretch: Stretch,
  windowMs: number,
  progress: FunnelProgress = threadProgress,
  hasLeft = new UserSet(),
) {
  const completed = new UserSet();
  const places = steps.map((name) => (name < 0 ? noList : name));
  const funnel = new PostedFunnel(segments, places, stretch, windowMs, progress, lists, hasLeft, completed);
  finish(funnel.walk());
  expect(completed.count).toBe(funnel.reached[steps.length - 1]);
  const result = resultOf(funnel);
  for (const list of funnel.durations) lists.giveBack(list);
  return result;
}

/** Users who reach the last step. */
function completing(segments: readonly UserPostings[], steps: number[], stretch: Stretch, windowMs: number): number[] {
  const completed = new UserSet();
  const places = steps.map((name) => (name < 0 ? noList : name));
  finish(new PostedFunnel(segments, places, stretch, windowMs, threadProgress, lists, new UserSet(), completed).walk());
  return [...completed.members()];
}

const whole: Stretch = {startMs: 0, lastMs: 1e15};
const unbounded: Stretch = {startMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY};
const always = Number.POSITIVE_INFINITY;

describe('a funnel over postings equals the scan', () => {
  const nameCount = 4;
  const someSteps = fc.array(fc.integer({min: -1, max: nameCount - 1}), {minLength: 1, maxLength: 7});
  const someChunks = (userCount: number) =>
    fc.array(
      fc.array(fc.record({user: fc.nat(userCount - 1), name: fc.nat(nameCount - 1), timeMs: fc.nat(40)}), {
        maxLength: 40,
        size: 'max',
      }),
      {maxLength: 6},
    );
  const someStretch = fc.oneof(fc.constant(whole), fc.record({startMs: fc.nat(45), lastMs: fc.nat(45)}));
  const someWindow = fc.oneof(fc.constant(always), fc.nat(30), fc.constant(0));
  const someCuts = fc.uniqueArray(fc.integer({min: 1, max: 5})).map((cuts) => cuts.sort((a, b) => a - b));

  test.each([
    ['few users with many events and ties', 3, 1],
    ['users in several blocks', 5, 3_000],
  ])('%s', (_, userCount, stride) => {
    const shape = {userCount: userCount * stride, nameCount};
    fc.assert(
      fc.property(
        someChunks(userCount),
        someCuts,
        someSteps,
        someStretch,
        someWindow,
        fc.option(fc.nat(userCount - 1)),
        fc.array(fc.nat(userCount - 1), {maxLength: 2}),
        (rows, cuts, steps, stretch, windowMs, erasedUser, left) => {
          const chunks = rows
            .map((chunk) => chunk.map((row) => ({...row, user: row.user * stride})))
            .map((chunk) => chunkOf(erasedUser === null ? chunk : erased(erasedUser * stride, {rows: chunk})));
          const hasLeft = new UserSet();
          for (const user of left) hasLeft.add(user * stride);
          const counted = chunks.map((chunk) => countedRows({leftOut: 1, keptFromMs: 0}, chunk, hasLeft));
          const right = scanned(counted, shape, steps, stretch, windowMs);
          for (const [allocate, progress] of ways) {
            const segments = segmentsOf(chunks, cuts, shape, allocate);
            expect(posted(segments, steps, stretch, windowMs, progress, hasLeft)).toEqual(right);
          }
        },
      ),
      {numRuns: runs(150)},
    );
  });

  test('names the users who reach the last step', () => {
    const shape = {userCount: 4, nameCount};
    fc.assert(
      fc.property(someChunks(4), someCuts, someSteps, someWindow, (rows, cuts, steps, windowMs) => {
        const reaches = (user: number): boolean => {
          const own = rows.map((chunk) => chunkOf(chunk.filter((row) => row.user === user)));
          return scanned(own, shape, steps, unbounded, windowMs).reached[steps.length - 1] === 1;
        };
        const chunks = rows.map((chunk) => chunkOf(chunk));
        const segments = segmentsOf(chunks, cuts, shape, memoryWithProgress);
        expect(completing(segments, steps, unbounded, windowMs)).toEqual([0, 1, 2, 3].filter(reaches));
      }),
      {numRuns: runs(100)},
    );
  });

  test('of many users, most with few events and some with thousands', () => {
    let state = 7;
    const random = (): number => {
      state = Math.imul(state, 48_271) >>> 0;
      return state / 2 ** 32;
    };
    const shape = {userCount: 11_000, nameCount: 6};
    const names = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4];
    const row = (): Row => ({
      user: Math.floor(shape.userCount * random() ** 4),
      name: random() < 0.001 ? 5 : names[Math.floor(random() * names.length)]!,
      timeMs: Math.floor(random() * 1e6),
    });
    const chunks = Array.from({length: 8}, () => chunkOf(Array.from({length: 16_000}, row)));
    for (const cuts of [[], [7], [3, 6, 7]]) {
      const plain = segmentsOf(chunks, cuts, shape);
      const withProgress = segmentsOf(chunks, cuts, shape, memoryWithProgress);
      expect([0, 1, 2, 3].map((name) => withProgress[0]!.of(name)?.kind)).toContain('dense');
      expect(withProgress[0]!.of(5)?.kind).toBe('sparse');
      expect(withProgress.every(({progress}) => progress !== undefined)).toBe(true);
      for (const steps of [
        [0, 1, 2],
        [4, 3, 2, 1, 0, 1, 2, 3, 4],
        [0, 0, 0, 0],
        [1, 5, 0],
        [5, 0, 3],
      ]) {
        for (const [stretch, windowMs] of [
          [whole, always],
          [{startMs: 300_000, lastMs: 700_000}, always],
          [whole, 100_000],
          [{startMs: 300_000, lastMs: 700_000}, 2_000],
        ] as const) {
          const right = scanned(chunks, shape, steps, stretch, windowMs);
          expect(posted(plain, steps, stretch, windowMs, twin)).toEqual(right);
          expect(posted(plain, steps, stretch, windowMs)).toEqual(right);
          expect(posted(withProgress, steps, stretch, windowMs)).toEqual(right);
        }
      }
    }
  });

  test.each([
    ['at first', (i: number) => i ** 4 / 1e6],
    ['at last', (i: number) => 4e6 * (1 - (1 - i / 2_000) ** 4)],
    ['around two moments', (i: number) => (i % 2) * 3e6 + i],
  ])('of a user with thousands of events, most of them %s', (_, timeOf) => {
    const shape = {userCount: 3, nameCount: 3};
    const bunched = Array.from({length: 2_000}, (_, i) => ({user: 1, name: 0, timeMs: Math.floor(timeOf(i))}));
    const around = [0, 2].flatMap((user) => bunched.map(({name, timeMs}) => ({user, name, timeMs: timeMs * 2})));
    for (let at = 0; at < 2_000; at += 111) {
      const entry = {user: 1, name: 1, timeMs: Math.floor(timeOf(at)) + (at % 3)};
      const chunks = [chunkOf([...bunched, ...around, entry])];
      const segments = segmentsOf(chunks, [], shape, memoryWithProgress);
      expect(segments[0]!.of(0)?.kind).toBe('dense');
      for (const windowMs of [always, 40])
        expect(posted(segments, [1, 0, 0], whole, windowMs)).toEqual(
          scanned(chunks, shape, [1, 0, 0], whole, windowMs),
        );
    }
  });

  test('windows of years, and times at the end of what keys can say', () => {
    const shape = {userCount: 3, nameCount: 2};
    const lastMs = 2 ** 42 - 1;
    const rows = Array.from({length: 60}, (_, i) => ({user: i % 3, name: (i >> 2) & 1, timeMs: lastMs - 7 * (59 - i)}));
    for (const windowMs of [7, 100, 366 * 86_400_000, Number.MAX_SAFE_INTEGER]) {
      const chunks = [chunkOf([{user: 1, name: 0, timeMs: 0}, ...rows])];
      const right = scanned(chunks, shape, [0, 1, 0, 1], whole, windowMs);
      for (const [allocate, progress] of ways)
        expect(posted(segmentsOf(chunks, [], shape, allocate), [0, 1, 0, 1], whole, windowMs, progress)).toEqual(right);
    }
  });

  test('one user with a hundred thousand entries, each of which needs a round of its own', () => {
    const shape = {userCount: 2, nameCount: 2};
    const chunks = Array.from({length: 16}, (_, chunk) =>
      chunkOf(Array.from({length: 12_500}, (_, i) => ({user: 1, name: i & 1, timeMs: (chunk * 12_500 + i) * 1_000}))),
    );
    const converts = {user: 1, name: 1, timeMs: 2e8 - 1_500};
    for (const last of [[], [chunkOf([converts])]]) {
      const all = [...chunks, ...last];
      const right = scanned(all, shape, [0, 1], whole, 600);
      expect(right.reached).toEqual([1, last.length]);
      for (const [allocate, progress] of ways)
        expect(posted(segmentsOf(all, [16], shape, allocate), [0, 1], whole, 600, progress)).toEqual(right);
    }
  });

  test.each([always, 300])('two at a time do not meet in the progress that both use (window of %s ms)', (windowMs) => {
    const shape = {userCount: 9_000, nameCount: 2};
    const row = (i: number): Row => ({user: i >> 1, name: i & 1, timeMs: (i * 7_919) % 1_000});
    const chunks = [0, 9_000].map((first) => chunkOf(Array.from({length: 9_000}, (_, i) => row(first + i))));
    const asked = [
      [0, 1],
      [1, 0],
    ];
    const right = asked.map((steps) => scanned(chunks, shape, steps, whole, windowMs));
    for (const [allocate, progress] of ways) {
      const segments = segmentsOf(chunks, [], shape, allocate);
      const funnels = asked.map(
        (steps) => new PostedFunnel(segments, steps, whole, windowMs, progress, lists, new UserSet()),
      );
      const walks = funnels.map((funnel) => funnel.walk());
      for (let goesOn = true; goesOn; ) goesOn = walks.map((walk) => walk.next()).some(({done}) => !done);
      expect(funnels.map((funnel) => resultOf(funnel))).toEqual(right);
    }
  });
});

describe('postings', () => {
  const row = (user: number, name: number, timeMs: number): Row => ({user, name, timeMs});
  const listed = (postings: UserPostings | undefined, name: number) => {
    const found = postings?.of(name);
    if (found === undefined) return [];
    const {starts, keys} = found;
    return Array.from({length: starts.length - 1}, (_, i) => {
      const events = [...keys.subarray(starts[i], starts[i + 1])].map((key) => [timeOfKey(key), key % ranksPerMs]);
      return [found.kind === 'dense' ? i : found.users[i], events] as const;
    }).filter(([, events]) => events.length > 0);
  };

  test('of some names are as if there were no others', () => {
    const rows = Array.from({length: 300}, (_, i) => row((i * 7) % 11, (i * 5) % 6, Math.floor(i / 40)));
    const shape = {userCount: 11, nameCount: 6};
    const only = new Set([1, 4]);
    const some = postingsOf([chunkOf(rows)], shape, 3, undefined, only);
    const others = postingsOf([chunkOf(rows.filter(({name}) => only.has(name)))], shape, 3);
    expect(some?.events).toBe(100);
    for (let name = 0; name < 6; name++) expect(listed(some, name)).toEqual(listed(others, name));
    expect([some?.rankEnd, some?.bytes]).toEqual([others?.rankEnd, others?.bytes]);
  });

  test('do not exist where ranks run out, and do where they just suffice', () => {
    const rows = Array.from({length: ranksPerMs}, () => row(0, 0, 5));
    const shape = {userCount: 1, nameCount: 1};
    expect(postingsOf([chunkOf(rows)], shape)?.rankEnd).toBe(ranksPerMs);
    expect(postingsOf([chunkOf(rows)], shape, 1)).toBeUndefined();
    expect(postingsOf([chunkOf(rows), chunkOf([row(0, 0, 5)])], shape)).toBeUndefined();
  });

  test('do not exist where a key would not be exact', () => {
    const shape = {userCount: 1, nameCount: 1};
    expect(postingsOf([chunkOf([row(0, 0, 2 ** 42)])], shape)).toBeUndefined();
    expect(listed(postingsOf([chunkOf([row(0, 0, 2 ** 42 - 1)])], shape, 7), 0)).toEqual([[0, [[2 ** 42 - 1, 7]]]]);
  });

  test('of as many selectors as may be, and users of one event', () => {
    const shape = {userCount: 70_000, nameCount: selectorsMax};
    const nameOf = (user: number): number => (user * 7) % selectorsMax;
    const chunks = [0, 1, 2, 3, 4].map((chunk) =>
      chunkOf(Array.from({length: 14_000}, (_, i) => row(chunk * 14_000 + i, nameOf(chunk * 14_000 + i), i))),
    );
    const postings = postingsOf(chunks, shape);
    for (const name of [0, 1, selectorsMax - 1]) {
      const users = Array.from({length: 70_000}, (_, user) => user).filter((user) => nameOf(user) === name);
      expect(listed(postings, name)).toEqual(users.map((user) => [user, [[user % 14_000, 0]]]));
    }
  });
});

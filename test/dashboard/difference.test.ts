// Intervals of shares and of their differences: published examples, coverage by enumeration, and what is no verdict.
import {expect, test} from 'vitest';
import {
  comparisonsMax,
  differenceInterval,
  type Interval,
  type Share,
  shareInterval,
  verdictOf,
} from '../../dashboard/src/charts/difference.js';

const rounded = (interval: Interval | undefined): number[] | undefined =>
  interval && [interval.low, interval.high].map((bound) => Math.round(bound * 10_000) / 10_000);
const share = (did: number, all: number): Share => ({did, all});

// Newcombe 1998 (Statistics in Medicine 17, 857-872 and 873-890): table I of the first, method 3; table II of the second, method 10.
test.each<[Share, number[]]>([
  [share(81, 263), [0.2553, 0.3662]],
  [share(15, 148), [0.0624, 0.1605]],
  [share(0, 20), [0, 0.1611]],
  [share(1, 29), [0.0061, 0.1718]],
])('a share %j has the published interval', (one, expected) => {
  expect(rounded(shareInterval(one))).toEqual(expected);
});

test.each<[Share, Share, number[]]>([
  [share(56, 70), share(48, 80), [0.0524, 0.3339]],
  [share(9, 10), share(3, 10), [0.1705, 0.809]],
  [share(6, 7), share(2, 7), [0.0582, 0.8062]],
  [share(5, 56), share(0, 29), [-0.0381, 0.1926]],
  [share(0, 10), share(0, 20), [-0.1611, 0.2775]],
  [share(10, 10), share(0, 20), [0.6791, 1]],
])('the difference of %j and %j has the published interval', (one, base, expected) => {
  expect(rounded(differenceInterval(one, base))).toEqual(expected);
});

test('a difference turned round is the same interval turned round', () => {
  const [there, back] = [
    differenceInterval(share(30, 90), share(51, 120))!,
    differenceInterval(share(51, 120), share(30, 90))!,
  ];
  expect([back.low, back.high]).toEqual([expect.closeTo(-there.high, 12), expect.closeTo(-there.low, 12)]);
});

test('more comparisons make wider intervals', () => {
  const widths = Array.from({length: comparisonsMax + 2}, (_, at) => {
    const {low, high} = differenceInterval(share(300, 1_000), share(250, 1_000), at + 1)!;
    return high - low;
  });
  for (let at = 1; at < comparisonsMax; at++) expect(widths[at]!).toBeGreaterThan(widths[at - 1]!);
  expect(widths.at(-1)).toBe(widths[comparisonsMax - 1]);
});

test('equal shares are told apart in at most one of twenty cases, over all outcomes of 40 and 60 users', () => {
  for (const rate of [0.1, 0.3, 0.5]) {
    const chances = (all: number): number[] => {
      let chance = (1 - rate) ** all;
      return Array.from({length: all + 1}, (_, did) => {
        const one = chance;
        chance *= ((all - did) / (did + 1)) * (rate / (1 - rate));
        return one;
      });
    };
    const [ofA, ofB] = [chances(40), chances(60)];
    let wrong = 0;
    for (const [a, chanceA] of ofA.entries())
      for (const [b, chanceB] of ofB.entries())
        if (verdictOf(differenceInterval(share(a, 40), share(b, 60))) !== 'cannot tell yet') wrong += chanceA * chanceB;
    expect(wrong).toBeLessThan(0.055);
    expect(wrong).toBeGreaterThan(0.02);
  }
});

test('an interval with zero in it is no verdict, nor is one of nobody', () => {
  expect(verdictOf({low: -0.01, high: 0.2})).toBe('cannot tell yet');
  expect(verdictOf({low: 0, high: 0.2})).toBe('cannot tell yet');
  expect(verdictOf({low: 0.001, high: 0.2})).toBe('higher');
  expect(verdictOf({low: -0.2, high: -0.001})).toBe('lower');
  expect(verdictOf(differenceInterval(share(0, 0), share(1, 2)))).toBe('cannot tell yet');
});

// Whether two shares differ: the interval of their difference, as A/B breakdowns of funnels show it.
//   DF1. A share has Wilson's score interval (Wilson 1927). A difference has Newcombe's hybrid score interval, method 10 of
//        Newcombe, "Interval estimation for the difference between independent proportions" (Statistics in Medicine 17, 1998),
//        without continuity correction.
//   DF2. The level is 95 % for all comparisons of a table together (Bonferroni): each of m has 1 - 0.05 / m.
//   DF3. An interval that includes zero is no verdict: the data cannot tell yet.

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Number of users who did it, among all. */
export interface Share {
  readonly did: number;
  readonly all: number;
}

/** Standard normal quantiles of 1 - 0.025 / m, for m from 1 on. DF2 */
const quantiles = [1.959964, 2.241403, 2.39398, 2.497705, 2.575829, 2.638257];
export const comparisonsMax = quantiles.length;

const quantileFor = (comparisons: number): number => quantiles[Math.min(comparisons, comparisonsMax) - 1]!;

const rateOf = ({did, all}: Share): number => did / all;

/** DF1. Undefined where there is nobody. */
export function shareInterval(share: Share, comparisons = 1): Interval | undefined {
  const {all} = share;
  if (all === 0) return undefined;
  const z2 = quantileFor(comparisons) ** 2;
  const rate = rateOf(share);
  const middle = (rate + z2 / (2 * all)) / (1 + z2 / all);
  const half = (Math.sqrt(z2) * Math.sqrt((rate * (1 - rate)) / all + z2 / (4 * all * all))) / (1 + z2 / all);
  return {low: Math.max(0, middle - half), high: Math.min(1, middle + half)};
}

/** DF1. The share minus that of the base; undefined where one of them has nobody. */
export function differenceInterval(share: Share, base: Share, comparisons = 1): Interval | undefined {
  const [own, other] = [shareInterval(share, comparisons), shareInterval(base, comparisons)];
  if (own === undefined || other === undefined) return undefined;
  const [rate, baseRate] = [rateOf(share), rateOf(base)];
  const difference = rate - baseRate;
  return {
    low: difference - Math.hypot(rate - own.low, other.high - baseRate),
    high: difference + Math.hypot(own.high - rate, baseRate - other.low),
  };
}

export type Verdict = 'higher' | 'lower' | 'cannot tell yet';

/** DF3 */
export const verdictOf = (interval: Interval | undefined): Verdict =>
  interval === undefined || (interval.low <= 0 && interval.high >= 0)
    ? 'cannot tell yet'
    : interval.low > 0
      ? 'higher'
      : 'lower';

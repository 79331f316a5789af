// The exact two-sided Mann-Whitney test: how likely two samples of one distribution lie at least so far apart.
//   MW1. Equal values share their mean rank, so the distribution is that of these very ranks (ties are exact, too).
//   MW2. Every choice of `a.length` ranks is equally likely. Their sums are counted, not listed: 30 choose 15 is 155 million.

/** From 0 (never by chance) to 1. */
export function mannWhitneyP(a: readonly number[], b: readonly number[]): number {
  const ranks = doubledRanks([...a, ...b]);
  const sumOf = (values: readonly number[]): number => values.reduce((sum, rank) => sum + rank, 0);
  const seen = sumOf(ranks.slice(0, a.length));
  const middle = (sumOf(ranks) * a.length) / ranks.length;
  const chances = sumChances(ranks, a.length);
  let p = 0;
  for (const [sum, chance] of chances.entries()) {
    if (Math.abs(sum - middle) >= Math.abs(seen - middle) - 1e-9) p += chance;
  }
  return Math.min(1, p);
}

/** Twice the rank of each value, so that a mean of two ranks is whole. MW1 */
function doubledRanks(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return 2 * below + equal + 1;
  });
}

/** Chance of each sum of `count` of the ranks. MW2 */
function sumChances(ranks: readonly number[], count: number): Float64Array {
  const top = ranks.reduce((sum, rank) => sum + rank, 0);
  /** `taken[k][sum]`: the chance that k of the ranks so far were taken, and that they add up to `sum`. */
  const taken = Array.from({length: count + 1}, () => new Float64Array(top + 1));
  taken[0]![0] = 1;
  for (const [at, rank] of ranks.entries()) {
    const left = ranks.length - at;
    for (let have = Math.min(at, count); have >= 0; have--) {
      // `count - have` of the `left` ranks are still to be taken, and each of them is as likely as the others.
      const takes = (count - have) / left;
      const [from, to] = [taken[have]!, taken[have + 1]];
      for (let sum = top; sum >= 0; sum--) {
        const chance = from[sum]!;
        if (chance === 0) continue;
        if (to !== undefined && takes > 0) to[sum + rank]! += chance * takes;
        from[sum] = chance * (1 - Math.min(1, takes));
      }
    }
  }
  return taken[count]!;
}

// Interleaved rounds: floor, ours, peer, floor, ours, peer ... A slow moment of the machine affects every contender of a round,
// so the ratio of two measurements of one round is far steadier than either.
//   R1. A figure is the median of the rounds' ratios, never the ratio of two medians.
//   R2. Round 0 warms up (compilers, connections, files) and is not counted. All contenders take part, even after one whose
//       measurement is void.
//   R3. A round is void, and played again, if foreign processes used the CPU, or if a measurement declares itself void
//       (`VoidRound`). The report has the number of void rounds, and the reasons.

import {monotonicMs} from '../src/clock.js';
import type {Say} from './bench.js';
import {foreignCpuWatch} from './machine/foreign-cpu.js';
import type {BenchOptions} from './options.js';
import {type Spread, spreadOf} from './statistics.js';

/** One contender's measurement in one round; round 0 may be shorter. */
export type Measure<Sample> = (round: number) => Promise<Sample>;

export interface Round<Sample, Name extends string> {
  readonly round: number;
  readonly samples: Readonly<Record<Name, Sample>>;
  /** Foreign share of the machine's CPU: the largest of the round's measurements. */
  readonly foreignShare: number;
  readonly elapsedMs: number;
}

export interface Rounds<Sample, Name extends string> {
  readonly rounds: readonly Round<Sample, Name>[];
  /** Reason of each void round; a round is listed once for each void attempt. */
  readonly voided: readonly {readonly round: number; readonly reason: string}[];
}

export interface Ratio extends Spread {
  /** Ratio of each round. */
  readonly all: readonly number[];
}

/** Thrown by a measurement that is void, such as one whose generator could not keep its schedule. */
export class VoidRound extends Error {
  override name = 'VoidRound';
}

/** Void rounds allowed for each wanted one; when they are used up the report has fewer rounds, and says so. */
const voidRoundsPerRound = 1;
/** CPU is counted in ticks of 10 ms: shorter measurements are judged together with later ones. */
const judgedMsMin = 500;

type PlayOptions = Pick<BenchOptions, 'rounds' | 'foreignShareMax'> &
  Partial<Pick<BenchOptions, 'isSmall'>> & {
    /** Whether the last contender begins in every second round. */
    readonly takesTurns?: boolean;
  };

/** Plays rounds in the order of the keys unless `takesTurns`. Throws when every round was void. */
export async function playRounds<Sample, Name extends string>(
  contenders: Readonly<Record<Name, Measure<Sample>>>,
  {rounds: wanted, foreignShareMax, isSmall, takesTurns}: PlayOptions,
  say: Say,
): Promise<Rounds<Sample, Name>> {
  const rounds: Round<Sample, Name>[] = [];
  const voided: {round: number; reason: string}[] = [];
  const voidMax = Math.max(2, wanted * voidRoundsPerRound);
  // The small form measures nothing that could be cold.
  if (isSmall !== true) await warmUp(contenders);
  while (rounds.length < wanted && voided.length <= voidMax) {
    const round = rounds.length + 1;
    try {
      const isTurned = takesTurns === true && round % 2 === 0;
      rounds.push(await playRound(isTurned ? turned(contenders) : contenders, round, foreignShareMax));
      say(`round ${round} of ${wanted} done`);
    } catch (error) {
      voided.push({round, reason: unlessVoid(error)});
      say(`round ${round} is void (${voided.at(-1)!.reason})`);
    }
  }
  if (rounds.length === 0) throw new Error(`every round was void, the last one because ${voided.at(-1)!.reason}`);
  if (rounds.length < wanted) say(`ONLY ${rounds.length} OF ${wanted} ROUNDS: ${voided.length} were void`);
  return {rounds, voided};
}

function turned<Name extends string, Value>(of: Readonly<Record<Name, Value>>): Record<Name, Value> {
  return Object.fromEntries(Object.entries(of).reverse()) as Record<Name, Value>;
}

/** Plays round 0. R2 */
async function warmUp<Sample, Name extends string>(contenders: Readonly<Record<Name, Measure<Sample>>>): Promise<void> {
  for (const measure of Object.values<Measure<Sample>>(contenders)) await measure(0).catch(unlessVoid);
}

async function playRound<Sample, Name extends string>(
  contenders: Readonly<Record<Name, Measure<Sample>>>,
  round: number,
  foreignShareMax: number,
): Promise<Round<Sample, Name>> {
  const startMs = monotonicMs();
  const samples: Partial<Record<Name, Sample>> = {};
  const entries = Object.entries(contenders) as [Name, Measure<Sample>][];
  let [foreignShare, watch] = [0, new Watch()];
  for (const [index, [name, measure]] of entries.entries()) {
    samples[name] = await measure(round);
    if (watch.elapsedMs < judgedMsMin && index < entries.length - 1) continue;
    foreignShare = Math.max(foreignShare, watch.foreignShare());
    watch = new Watch();
    if (foreignShare > foreignShareMax) {
      throw new VoidRound(`others used ${(foreignShare * 100).toFixed(0)} % of the CPU beside "${name}"`);
    }
  }
  return {round, samples: samples as Record<Name, Sample>, foreignShare, elapsedMs: monotonicMs() - startMs};
}

/** The foreign share over one or more measurements. */
class Watch {
  private readonly startMs = monotonicMs();
  readonly foreignShare = foreignCpuWatch();

  get elapsedMs(): number {
    return monotonicMs() - this.startMs;
  }
}

/** The reason of a void round; any other error is thrown on. */
function unlessVoid(error: unknown): string {
  if (error instanceof VoidRound) return error.message;
  throw error;
}

/** Ratio of two contenders. R1 */
export function ratioOf<Sample, Name extends string>(
  {rounds}: Rounds<Sample, Name>,
  ratio: (samples: Readonly<Record<Name, Sample>>) => number,
): Ratio {
  const all = rounds.map(({samples}) => ratio(samples));
  return {...spreadOf(all), all};
}

/** `0.52 (0.49-0.55)`. */
export function ratioText({median, min, max}: Spread, digits = 2): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}-${max.toFixed(digits)})`;
}

/** Last line of a table: the number of rounds that count, and of void ones. */
export function roundsText({rounds, voided}: Rounds<unknown, string>): string {
  const shares = spreadOf(rounds.map(({foreignShare}) => foreignShare));
  return (
    `${rounds.length} rounds, ${voided.length} void; ` +
    `others used ${(shares.median * 100).toFixed(1)} % of the CPU (at most ${(shares.max * 100).toFixed(1)} %)`
  );
}

// Interleaved rounds: floor, ours, peer, floor, ours, peer ... A machine that slows down slows down everybody in a round,
// so the ratio of two measurements of one round is far steadier than either.
//   R1. A figure is the median of the rounds' ratios, never the ratio of two medians.
//   R2. Round 0 warms up (compilers, connections, files) and is not counted; everybody is in it, also behind one whose
//       measurement was worth nothing.
//   R3. A round in which processes that are not the bench's own used the CPU, or in which a measurement says itself that it
//       is worth nothing (`VoidRound`), is void and played again. How often that happened, and why, is in the report.

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
  /** Of all CPU of the machine, the largest of the round's measurements. */
  readonly foreignShare: number;
  readonly elapsedMs: number;
}

export interface Rounds<Sample, Name extends string> {
  readonly rounds: readonly Round<Sample, Name>[];
  /** Why each void round was void; a round is in here once for each time it was played in vain. */
  readonly voided: readonly {readonly round: number; readonly reason: string}[];
}

export interface Ratio extends Spread {
  /** One a round. */
  readonly all: readonly number[];
}

/** Thrown by a measurement that is worth nothing, such as one of a generator that could not keep its schedule. */
export class VoidRound extends Error {
  override name = 'VoidRound';
}

/** So many void rounds for each that is wanted; when they are used up, the report has fewer rounds, and says so. */
const voidRoundsPerRound = 1;
/** CPU is counted in ticks of 10 ms: shorter measurements are judged together with those that follow. */
const judgedMsMin = 500;

type PlayOptions = Pick<BenchOptions, 'rounds' | 'foreignShareMax'> &
  Partial<Pick<BenchOptions, 'isSmall'>> & {
    /** In every second round the last one begins. */
    readonly takesTurns?: boolean;
  };

/** In the order of the keys, where nothing else is asked for. Throws when not one round was worth anything. */
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

/** R2 */
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

/** Over one or more measurements. */
class Watch {
  private readonly startMs = monotonicMs();
  readonly foreignShare = foreignCpuWatch();

  get elapsedMs(): number {
    return monotonicMs() - this.startMs;
  }
}

/** The reason; any other error goes on its way. */
function unlessVoid(error: unknown): string {
  if (error instanceof VoidRound) return error.message;
  throw error;
}

/** R1. */
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

/** For the last line of a table: how many rounds count, and what was thrown away. */
export function roundsText({rounds, voided}: Rounds<unknown, string>): string {
  const shares = spreadOf(rounds.map(({foreignShare}) => foreignShare));
  return (
    `${rounds.length} rounds, ${voided.length} void; ` +
    `others used ${(shares.median * 100).toFixed(1)} % of the CPU (at most ${(shares.max * 100).toFixed(1)} %)`
  );
}

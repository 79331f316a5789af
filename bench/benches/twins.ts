// Gains of the fast paths of reports over ten million events: the same questions, in turn with the plain twin, in this process
// and without HTTP. Every pair of answers is compared.

import {monotonicMs} from '../../src/clock.js';
import type {Bench, Say} from '../bench.js';
import {SnapshotsLink} from '../engine/snapshots-link.js';
import {openStore, startOver} from '../engine/store.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {type Measure, playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {CountTwins} from '../twins/counts.js';
import {EngagementTwins} from '../twins/engagement.js';
import {FunnelTwins} from '../twins/funnels.js';
import {Ground} from '../twins/ground.js';
import {PartTwins} from '../twins/parts.js';
import type {Twins, Way} from '../twins/twin.js';
import {canonical, type WorkloadOptions} from '../workload/events.js';

interface Sample {
  /** Ms of one question: the median of those asked. */
  readonly elapsedMs: number;
}

interface TwinsReport {
  readonly workload: WorkloadOptions;
  readonly pairs: readonly (readonly [quick: string, plain: string])[];
  readonly rounds: Rounds<Sample, string>;
  /** Time of the plain twin / of the fast path, by the name of the fast path. */
  readonly gains: Readonly<Record<string, Ratio>>;
}

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<TwinsReport> {
  const workload = {...canonical, userCount: 100_000, eventCount: options.numbers.events!};
  const store = await openStore(options, workload, owned, say);
  const link = owned.add(await SnapshotsLink.open(await startOver(store, owned)));
  const ground = new Ground(link, workload, options.isSmall);
  const all = [
    ...(await new FunnelTwins(ground).twins()),
    ...(await new CountTwins(ground).twins()),
    ...(await new EngagementTwins(ground).twins()),
    ...new PartTwins(ground).twins(),
  ];
  const contenders = Object.fromEntries(all.flatMap(measuresOf));
  const rounds = await playRounds(contenders, options, say);
  const gains = all.map(
    ({quick, plain}) =>
      [quick, ratioOf(rounds, (samples) => samples[plain]!.elapsedMs / samples[quick]!.elapsedMs)] as const,
  );
  const pairs = all.map(({quick, plain}) => [quick, plain] as const);
  return {workload, pairs, rounds, gains: Object.fromEntries(gains)};
}

/** The fast path comes first; its twin gets the same questions. */
function measuresOf({quick, plain, ways, asks}: Twins): [string, Measure<Sample>][] {
  let number = 0;
  let answers: string[] = [];
  const timed = (way: Way, take: (answer: string, nth: number) => void): Measure<Sample> => {
    return async () => {
      const times: number[] = [];
      for (let nth = 0; nth < asks; nth++) {
        const startMs = monotonicMs();
        const answer = await way(number + nth);
        times.push(monotonicMs() - startMs);
        take(answer, nth);
      }
      return {elapsedMs: spreadOf(times).median};
    };
  };
  const asked = timed(ways[0], (answer) => answers.push(answer));
  const compared = timed(ways[1], (answer, nth) => {
    if (answer !== answers[nth]) throw new Error(`question ${number + nth}: "${quick}" and "${plain}" differ`);
  });
  return [
    [
      quick,
      async (round) => {
        number += asks;
        answers = [];
        return await asked(round);
      },
    ],
    [plain, compared],
  ];
}

function text({workload, pairs, rounds, gains}: TwinsReport): string {
  const medianOf = (name: string) =>
    fixed(spreadOf(rounds.rounds.map(({samples}) => samples[name]!.elapsedMs)).median, 2);
  return [
    `Fast paths of reports beside their plain twins, ${whole(workload.eventCount)} events of ${whole(workload.userCount)} users`,
    tableText(
      ['', 'ms', 'the plain twin', 'ms', 'gain'],
      pairs.map(([quick, plain]) => [quick, medianOf(quick), plain, medianOf(plain), ratioText(gains[quick]!)]),
    ),
    roundsText(rounds),
  ].join('\n');
}

export const twinsBench: Bench<TwinsReport> = {
  name: 'twins',
  summary: 'what each fast path of reports brings, beside its plain twin, over 10 million events',
  numbers: {events: {normal: 10_000_000, small: 20_000, help: 'events of the data set'}},
  run,
  text,
};

// Gains of fast pieces, each compared with its plain way, in memory and in this process. Both give the same results, which is
// checked first.

import type {Bench, Say} from '../bench.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {chunkPieces} from '../pieces/chunks.js';
import {edgePieces} from '../pieces/edge.js';
import {foldPieces} from '../pieces/fold.js';
import {type PartsRead, partsRead} from '../pieces/parts-read.js';
import type {Piece, Work} from '../pieces/piece.js';
import {reportPieces} from '../pieces/reports.js';
import {runPieces} from '../pieces/runs.js';
import {someEvents} from '../pieces/some-events.js';
import {type Measure, playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';

interface Sample {
  readonly cpuNsEach: number;
}

interface PiecesReport {
  readonly eventCount: number;
  readonly pairs: readonly (readonly [quick: string, plain: string])[];
  readonly rounds: Rounds<Sample, string>;
  /** CPU of the plain way / CPU of the quick one, by the quick one's name. */
  readonly gains: Readonly<Record<string, Ratio>>;
  readonly partsRead: PartsRead;
}

async function run(options: BenchOptions, _: Owned, say: Say): Promise<PiecesReport> {
  const eventCount = options.numbers.events!;
  const events = someEvents(eventCount);
  const pieces = [
    ...foldPieces(events),
    ...chunkPieces(events),
    ...(await runPieces(eventCount)),
    ...reportPieces(events),
    ...edgePieces(eventCount),
  ];
  for (const {quick, plain, work} of pieces) {
    if ((await work.quick()).toString() !== (await work.plain()).toString())
      throw new Error(`${quick}, ${plain}: not the same`);
  }
  const rounds = await playRounds(Object.fromEntries(pieces.flatMap(measuresOf)), {...options, takesTurns: true}, say);
  const gains = pieces.map(
    ({quick, plain}) =>
      [quick, ratioOf(rounds, (samples) => samples[plain]!.cpuNsEach / samples[quick]!.cpuNsEach)] as const,
  );
  const pairs = pieces.map(({quick, plain}) => [quick, plain] as const);
  return {eventCount, pairs, rounds, gains: Object.fromEntries(gains), partsRead: partsRead()};
}

/** Sink: without a use the JIT would drop the work. */
const answered: {last: unknown} = {last: undefined};

function measuresOf({quick, plain, work, count}: Piece): [string, Measure<Sample>][] {
  return [
    [quick, timed(work.quick, count)],
    [plain, timed(work.plain, count)],
  ];
}

/** Times the work; CPU times are counted in us, so short work is repeated. */
function timed(work: Work, count: number): Measure<Sample> {
  let repeats: number | undefined;
  return async () => {
    repeats ??= await repeatsOf(work);
    const before = process.cpuUsage();
    for (let i = 0; i < repeats; i++) answered.last = await work();
    const {user, system} = process.cpuUsage(before);
    return {cpuNsEach: ((user + system) * 1_000) / repeats / count};
  };
}

const measuredMsMin = 100;
const repeatsMax = 1_000;

async function repeatsOf(work: Work): Promise<number> {
  const before = process.cpuUsage();
  answered.last = await work();
  const {user, system} = process.cpuUsage(before);
  return Math.min(repeatsMax, Math.ceil((measuredMsMin * 1_000) / Math.max(1, user + system)));
}

function text({eventCount, pairs, rounds, gains, partsRead}: PiecesReport): string {
  const medianOf = (name: string) =>
    fixed(spreadOf(rounds.rounds.map(({samples}) => samples[name]!.cpuNsEach)).median, 1);
  const {questions, twoQueues, leastRecentlyUsed} = partsRead;
  return [
    `Pieces, ${eventCount} events`,
    tableText(
      ['', 'CPU ns each', 'the plain way', 'CPU ns each', 'gain'],
      pairs.map(([quick, plain]) => [quick, medianOf(quick), plain, medianOf(plain), ratioText(gains[quick]!)]),
    ),
    `parts read: two queues ${whole(twoQueues)}, least recently used ${whole(leastRecentlyUsed)} (${whole(questions)} questions)`,
    roundsText(rounds),
  ].join('\n');
}

export const piecesBench: Bench<PiecesReport> = {
  name: 'pieces',
  summary: 'pieces that are there for speed alone, beside the plain ways that they stand for',
  numbers: {events: {normal: 500_000, small: 20_000, help: 'events'}},
  run,
  text,
};

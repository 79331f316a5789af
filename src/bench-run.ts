// A run of a bench, as `npm run bench` writes it and the dashboard shows it: machine, options, figures.
//   BR1. A figure has one sample for each counted round; a bench that measures once has one.
//   BR2. A result file ends with its report: the members before it are the run, and can be read without it.
//   BR3. A run's id is its bench and its time; its result file has that name.
import {z} from 'zod';

/** Bound of rounds, also of `--rounds`: with more the exact test of two runs would take too long. */
export const roundsMax = 50;

const text = z.string().max(2_048);
const share = z.number().min(0).max(1);

const figure = z.object({
  id: z.string().regex(/^[a-z0-9-]{1,64}$/),
  name: z.string().min(1).max(120),
  /** `ratio`: quotient of two measurements of one round; it can be compared between machines. */
  unit: z.string().min(1).max(24),
  better: z.enum(['more', 'less']),
  samples: z.array(z.number()).min(1).max(roundsMax).readonly(), // BR1
  /** Least value that the figure must reach. */
  reach: z.number().positive().optional(),
  /** Estimated limit of the figure. */
  limit: z.number().positive().optional(),
  /** Latencies behind the figure. */
  curve: z
    .object({
      name: z.string().min(1).max(60),
      /** Share of requests that are at most this slow, and the median over the rounds in ms. */
      points: z
        .array(z.tuple([z.number().min(0).lt(1), z.number().nonnegative()]).readonly())
        .min(2)
        .max(20)
        .readonly(),
    })
    .optional(),
});
export type Figure = Readonly<z.infer<typeof figure>>;

const rounds = z.object({
  /** Names of measurements that alternated in the rounds. */
  name: z.string().min(1).max(60),
  /** For each counted round, the share of the machine's CPU that went to other processes. */
  foreignShares: z.array(share).max(roundsMax).readonly(),
  /** Rounds that do not count, with the reason. */
  voided: z
    .array(z.object({round: z.int().min(0), reason: text}))
    .max(10 * roundsMax)
    .readonly(),
});
export type RunRounds = Readonly<z.infer<typeof rounds>>;

export const benchRun = z.object({
  bench: z.string().regex(/^[a-z]{1,32}$/),
  time: z.iso.datetime(),
  host: z.object({
    cpu: text,
    cores: z.int().positive(),
    memoryMib: z.int().positive(),
    kernel: text,
    dataFilesystem: text,
  }),
  versions: z.record(z.string().max(64), z.string().max(65_536).nullable()),
  options: z.object({
    rounds: z.number().positive(),
    seconds: z.number().positive(),
    refreshSeconds: z.number().positive(),
    partitions: z.number().positive(),
    foreignShareMax: z.number().positive(),
    numbers: z.record(z.string().max(64), z.number()),
    isSmall: z.boolean(),
    /** CPU profiles were written, which costs some 10 % of the rates. */
    isProfiled: z.boolean(),
  }),
  figures: z.array(figure).max(100).readonly(),
  rounds: z.array(rounds).max(32).readonly(),
});
export type BenchRun = Readonly<z.infer<typeof benchRun>>;

/** Id of a run. BR3 */
export const runId = ({bench, time}: Pick<BenchRun, 'bench' | 'time'>): string =>
  `${bench}-${time.replaceAll(/[:.]/g, '-')}`;

/** A run in the list of the dashboard's API. */
export type ListedRun = BenchRun & {readonly id: string};

/** A line or file that is not a run, and why. */
export interface RunProblem {
  readonly place: string;
  readonly why: string;
}

export interface RunList {
  /** Oldest first. */
  readonly runs: readonly ListedRun[];
  /** Older runs that were left out. */
  readonly left_off: number;
  readonly problems: readonly RunProblem[];
}

const reportBegins = ',\n "report": ';

/** Text of a result file. BR2 */
export const resultText = (run: BenchRun, report: object): string => `${JSON.stringify({...run, report}, null, 1)}\n`;

/** The members before the report as JSON; undefined: this text does not contain the report's beginning. BR2 */
export function headOfResult(begun: string): string | undefined {
  const at = begun.indexOf(reportBegins);
  return at < 0 ? undefined : `${begun.slice(0, at)}}`;
}

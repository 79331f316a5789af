// The interface of a bench. Each bench is a file in benches/ and a line in benches.ts.

import type {Figure} from '../src/bench-run.js';
import type {BenchOptions} from './options.js';
import type {Owned} from './owned.js';
import type {Rounds} from './rounds.js';

/** Prints one line of progress at once. */
export type Say = (text: string) => void;

/** A number on the command line (`--name N`) of one bench. Two benches may share a name. */
export interface NumberOption {
  readonly normal: number;
  /** Default with `--small`. */
  readonly small: number;
  /** Upper bound; default: none. */
  readonly max?: number;
  readonly help: string;
}

export interface Bench<Report extends object = object> {
  /** Word on the command line, and start of the result's file name. */
  readonly name: string;
  /** One line of the usage. */
  readonly summary: string;
  readonly numbers?: Readonly<Record<string, NumberOption>>;
  /**
   * Runs the bench. Everything that it starts is added to `owned`, which ends it however the bench ends. The report is
   * written as JSON with every round, so that other figures can be computed later. Throws when measured answers are wrong: a
   * wrong answer has no speed.
   */
  run(options: BenchOptions, owned: Owned, say: Say): Promise<Report>;
  /** Figures that are compared over runs. Absent: the dashboard shows nothing of this bench. */
  figures?(report: Report): readonly Figure[];
  /** Rounds of the report, by the contenders that alternated. */
  rounds?(report: Report): Readonly<Record<string, Rounds<unknown, string>>>;
  /** The report for people. */
  text(report: Report, options: BenchOptions): string;
}

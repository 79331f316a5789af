// What a bench is. One file each in benches/, all of them in the list of benches.ts.

import type {Figure} from '../src/bench-run.js';
import type {BenchOptions} from './options.js';
import type {Owned} from './owned.js';
import type {Rounds} from './rounds.js';

/** Shows progress: one line, now. */
export type Say = (text: string) => void;

/** A number on the command line (`--name N`) that belongs to a bench. Two benches may share a name. */
export interface NumberOption {
  readonly normal: number;
  /** With `--small`. */
  readonly small: number;
  /** Default: none. */
  readonly max?: number;
  readonly help: string;
}

export interface Bench<Report extends object = object> {
  /** The word on the command line, and the start of the result's file name. */
  readonly name: string;
  /** One line of the usage. */
  readonly summary: string;
  readonly numbers?: Readonly<Record<string, NumberOption>>;
  /**
   * What it starts belongs to `owned`, which ends it however the bench ends. The report is written as JSON: every round of
   * it, so that other figures can be computed later. Throws when what it measures is wrong: a wrong answer has no speed.
   */
  run(options: BenchOptions, owned: Owned, say: Say): Promise<Report>;
  /** What is compared over runs. Absent: the dashboard shows nothing of this bench. */
  figures?(report: Report): readonly Figure[];
  /** The rounds that it played, by what took turns in them. */
  rounds?(report: Report): Readonly<Record<string, Rounds<unknown, string>>>;
  /** The report for people. */
  text(report: Report, options: BenchOptions): string;
}

// Address of the page Benchmarks: the history, one run, or two of them.
import {addressAsking, one, type QuestionOf, word} from '../../address/codec.js';

export const views = ['history', 'run', 'compare'] as const;

const runId = one<string | null>(
  null,
  'the id of a run',
  (text) => (/^[a-z]{1,32}-[\dTZ-]{10,40}$/.test(text) ? text : undefined),
  (id) => id,
);
const bench = one<string | null>(
  null,
  'the name of a bench',
  (text) => (/^[a-z]{1,32}$/.test(text) ? text : undefined),
  (name) => name,
);

/** `bench`: null means all of them in the history, and the one of the newest pair where two are compared. */
export const benchmarksForm = {show: word(views, 'history'), bench, run: runId, a: runId, b: runId};
export type BenchmarksQuestion = QuestionOf<typeof benchmarksForm>;

/** Query of the page, to be put after its path. */
export const queryOf = (asked: Partial<BenchmarksQuestion>): string => addressAsking(benchmarksForm, asked);

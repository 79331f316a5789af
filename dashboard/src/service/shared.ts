// Data of a shared report, for a person who has its link. The pages of reports show it like an answer, without controls.
import {signal} from '@preact/signals';
import type {QuestionAnswers} from './question-batches';

export interface Shared {
  readonly name: string;
  readonly page: string;
  /** The address of the report. */
  readonly search: string;
  /** Time of the answers, by the service's clock: relative ranges end with its day. */
  readonly atMs: number;
  /** Time up to which the numbers are exact; undefined when no question was answered. */
  readonly asOfMs: number | undefined;
  /** Answers to the questions with these flat forms. */
  readonly answersTo: (keys: readonly string[]) => Promise<QuestionAnswers>;
}

/** Undefined on every other page. */
export const shared = signal<Shared | undefined>(undefined);

// Data of a shared report or board, for a person who has its link. It is shown like an answer, without controls.
import {signal} from '@preact/signals';
import type {BoardTile, TextTile} from './board-tiles';
import type {QuestionAnswers} from './question-batches';

/** A report by its address. */
export interface SharedReport {
  readonly page: string;
  readonly search: string;
}
export type SharedTile = TextTile | (SharedReport & Pick<BoardTile, 'name' | 'width'> & {readonly text?: undefined});

export interface Shared {
  readonly name: string;
  /** A report, or the tiles of a board. */
  readonly shown: SharedReport | {readonly tiles: readonly SharedTile[]};
  /** Time of the answers, by the service's clock: relative ranges end with its day. */
  readonly atMs: number;
  /** Time up to which the numbers are exact; undefined when no question was answered. */
  readonly asOfMs: number | undefined;
  /** Answers to the questions with these flat forms. */
  readonly answersTo: (keys: readonly string[]) => Promise<QuestionAnswers>;
}

/** Undefined on every other page. */
export const shared = signal<Shared | undefined>(undefined);

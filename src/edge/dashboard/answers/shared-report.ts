// The report or board that a link shows.
import type {KeptReport, ReportQuestion} from '../../../asks/address.js';
import type {ReportTile, TextTile} from '../../../kept/board.js';
import type {Meta} from '../../answers/report-meta.js';

/** A shared report: its questions with their answers. */
export interface SharedReportAnswer extends Pick<KeptReport, 'view'> {
  readonly name: string;
  /** Time of the answers: relative ranges end with its day. */
  readonly at: string;
  readonly answers: readonly SharedAnswer[];
}

/** A shared board: its texts, and its reports with their answers. */
export interface SharedBoardAnswer extends Pick<SharedReportAnswer, 'name' | 'at'> {
  readonly tiles: readonly (
    | TextTile
    | (Pick<ReportTile, 'view' | 'name' | 'width'> & Pick<SharedReportAnswer, 'answers'> & {readonly text?: undefined})
  )[];
}

/** Answer to a question, as `POST /v1/query` gives it. */
export type SharedAnswer =
  | {
      readonly question: ReportQuestion;
      readonly answer: unknown;
      /** Over the compared range. */
      readonly previous?: unknown;
      /** The answer to the first question over the compared range, up to the same moment. Only while the range is not over. */
      readonly so_far?: unknown;
      readonly meta: Pick<Meta, 'as_of' | 'next_by' | 'incomplete_from'>;
    }
  | {
      readonly question: ReportQuestion;
      readonly error: {readonly code: string; readonly message: string; readonly field?: string};
      readonly status: number;
    };

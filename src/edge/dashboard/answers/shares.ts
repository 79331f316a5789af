// Links that share a report, and the report that one shows.
import type {KeptReport, ReportQuestion} from '../../../asks/address.js';
import type {Meta} from '../../answers/report-meta.js';

/** A link. It shows one report to everybody who has the address. */
export interface ShareAnswer {
  readonly id: string;
  /** Name of the report. */
  readonly name: string;
  /** Id of the saved report whose changes it shows; null: it shows the report as it was. */
  readonly follows: string | null;
  /** False: the report that it follows was deleted. */
  readonly is_shown: boolean;
  /** Origins whose pages may embed it. */
  readonly origins: readonly string[];
  readonly created_at: string;
  /** Name of the person who made it. */
  readonly created_by: string;
  /** Null: the link has no end. */
  readonly ends_at: string | null;
  /** Number of reads of its data. Reads of the last minute at other edges are missing. */
  readonly reads: number;
  readonly last_read_at: string | null;
}

export interface SharesAnswer {
  /** Links, the newest first. */
  readonly shares: readonly ShareAnswer[];
}

/** `token` is not available again. */
export interface CreatedShareAnswer extends ShareAnswer {
  readonly token: string;
}

/** No link was made: the report names people. The same request with `may_name_people` makes one. */
export interface ShareNeedsWordAnswer {
  /** Reasons why the report names people, in words. */
  readonly people: readonly string[];
}

/** A shared report: its questions with their answers. */
export interface SharedReportAnswer extends Pick<KeptReport, 'view'> {
  readonly name: string;
  /** Time of the answers: relative ranges end with its day. */
  readonly at: string;
  readonly answers: readonly SharedAnswer[];
}

/** Answer to a question, as `POST /v1/query` gives it. */
export type SharedAnswer =
  | {
      readonly question: ReportQuestion;
      readonly answer: unknown;
      /** Over the compared range. */
      readonly previous?: unknown;
      /** Of the first question: over the compared range up to the same moment, while the range is not over. */
      readonly so_far?: unknown;
      readonly meta: Pick<Meta, 'as_of' | 'next_by' | 'incomplete_from'>;
    }
  | {
      readonly question: ReportQuestion;
      readonly error: {readonly code: string; readonly message: string; readonly field?: string};
      readonly status: number;
    };

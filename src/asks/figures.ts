// What the digests ask an edge: the numbers of a report. Edges read questions (src/edge/query).
import type {Figure} from '../digests/figures.js';
import type {ReportQuestion} from './address.js';

export interface FiguresQuestion {
  readonly question: ReportQuestion;
  /** The answer includes everything before this, epoch ms. */
  readonly untilMs: number;
}

/** `later`: there are no numbers now. `refused`: there are none however often one asks. */
export type FiguresAnswer =
  | {readonly kind: 'figures'; readonly figures: readonly Figure[]}
  | {readonly kind: 'refused' | 'later'; readonly message: string};

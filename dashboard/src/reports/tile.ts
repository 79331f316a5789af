// A tile of a board: the report of a pin over the days of the board.
//   TI1. Each tile says how fresh its numbers are: the head of the board says up to when those of all of them are exact.
import type {ComponentChildren} from 'preact';
import {useEffect} from 'preact/hooks';
import type {FixedQuestion} from '../../../src/asks/question/flat.js';
import type {Days, Interval, Past, Range} from '../address/range';
import type {Freshness} from '../service/freshness';
import {type Asking, useReports} from '../service/reports';

/** What a board decides for all its tiles. */
export interface TileDays {
  readonly range: Range;
  readonly days: Days;
  readonly interval: Interval;
  readonly past: Past | undefined;
  readonly onRange: (from: number, to: number) => void;
}

export interface TileProps extends TileDays {
  /** Query of the pin. */
  readonly search: string;
  /** Buttons of the pin, for the head of its card. */
  readonly tools: (title: string) => ComponentChildren;
  /** The tile's numbers have this freshness. TI1 */
  readonly onFresh: (freshness: Freshness | undefined) => void;
}

/** As `useReports`. TI1 */
export function useTile<Question>(
  onFresh: TileProps['onFresh'],
  question: Question,
  asks: readonly FixedQuestion[] | undefined,
): Asking<Question> {
  const asking = useReports(question, asks);
  const freshness = asking.shown?.freshness;
  useEffect(() => onFresh(freshness), [freshness]);
  return asking;
}

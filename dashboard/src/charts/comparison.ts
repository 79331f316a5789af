// A range beside an earlier one (address/compared.ts) in words: which days, until which moment.
import type {Days} from '../address/range.js';
import {clockText, datesText} from './format.js';

/** `until 12:03`: a bucket that is not over. */
const untilText = (asOfMs: number | undefined): string =>
  asOfMs === undefined ? 'so far' : `until ${clockText(asOfMs / 1_000).slice(0, 5)}`;

/** Goes with a point that is not final. */
export const soFarText = (asOfMs: number | undefined): string =>
  asOfMs === undefined ? 'so far' : `so far, ${untilText(asOfMs)}`;

/** Meaning of the lines of a chart: `by the day, dotted: 1 - 7 Nov, dashed: until 12:03 UTC`. */
export const linesNote = ({
  what,
  past,
  isOpen,
  asOfMs,
  today,
  zone = 'UTC',
}: {
  readonly what?: string;
  readonly past: Days | undefined;
  /** The last bucket is not over. */
  readonly isOpen: boolean;
  readonly asOfMs: number | undefined;
  readonly today: number;
  readonly zone?: string;
}): string =>
  [
    ...(what === undefined ? [] : [what]),
    ...(past === undefined ? [] : [`dotted: ${datesText(past, today)}`]),
    ...(isOpen && asOfMs !== undefined ? [`dashed: ${untilText(asOfMs)} ${zone}`] : []),
  ].join(', ');

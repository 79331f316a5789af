// Figures, commits and moments of runs as people read them.
import type {Figure, ListedRun} from '../../../../src/bench-run.js';
import {minuteText, percent} from '../../charts/format.js';
import type {Spread} from '../../charts/spread.js';

const whole = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});
const precise = new Intl.NumberFormat('en-US', {minimumSignificantDigits: 3, maximumSignificantDigits: 3});
const plain = new Intl.NumberFormat('en-US', {maximumFractionDigits: 3});

/** Three digits, or all of a large number: `0.107`, `12.6`, `57,700`. */
export const numberText = (value: number): string =>
  Math.abs(value) >= 1_000 ? whole.format(value) : precise.format(value);

/** Text of a number that a person chose, such as a reach: without digits that nobody measured. */
export const chosenText = (value: number): string => plain.format(value);

/** A ratio has no unit. */
export const figureText = (value: number, unit: string): string =>
  unit === 'ratio' ? numberText(value) : `${numberText(value)} ${unit}`;

export const spreadText = ({low, high}: Spread): string =>
  low === high ? numberText(low) : `${numberText(low)} – ${numberText(high)}`;

/** `+6.2 %`, `−3.1 %`, `0.0 %` */
export function changeText(change: number): string {
  if (!Number.isFinite(change)) return 'from 0';
  return `${change < 0 ? '−' : change > 0 ? '+' : ''}${percent(Math.abs(change))}`;
}

/** `34 % short`, `26 % over`, `3.10 times the target`; `times` above 1 (run-history.ts). */
export function offText({better}: Pick<Figure, 'better'>, times: number): string {
  if (better === 'more') return `${percent(1 - 1 / times, 0)} short`;
  return times < 2 ? `${percent(times - 1, 0)} over` : `${numberText(times)} times the target`;
}

export const commitOf = ({versions}: ListedRun): string => versions.commit?.slice(0, 7) ?? 'no commit';
/** Files that were changed since the commit: it alone does not give this run again. */
export const changedFiles = ({versions}: ListedRun): readonly string[] =>
  (versions.changed ?? '').split('\n').filter((line) => line !== '');

/** `2026-11-26 16:20` */
export const runMoment = ({time}: ListedRun): string => minuteText(Date.parse(time));

export const runName = (run: ListedRun): string =>
  `${runMoment(run)} UTC, ${commitOf(run)}${changedFiles(run).length > 0 ? ' with changed files' : ''}`;

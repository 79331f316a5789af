// What the four figures at the top ask (tiles.tsx): the last day of the range, and what it is compared with.
import {dayMs} from '../../../../actors/limits.js';
import type {Days} from '../../address/range';
import {type Metric, namesMax, namesQuestion, type Span, usersQuestion} from '../../address/report-address';
import {wallMs} from '../../address/zone';
import {type Asking, useReports} from '../../service/reports';

const sparkDays = 15;

/** Whose events count, and in which zone. */
export type Scope = Pick<Span, 'not_segment'> & {readonly zone: string};

interface TilesQuestion extends Scope {
  readonly day: number;
  readonly today: number;
}

export interface Tiles {
  /** The day that was asked for last. */
  readonly day: number;
  readonly today: number;
  readonly scope: Scope;
  /** The first day with data, where it is known. */
  readonly since: number | undefined;
  readonly asking: readonly Asking<unknown>[];
  readonly now: Asking<TilesQuestion>;
  readonly past: Asking<{readonly untilMs: number | undefined}>;
  readonly days: Asking<unknown>;
}

export const dayOf = (day: number): Days => ({from: day, to: day});
export const namesOf = (span: Span) => namesQuestion(span, namesMax);
export const activeOf = (metric: Metric, day: number, scope: Scope) =>
  usersQuestion(metric, {...scope, from: day - sparkDays + 1, to: day}, 'day');

/** Days that a metric looks back over, and how many days before it is compared. */
const looks: Readonly<Record<Metric, {readonly back: number; readonly before: number}>> = {
  dau: {back: 1, before: 7},
  wau: {back: 7, before: 7},
  mau: {back: 30, before: 30},
};

export const pastDays = (metric: Metric, day: number): Days => {
  const {back, before} = looks[metric];
  return {from: day - before - back + 1, to: day - before};
};
export const pastActiveOf = (metric: Metric, day: number, untilMs: number | undefined, scope: Scope) => {
  const span = {...scope, ...pastDays(metric, day)};
  const shiftMs = looks[metric].before * dayMs;
  return usersQuestion(metric, untilMs === undefined ? span : {...span, untilMs: untilMs - shiftMs}, 'day');
};
export const pastNamesOf = (day: number, untilMs: number | undefined, scope: Scope) => {
  const span = {...scope, ...dayOf(day - 7)};
  return namesOf(untilMs === undefined ? span : {...span, untilMs: untilMs - 7 * dayMs});
};

/** `day`: days since 1970-01-01, today in the zone at the latest. */
export function useTiles(day: number, today: number, since: number | undefined, scope: Scope): Tiles {
  const now = useReports({day, today, ...scope}, [
    namesOf({...scope, ...dayOf(day)}),
    ...(['dau', 'wau', 'mau'] as const).map((metric) => activeOf(metric, day, scope)),
  ]);
  const asOfMs = now.shown?.freshness?.asOfMs;
  const untilMs = day === today && asOfMs !== undefined ? wallMs(scope.zone, asOfMs) : undefined;
  const isKnown = now.shown !== undefined && !now.isOther;
  const past = useReports(
    {untilMs},
    isKnown
      ? [
          pastNamesOf(day, untilMs, scope),
          ...(['dau', 'wau', 'mau'] as const).map((metric) => pastActiveOf(metric, day, untilMs, scope)),
        ]
      : undefined,
  );
  // The days before are asked for with what is compared: before that stand the figures.
  const before = Array.from({length: sparkDays - 1}, (_, at) =>
    namesOf({...scope, ...dayOf(day - sparkDays + 1 + at)}),
  );
  const days = useReports(undefined, isKnown ? before : undefined);
  return {day, today, scope, since, asking: [now, past], now, past, days};
}

// Annotations as marks of a chart.
//   AM1. A mark is at the bucket that it is in: there the crosshair finds it, and the newest bucket has no line beyond its start.

import {wallMs} from '../address/zone.js';
import {clockText, longDayText} from './format.js';

/** Texts of the annotations of one bucket. */
export interface ChartMark {
  /** Epoch seconds, as the chart's times. */
  readonly time: number;
  readonly texts: readonly string[];
}

interface Annotated {
  /** A date, or a moment in UTC. */
  readonly at: string;
  readonly text: string;
}

const dateChars = 10;

/** Wall clock of the zone at the annotation, as epoch seconds; a date is the same date in every zone. */
const annotatedSeconds = (at: string, zone: string): number =>
  (at.length === dateChars ? Date.parse(at) : wallMs(zone, Date.parse(at))) / 1_000;

/** `Tue 3 Nov 2026`, of a moment `Tue 3 Nov 2026, 10:00 UTC`. */
export function annotatedText(at: string): string {
  const day = longDayText(Date.parse(at) / 1_000);
  return at.length === dateChars ? day : `${day}, ${clockText(Date.parse(at) / 1_000).slice(0, 5)} UTC`;
}

/** `times`: starts of the buckets, ascending. `endSeconds`: the end of the last one. AM1 */
export function marksOf(
  annotations: readonly Annotated[],
  times: readonly number[],
  endSeconds: number,
  zone: string,
): ChartMark[] {
  const texts = new Map<number, string[]>();
  const ascending = annotations
    .map(({at, text}) => ({seconds: annotatedSeconds(at, zone), text}))
    .sort((a, b) => a.seconds - b.seconds);
  for (const {seconds, text} of ascending) {
    const time = seconds < endSeconds ? times.findLast((start) => start <= seconds) : undefined;
    if (time !== undefined) texts.set(time, [...(texts.get(time) ?? []), text]);
  }
  return Array.from(texts, ([time, said]) => ({time, texts: said}));
}

/** The moment of UTC at which clocks of the zone show this; the first of two. */
export function utcSeconds(zone: string, wallSeconds: number): number {
  const shown = (seconds: number): number => wallMs(zone, seconds * 1_000) / 1_000;
  const guess = wallSeconds - (shown(wallSeconds) - wallSeconds);
  return guess - (shown(guess) - wallSeconds);
}

// A click on a chart. This script comes with the first of them.
//   CO1. A line whose name is pressed, which dims the others, is the one that a click means: so each of several lines that lie on
//        each other can be chosen.
import {type Lines, placeIn, pointAt} from './point-at';

export interface NamedLines extends Lines {
  readonly series: readonly (Lines['series'][number] & {readonly label: string})[];
}

/** px. A pointer that moved as far has dragged: the chart takes a range from this width on (time-chart.tsx). */
const dragMin = 4;

/** Calls `take` with the point under a click that ends where it began, at `down`; not beside the plot. */
export function choosePoint(
  down: PointerEvent | undefined,
  {target, clientX, clientY}: MouseEvent,
  lines: NamedLines,
  take: (at: number, line: number) => void,
): void {
  const area = (target as Element).closest('.u-wrap');
  if (area === null || down === undefined) return;
  if (Math.max(Math.abs(clientX - down.clientX), Math.abs(clientY - down.clientY)) >= dragMin) return;
  const place = placeIn(area.querySelector('.u-over')!.getBoundingClientRect(), clientX, clientY);
  const point = place && pointAt(lines, place, keptLine(area, lines));
  if (point !== undefined) take(point.at, point.line);
}

/** CO1. Undefined: no name is pressed. */
function keptLine(area: Element, {series}: NamedLines): number | undefined {
  const name = area.closest('.chart')?.querySelector<HTMLElement>('.end[aria-pressed="true"]')?.title;
  const kept = series.findIndex(({label}) => label === name);
  return kept < 0 ? undefined : kept;
}

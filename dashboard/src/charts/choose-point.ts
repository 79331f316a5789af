// A click on a chart. This script comes with the first of them.
import {type Lines, pointAt} from './point-at';

/** Calls `take` with the point under a click; not beside the plot. A drag ends without a click (uPlot). */
export function choosePoint(
  {target, clientX, clientY}: MouseEvent,
  lines: Lines,
  take: (at: number, line: number) => void,
): void {
  const plot = (target as Element).closest('.u-over')?.getBoundingClientRect();
  if (plot === undefined) return;
  const place = {across: (clientX - plot.left) / plot.width, up: (plot.bottom - clientY) / plot.height};
  const point = pointAt(lines, place);
  if (point !== undefined) take(point.at, point.line);
}

// The marks of a chart: a dotted upright each, with words at the top.
import type uPlot from 'uplot';
import type {ChartMark} from './annotated';
import {placeFlags} from './flags';
import './mark-drawing.css';

const flagWidthMax = 180;
const rowHeight = 17;

/** Words on a chart, in px from its top left. */
export interface Flag {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly width?: number;
}

/** Draws the uprights, in the stroke that the canvas has. `widthOf`: px of a text. @returns the words. */
export function drawMarks(plot: uPlot, marks: readonly ChartMark[], widthOf: (text: string) => number): Flag[] {
  const ratio = devicePixelRatio;
  const {top, height} = plot.bbox;
  const widthMax = Math.min(flagWidthMax, plot.width / 2 - 12); // Half fits at one side of any upright.
  const flags = marks.map(({time, texts}) => {
    const text = texts.join(' · ');
    return {text, x: plot.valToPos(time, 'x', true) / ratio, width: Math.min(widthMax, widthOf(text) + 8)};
  });
  for (const {x} of flags) {
    const at = Math.round(x * ratio) + 0.5;
    plot.ctx.beginPath();
    plot.ctx.moveTo(at, top);
    plot.ctx.lineTo(at, top + height);
    plot.ctx.stroke();
  }
  return placeFlags(flags, plot.width).flatMap((place, index) => {
    const {text, width} = flags[index]!;
    return place === undefined ? [] : [{text, width, left: place.left, top: top / ratio - 4 + rowHeight * place.row}];
  });
}

// A chart whose points lead to what is behind them, as the numbers of its table do.
//   CP1. The click is taken on its way down: uPlot stops the click of a drag, and takes one on the outermost pixels of the plot, where
//        the first and the last point lie, for a drag.
import type {ComponentChildren} from 'preact';
import {isShared} from '../address/base';
import {act} from '../shell/later';
import type {NamedLines} from './choose-point';

/** Where the pointer went down last. */
let down: PointerEvent | undefined;

export function ChosenPoints({
  lines,
  onNumber,
  children,
}: {
  readonly lines: NamedLines;
  /** The point of the bucket and the line with these indexes was clicked. Absent: nothing is behind it. */
  readonly onNumber?: (at: number, line: number) => void;
  readonly children: ComponentChildren;
}) {
  const choose = (click: MouseEvent): void => {
    const from = down;
    if (onNumber && !isShared)
      void act(
        () => import('./choose-point'),
        ({choosePoint}) => choosePoint(from, click, lines, onNumber),
      );
  };
  return (
    <div onPointerDownCapture={(event) => (down = event)} onClickCapture={choose /* CP1 */}>
      {children}
    </div>
  );
}

// The pins of a board.
import type {ComponentChildren} from 'preact';
import type {KeptReport} from '../../../src/asks/address.js';
import {useReorder} from '../controls/reorder';
import {movePin} from '../service/board-changes';
import {pinKey} from '../service/pin-list';
import {Pinned, type PinnedProps} from './pinned';
import './board-row.css';

export function BoardRow({
  beside,
  ...props
}: Omit<PinnedProps, 'pin' | 'reorder'> & {
  /** Stands beside the first pin. */
  readonly beside?: ComponentChildren;
}) {
  const {board} = props;
  const {tiles: pins} = board;
  const reorder = useReorder(pins.map(pinKey), (pin, to) => movePin(board, pin, to));
  const place = (pin: KeptReport, span: 6 | 8 | 12) => {
    const key = pinKey(pin);
    return (
      <div key={key} class={`board-tile pinned span-${span}`} {...reorder.place(key)}>
        <Pinned {...props} pin={pin} reorder={reorder} />
      </div>
    );
  };
  const [first, ...others] = pins;
  if (first === undefined) return null;
  // All cards are in one list, so a pin that is moved keeps its card and its data.
  if (beside === undefined) return <div class="row">{pins.map((pin) => place(pin, pins.length === 1 ? 12 : 6))}</div>;
  const cards = [place(first, 8), beside, ...others.map((pin) => place(pin, others.length === 1 ? 12 : 6))];
  return <div class="row">{cards}</div>;
}

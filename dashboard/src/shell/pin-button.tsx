// Puts a report on Overview, or takes it off, for everybody: a button for who may change the board.
import {useState} from 'preact/hooks';
import type {Form} from '../address/codec';
import {type PinnedPage, pinsMax} from '../address/pin-list';
import {pinOf} from '../address/pins';
import {board, boardFault, useBoard} from '../service/board';
import {hasRoom, isPinned, togglePin} from '../service/board-changes';
import {may} from '../service/session';
import {Icon} from './icon';
import './pin-button.css';

export interface PinProps {
  readonly page: PinnedPage;
  readonly form: Form;
  /** An address of the page, whose `form` it has. */
  readonly search: string;
}

export const PinButton = (props: PinProps) => (may('analyst') ? <Button {...props} /> : null);

function Button({page, form, search}: PinProps) {
  useBoard();
  const [isUsed, setUsed] = useState(false);
  const pin = pinOf(page, form, search);
  const is = isPinned(pin);
  const isFull = !is && !hasRoom();
  const words = is
    ? 'Take it off Overview'
    : isFull
      ? `Overview has ${pinsMax} pins: take one off first`
      : 'Pin to Overview';
  const fault = isUsed ? boardFault.value : undefined;
  return (
    <>
      {fault !== undefined && (
        <span class="pin-fault" role="alert">
          Not done: {fault.message}
        </span>
      )}
      <button
        type="button"
        class="quiet"
        title={words}
        aria-label="Pin to Overview"
        aria-pressed={is}
        disabled={isFull || board.value === undefined}
        onClick={() => {
          setUsed(true);
          togglePin(pin);
        }}
      >
        <Icon name="bookmark" />
      </button>
    </>
  );
}

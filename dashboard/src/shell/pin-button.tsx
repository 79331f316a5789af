// Puts a report on a board, or takes it off, for everybody: a button for who may change boards. With several boards it asks for one.
import {useState} from 'preact/hooks';
import type {Address, KeptReport} from '../../../src/asks/address.js';
import {keptIn} from '../address/kept';
import {Popover} from '../controls/popover';
import {hasRoom, isPinned, togglePin} from '../service/board-changes';
import {pinKey, tilesMax} from '../service/board-tiles';
import {type Board, boards, boardsFault, useBoards} from '../service/boards';
import {may} from '../service/session';
import {Icon} from './icon';
import {later} from './later';
import './pin-button.css';

export type PinProps = Address;

const PinChoice = later<OfPin>(() => import('./pin-choice').then(({PinChoice: Part}) => Part));

/** Nothing while the page names no event. */
export function PinButton(address: PinProps) {
  if (!may('analyst')) return null;
  const pin = keptIn(address);
  return pin === undefined ? null : <Button pin={pin} />;
}

function Button({pin}: {readonly pin: KeptReport}) {
  useBoards();
  const [isUsed, setUsed] = useState(false);
  const fault = isUsed ? boardsFault.value : undefined;
  const toggle = (board: Board): void => {
    setUsed(true);
    togglePin(board, pin);
  };
  const [board, ...others] = boards.value ?? [];
  return (
    <>
      {fault !== undefined && (
        <span class="pin-fault" role="alert">
          Not done: {fault.message}
        </span>
      )}
      {others.length === 0 ? (
        <OneBoard board={board} pin={pin} onToggle={toggle} />
      ) : (
        <Popover label="Pin to a board" title="Pin to a board" button={<Icon name="Pin" />} look="quiet">
          {() => <PinChoice pin={pin} onToggle={toggle} />}
        </Popover>
      )}
    </>
  );
}

export interface OfPin {
  readonly pin: KeptReport;
  readonly onToggle: (board: Board) => void;
}

function OneBoard({board, pin, onToggle}: OfPin & {readonly board: Board | undefined}) {
  const is = board !== undefined && isPinned(board, pinKey(pin));
  const isFull = board !== undefined && !is && !hasRoom(board);
  const words = is
    ? 'Take it off Overview'
    : isFull
      ? `Overview has ${tilesMax} tiles: remove one first`
      : 'Pin to Overview';
  return (
    <button
      type="button"
      class="quiet"
      title={words}
      aria-label="Pin to Overview"
      aria-pressed={is}
      disabled={isFull || board === undefined}
      onClick={() => onToggle(board!)}
    >
      <Icon name="Pin" />
    </button>
  );
}

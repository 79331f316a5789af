// The boards that a report can be pinned to, and a new one.
import {useState} from 'preact/hooks';
import type {KeptReport} from '../../../src/asks/address.js';
import {useSending} from '../controls/sending';
import {createBoard, hasRoom, isPinned, togglePin} from '../service/board-changes';
import {pinKey, tilesMax} from '../service/board-tiles';
import {boards} from '../service/boards';
import {faultOf} from '../service/client';
import type {OfPin} from './pin-button';
import {FaultBox} from './states';
import './pin-choice.css';

export function PinChoice({pin, onToggle}: OfPin) {
  return (
    <fieldset class="pin-choice">
      <legend>Shown on these boards, for everybody</legend>
      {boards.value!.map((board, at) => {
        const is = isPinned(board, pinKey(pin));
        const isFull = !is && !hasRoom(board);
        return (
          <label key={board.id}>
            <input type="checkbox" checked={is} disabled={isFull} onChange={() => onToggle(board)} />
            <span>{board.name}</span>
            <span class="faint">{isFull ? `has ${tilesMax} tiles` : at === 0 ? 'on Overview' : ''}</span>
          </label>
        );
      })}
      <NewBoard pin={pin} />
    </fieldset>
  );
}

/** A board that begins with this pin. */
function NewBoard({pin}: {readonly pin: KeptReport}) {
  const [name, setName] = useState('');
  const {fault, isBusy, send} = useSending(async () => {
    const answer = await createBoard(name.trim());
    if (answer.kind === 'value') {
      togglePin(answer.value, pin);
      setName('');
    }
    return faultOf(answer);
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') send();
      }}
    >
      <span class="with-button">
        <input
          aria-label="Name of a new board"
          placeholder="New board"
          autocomplete="off"
          maxLength={256}
          value={name}
          onInput={({currentTarget}) => setName(currentTarget.value)}
        />
        <button type="submit" class="button" disabled={isBusy || name.trim() === ''}>
          Create
        </button>
      </span>
      {fault !== undefined && <FaultBox fault={fault} />}
    </form>
  );
}

// Names a board, new or known, or deletes one.
import {useState} from 'preact/hooks';
import {useLocation} from 'preact-iso';
import {Dialog} from '../../controls/dialog';
import {createBoard, deleteBoard, renameBoard} from '../../service/board-changes';
import type {Board} from '../../service/boards';
import type {Fault} from '../../service/client';
import {ConfirmDialog} from '../../shell/confirm-dialog';
import {FaultBox} from '../../shell/states';
import {boardAddress} from './board-links';

/** `board` undefined: a new one, which is shown then. */
export function NameBoard({board, onClose}: {readonly board: Board | undefined; readonly onClose: () => void}) {
  const {route} = useLocation();
  const [name, setName] = useState(board?.name ?? '');
  const [fault, setFault] = useState<Fault>();
  const text = name.trim();
  const done = async (): Promise<void> => {
    if (text === '') return;
    if (board !== undefined) {
      renameBoard(board, text);
      onClose();
      return;
    }
    const answer = await createBoard(text);
    if (answer.kind === 'value') route(boardAddress(answer.value));
    else setFault(answer.fault);
  };
  return (
    <Dialog title={board === undefined ? 'Make a board' : 'Rename the board'} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void done();
        }}
      >
        <label for="board-name">Name</label>
        <input
          id="board-name"
          autocomplete="off"
          maxLength={256}
          value={name}
          onInput={({currentTarget}) => setName(currentTarget.value)}
        />
        {fault !== undefined && <FaultBox fault={fault} />}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={text === ''}>
            {board === undefined ? 'Make it' : 'Rename'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function DeleteBoard({board, onClose}: {readonly board: Board; readonly onClose: () => void}) {
  const {name, pins} = board;
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      actText="Delete"
      act={() => deleteBoard(board)}
      onDone={onClose}
      onClose={onClose}
    >
      <p>
        <strong>{name}</strong> {pins.length === 0 ? 'has no pin. It' : `and its ${pins.length} pins`} will be gone for
        everybody. Reports and numbers stay.
      </p>
    </ConfirmDialog>
  );
}

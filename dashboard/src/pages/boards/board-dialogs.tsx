// Names a board, new or known, or deletes one.
import {useState} from 'preact/hooks';
import {useLocation} from 'preact-iso';
import {boardAddress} from '../../boards/board-links';
import {DialogForm} from '../../controls/dialog-form';
import {createBoard, deleteBoard, renameBoard} from '../../service/board-changes';
import type {Board} from '../../service/boards';
import {type Fault, faultOf} from '../../service/client';
import {ConfirmDialog} from '../../shell/confirm-dialog';

/** `board` undefined: a new one, which is shown then. */
export function NameBoard({board, onClose}: {readonly board: Board | undefined; readonly onClose: () => void}) {
  const {route} = useLocation();
  const [name, setName] = useState(board?.name ?? '');
  const text = name.trim();
  const done = async (): Promise<Fault | undefined> => {
    if (board !== undefined) {
      renameBoard(board, text);
      onClose();
      return undefined;
    }
    const answer = await createBoard(text);
    if (answer.kind === 'value') route(boardAddress(answer.value));
    return faultOf(answer);
  };
  return (
    <DialogForm
      title={board === undefined ? 'Create a board' : 'Rename the board'}
      actText={board === undefined ? 'Create' : 'Rename'}
      isReady={text !== ''}
      act={done}
      onClose={onClose}
    >
      <label for="board-name">Name</label>
      <input
        id="board-name"
        autocomplete="off"
        maxLength={256}
        value={name}
        onInput={({currentTarget}) => setName(currentTarget.value)}
      />
    </DialogForm>
  );
}

export function DeleteBoard({board, onClose}: {readonly board: Board; readonly onClose: () => void}) {
  const {name, tiles} = board;
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      actText="Delete"
      act={() => deleteBoard(board)}
      onDone={onClose}
      onClose={onClose}
    >
      <p>
        <strong>{name}</strong> {tiles.length === 0 ? 'has no tile. It' : `and its ${tiles.length} tiles`} will be gone
        for everybody. Reports and numbers stay.
      </p>
    </ConfirmDialog>
  );
}

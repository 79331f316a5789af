// Boards: all of them in their order, or one of them with its tiles.
import {boardForm} from '../../address/board-address';
import {boardsFault, readBoardsAgain, useBoards} from '../../service/boards';
import {useAddress} from '../../service/use-address';
import {later} from '../../shell/later';
import {FaultBox, Loading} from '../../shell/states';
import {OneBoard} from './one-board';

const BoardList = later(() => import('./board-list').then(({BoardList: Part}) => Part), <Loading lines={6} />);

export function Boards() {
  const address = useAddress(boardForm);
  useBoards();
  const {board: id} = address.question;
  const fault = boardsFault.value;
  return (
    <>
      {id === null ? <BoardList /> : <OneBoard key={id} id={id} address={address} />}
      {fault !== undefined && (
        <div class="card">
          <FaultBox fault={fault} onAgain={readBoardsAgain} />
        </div>
      )}
    </>
  );
}

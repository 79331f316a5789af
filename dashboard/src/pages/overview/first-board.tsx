// The first board on Overview, with what is newest beside its first pin. Without a pin: active users over time.

import {BoardLinks} from '../../boards/board-links';
import {BoardRow} from '../../boards/board-row';
import {tiles} from '../../boards/pinned';
import type {TileDays} from '../../boards/report-tile';
import {boards, boardsFault, readBoardsAgain, useBoards} from '../../service/boards';
import {FaultBox, Loading} from '../../shell/states';
import {NewestCard} from './newest-card';

/** Shown while nothing is pinned. */
const Usual = tiles.get('/active')!;

export function FirstBoard(props: TileDays) {
  useBoards();
  const fault = boardsFault.value;
  const board = boards.value?.[0];
  const hasPin = board !== undefined && board.tiles.length > 0;
  return (
    <>
      {fault !== undefined && (
        <div class="card">
          <FaultBox fault={fault} onAgain={readBoardsAgain} />
        </div>
      )}
      <BoardLinks shown={board} range={props.range} />
      {hasPin ? (
        <BoardRow {...props} board={board} beside={<NewestCard key="newest" />} />
      ) : (
        <div class="row">
          <div class="board-tile span-8">
            {board === undefined && fault === undefined ? (
              <div class="card">
                <Loading lines={8} />
              </div>
            ) : (
              <Usual {...props} compare="off" search="" tools={() => null} onFresh={() => {}} />
            )}
          </div>
          <NewestCard />
        </div>
      )}
    </>
  );
}

// The first board on Overview, with what is newest beside its first pin. Without a pin: active users over time.

import {BoardLinks} from '../../boards/board-links';
import {BoardRow} from '../../boards/board-row';
import type {TileDays, TileProps} from '../../reports/tile';
import {boards, boardsFault, readBoardsAgain, useBoards} from '../../service/boards';
import {later} from '../../shell/later';
import {FaultBox, Loading} from '../../shell/states';
import {NewestCard} from './newest-card';

const PinnedActive = later<TileProps>(
  () => import('../../reports/active/tile').then(({PinnedActive: Tile}) => Tile),
  <div class="card">
    <Loading lines={7} />
  </div>,
);

export function FirstBoard(props: TileDays) {
  useBoards();
  const fault = boardsFault.value;
  const board = boards.value?.[0];
  const hasPin = board !== undefined && board.pins.length > 0;
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
              <PinnedActive {...props} past={undefined} search="" tools={() => null} onFresh={() => {}} />
            )}
          </div>
          <NewestCard />
        </div>
      )}
    </>
  );
}

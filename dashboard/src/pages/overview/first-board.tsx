// The first board on Overview, with what is newest beside its first pin. Without a pin: active users over time.

import {asSaved} from '../../address/board-address';
import {type Interval, type Range, rangeText} from '../../address/range';
import {BoardLinks} from '../../boards/board-links';
import {BoardRow, RemovedTile} from '../../boards/board-row';
import {tiles} from '../../boards/pinned';
import type {OfTiles} from '../../boards/report-tile';
import {boards, boardsFault, readBoardsAgain, useBoards} from '../../service/boards';
import {FaultBox, Loading} from '../../shell/states';
import {NewestCard} from './newest-card';

/** Shown while nothing is pinned. */
const Usual = tiles.get('/active')!;

export interface FirstBoardProps {
  /** Days of Overview. */
  readonly range: Range;
  /** Somebody chose them: then they are those of the pins, too. */
  readonly isChosen: boolean;
  readonly every: Interval;
  /** Segment whose users do not count; null: what each pin says. */
  readonly notSegment: string | null;
  readonly onRange: (range: Range) => void;
}

export function FirstBoard({range, isChosen, every, notSegment, onRange}: FirstBoardProps) {
  useBoards();
  const fault = boardsFault.value;
  const board = boards.value?.[0];
  const everywhere = {...asSaved, not_segment: notSegment};
  const ofTiles: OfTiles = {all: {...everywhere, ...(isChosen && {range})}, onRange};
  const hasPin = board !== undefined && board.tiles.length > 0;
  return (
    <>
      {fault !== undefined && (
        <div class="card">
          <FaultBox fault={fault} onAgain={readBoardsAgain} />
        </div>
      )}
      <BoardLinks shown={board} all={ofTiles.all} />
      {board !== undefined && <RemovedTile id={board.id} />}
      {hasPin ? (
        <BoardRow {...ofTiles} board={board} beside={<NewestCard key="newest" />} />
      ) : (
        <div class="row">
          <div class="board-tile span-8">
            {board === undefined && fault === undefined ? (
              <div class="card">
                <Loading lines={8} />
              </div>
            ) : (
              <Usual
                {...{all: everywhere, onRange}}
                search={`?${new URLSearchParams({range: rangeText(range), every, compare: 'off'})}`}
                tools={() => null}
                onFresh={() => {}}
              />
            )}
          </div>
          <NewestCard />
        </div>
      )}
    </>
  );
}

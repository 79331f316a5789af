// The boards beside each other: each leads to its own page. With one board there is nothing to choose.
import {pageAddress} from '../address/base';
import {addressAsking} from '../address/codec';
import type {Range} from '../address/range';
import {boardForm} from '../address/report-address';
import {type Board, boards} from '../service/boards';

export const boardAddress = (board: Board, range?: Range): string =>
  pageAddress('/boards') + addressAsking(boardForm, {board: board.id, ...(range && {range})});

export function BoardLinks({shown, range}: {readonly shown: Board | undefined; readonly range: Range}) {
  const all = boards.value ?? [];
  if (all.length < 2) return null;
  return (
    <nav class="board-links" aria-label="Boards">
      {all.map((board) => (
        <a key={board.id} href={boardAddress(board, range)} aria-current={board.id === shown?.id ? 'true' : undefined}>
          {board.name}
        </a>
      ))}
    </nav>
  );
}

// All boards in their order: created, renamed, arranged, deleted by who may pin. Overview shows the first one.
import {useState} from 'preact/hooks';
import {asSaved, boardForm} from '../../address/board-address';
import {placeBetween} from '../../address/saved-report';
import {boardAddress} from '../../boards/board-links';
import {Moment} from '../../controls/moment';
import {placeBoard} from '../../service/board-changes';
import {type Board, boards, unsavedBoard} from '../../service/boards';
import {may} from '../../service/session';
import {useAddress} from '../../service/use-address';
import {Card} from '../../shell/card';
import {Head} from '../../shell/head';
import {Icon} from '../../shell/icon';
import {later} from '../../shell/later';
import {RowTool} from '../../shell/row-tool';
import {Loading} from '../../shell/states';
import '../../design/saved-list.css';

/** As many as the service stores (src/kept/board.ts). */
const boardsMax = 20;

const NameBoard = later<{readonly board: Board | undefined; readonly onClose: () => void}>(() =>
  import('./board-dialogs').then((part) => part.NameBoard),
);
const DeleteBoard = later<{readonly board: Board; readonly onClose: () => void}>(() =>
  import('./board-dialogs').then((part) => part.DeleteBoard),
);

type Open = {readonly what: 'create'} | {readonly what: 'rename' | 'delete'; readonly board: Board};

export function BoardList() {
  const [open, setOpen] = useState<Open>();
  const all = boards.value;
  const close = (): void => setOpen(undefined);
  const isFull = all !== undefined && all.length >= boardsMax;
  return (
    <>
      <Head title="Boards">
        {may('analyst') && (
          <button
            type="button"
            class="button primary"
            disabled={all === undefined || isFull}
            title={isFull ? `There are ${boardsMax} boards: delete one first` : undefined}
            onClick={() => setOpen({what: 'create'})}
          >
            <Icon name="Plus" />
            Create a board
          </button>
        )}
      </Head>
      {all === undefined && <Loading lines={6} />}
      {all !== undefined && (
        <div class="row">
          <Card span={12} title="Boards" note="everybody sees them; the first one is on Overview">
            <ol class="saved-list">
              {all.map((board, at) => (
                <Row
                  key={board.id}
                  board={board}
                  isOnly={all.length === 1}
                  onUp={
                    at === 0 ? undefined : () => placeBoard(board, placeBetween(all[at - 2]?.place, all[at - 1]!.place))
                  }
                  onDown={
                    at === all.length - 1
                      ? undefined
                      : () => placeBoard(board, placeBetween(all[at + 1]!.place, all[at + 2]?.place))
                  }
                  onOpen={(what) => setOpen({what, board})}
                />
              ))}
            </ol>
          </Card>
        </div>
      )}
      {open?.what === 'create' && <NameBoard board={undefined} onClose={close} />}
      {open?.what === 'rename' && <NameBoard board={open.board} onClose={close} />}
      {open?.what === 'delete' && <DeleteBoard board={open.board} onClose={close} />}
    </>
  );
}

function Row({
  board,
  isOnly,
  onUp,
  onDown,
  onOpen,
}: {
  readonly board: Board;
  readonly isOnly: boolean;
  /** Undefined: it is at the end. */
  readonly onUp: (() => void) | undefined;
  readonly onDown: (() => void) | undefined;
  readonly onOpen: (what: 'rename' | 'delete') => void;
}) {
  const {name, tiles, changed_at: changedAt, changed_by: changedBy} = board;
  const {where, user_where, not_segment} = useAddress(boardForm).question;
  return (
    <li data-row>
      <Icon name="table" />
      <span class="saved-name">
        {board === unsavedBoard ? (
          name
        ) : (
          <a href={boardAddress(board, {...asSaved, where, user_where, not_segment})}>{name}</a>
        )}
        <span class="faint">{tiles.length === 1 ? '1 tile' : `${tiles.length} tiles`}</span>
      </span>
      <span class="saved-who faint">
        {changedAt !== '' && (
          <>
            <Moment iso={changedAt} /> by {changedBy}
          </>
        )}
      </span>
      <span class="saved-tools">
        {may('analyst') && (
          <>
            <RowTool label={`Move ${name} up`} icon="ChevronUp" onClick={onUp} />
            <RowTool label={`Move ${name} down`} icon="chevronDown" onClick={onDown} />
            <RowTool label={`Rename ${name}`} icon="Rename" onClick={() => onOpen('rename')} />
            <RowTool label={`Delete ${name}`} icon="Trash" onClick={isOnly ? undefined : () => onOpen('delete')} />
          </>
        )}
      </span>
    </li>
  );
}

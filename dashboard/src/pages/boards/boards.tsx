// Boards: all of them in their order, or one of them with its pins.
import {type Signal, useSignal} from '@preact/signals';
import {pageAddress} from '../../address/base';
import type {QuestionOf} from '../../address/codec';
import {daysOf} from '../../address/range';
import {boardForm, intervalOf} from '../../address/report-address';
import {BoardLinks} from '../../boards/board-links';
import {BoardRow} from '../../boards/board-row';
import {type Board, boards, boardsFault, readBoardsAgain, useBoards} from '../../service/boards';
import {useFirstDay} from '../../service/first-day';
import {type Freshness, oldest} from '../../service/freshness';
import {pinKey} from '../../service/pin-list';
import {may} from '../../service/session';
import {today} from '../../service/today';
import {type Address, useAddress} from '../../service/use-address';
import {later} from '../../shell/later';
import {ReportHead} from '../../shell/report-head';
import {Empty, FaultBox, Loading} from '../../shell/states';

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

/** By the key of the pin. */
type Freshnesses = Readonly<Record<string, Freshness | undefined>>;
type BoardPage = Address<QuestionOf<typeof boardForm>>;

function OneBoard({id, address}: {readonly id: string; readonly address: BoardPage}) {
  const {question, ask} = address;
  const fresh = useSignal<Freshnesses>({});
  const board = boards.value?.find((one) => one.id === id);
  const since = useFirstDay();
  return (
    <>
      <BoardHead board={board} fresh={fresh} address={address} />
      <BoardLinks shown={board} range={question.range} />
      {boards.value === undefined && boardsFault.value === undefined && <Loading lines={8} />}
      {boards.value !== undefined && board === undefined && (
        <section class="card" aria-label="No such board">
          <Empty title="There is no such board">
            Somebody may have deleted it. <a href={pageAddress('/boards')}>All boards</a>
          </Empty>
        </section>
      )}
      {board?.tiles.length === 0 && (
        <section class="card" aria-label="Nothing pinned">
          <Empty title="Nothing is pinned to this board yet">
            {may('analyst')
              ? 'Ask something on a page, such as Trends or Retention, and press the pin there.'
              : 'An analyst can pin reports to it.'}
          </Empty>
        </section>
      )}
      {board !== undefined && (
        <BoardRow
          board={board}
          range={question.range}
          every={intervalOf(question.every, daysOf(question.range, today.value))}
          compare={question.compare}
          since={since}
          onRange={(range) => ask({range, every: null})}
          onFresh={(pin, freshness) => (fresh.value = {...fresh.peek(), [pin]: freshness})}
        />
      )}
    </>
  );
}

/** Alone in reading how fresh the tiles are: they are not drawn again for that. */
function BoardHead({
  board,
  fresh,
  address: {question, problems, ask},
}: {
  readonly board: Board | undefined;
  readonly fresh: Signal<Freshnesses>;
  readonly address: BoardPage;
}) {
  return (
    <ReportHead
      title={board?.name ?? 'Board'}
      isQuestion={false}
      freshness={oldest((board?.tiles ?? []).map((pin) => fresh.value[pinKey(pin)]))}
      problems={problems}
      range={question.range}
      interval={intervalOf(question.every, daysOf(question.range, today.value))}
      compare={question.compare}
      since={useFirstDay()}
      ask={ask}
    />
  );
}

// One board with its tiles. A report is shown as it was pinned. Days and filters for all of them are in the address of the board.
import {type Signal, useSignal} from '@preact/signals';
import {useState} from 'preact/hooks';
import {pageAddress} from '../../address/base';
import {asSaved, type boardForm} from '../../address/board-address';
import type {QuestionOf} from '../../address/codec';
import {conditionText} from '../../address/conditions';
import {range as rangeParameter} from '../../address/report-address';
import {homeZone} from '../../address/zone';
import {BoardLinks} from '../../boards/board-links';
import {BoardRow, RemovedTile} from '../../boards/board-row';
import {RangeControl} from '../../controls/range';
import type {DigestFormProps} from '../../digests/digest-form';
import {hasRoom} from '../../service/board-changes';
import {tileKeys, tilesMax} from '../../service/board-tiles';
import {type Board, boards, boardsFault, unsavedBoard} from '../../service/boards';
import {type Freshness, oldest} from '../../service/freshness';
import {may} from '../../service/session';
import type {Address} from '../../service/use-address';
import {AddressProblems} from '../../shell/address-problems';
import {FreshnessPill} from '../../shell/freshness';
import {Head} from '../../shell/head';
import {Icon} from '../../shell/icon';
import {later} from '../../shell/later';
import type {Shareable} from '../../shell/share-dialog';
import {Empty, Loading} from '../../shell/states';
import {WithoutSwitch} from '../../shell/without-switch';
import {todayIn} from '../../shell/zone-day';
import type {AddTilesProps} from './add-tiles';
import {BoardFilters} from './board-filters';

const AddTiles = later<AddTilesProps>(() => import('./add-tiles').then(({AddTiles: Part}) => Part));

const ShareDialog = later<Shareable & {readonly onClose: () => void}>(() =>
  import('../../shell/share-dialog').then((part) => part.ShareDialog),
);
const DigestForm = later<DigestFormProps>(() => import('../../digests/digest-form').then((part) => part.DigestForm));

/** By the key of the tile. */
type Freshnesses = Readonly<Record<string, Freshness | undefined>>;
type BoardPage = Address<QuestionOf<typeof boardForm>>;

export function OneBoard({id, address}: {readonly id: string; readonly address: BoardPage}) {
  const {question, ask} = address;
  const fresh = useSignal<Freshnesses>({});
  const board = boards.value?.find((one) => one.id === id);
  return (
    <>
      <BoardHead board={board} fresh={fresh} address={address} />
      <BoardLinks shown={board} all={question} />
      {boards.value === undefined && boardsFault.value === undefined && <Loading lines={8} />}
      {boards.value !== undefined && board === undefined && (
        <section class="card" aria-label="No such board">
          <Empty title="There is no such board">
            Somebody may have deleted it. <a href={pageAddress('/boards')}>All boards</a>
          </Empty>
        </section>
      )}
      {board !== undefined && <RemovedTile id={board.id} />}
      {board?.tiles.length === 0 && (
        <section class="card" aria-label="Nothing on it">
          <Empty title="This board is empty">
            {may('analyst')
              ? 'Add saved reports, reports of your events, numbers and texts here, or press the pin on the page of any report.'
              : 'An analyst can add reports to it.'}
          </Empty>
        </section>
      )}
      {board !== undefined && (
        <BoardRow
          board={board}
          all={question}
          onRange={(range) => ask({range})}
          onFresh={(place, freshness) => (fresh.value = {...fresh.peek(), [place]: freshness})}
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
  const [isOpen, setOpen] = useState(false);
  const [opened, setOpened] = useState<'add' | 'share' | 'digest'>();
  const close = (): void => setOpened(undefined);
  const {range, where, user_where: ofUsers} = question;
  const filters = [...where.map(conditionText), ...ofUsers.map((one) => `users whose ${conditionText(one)}`)];
  return (
    <>
      <Head
        title={board?.name ?? 'Board'}
        freshness={
          <FreshnessPill freshness={oldest(tileKeys(board?.tiles ?? []).map((place) => fresh.value[place]))} />
        }
      >
        <RangeControl
          range={range ?? rangeParameter.absent}
          unchosen={range === null ? 'Days as saved' : undefined}
          place={{zone: homeZone(), today: todayIn(homeZone())}}
          onRange={(chosen) => ask({range: chosen})}
        />
        <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="Plus" />
          Filter
        </button>
        <WithoutSwitch notSegment={question.not_segment} onChange={(not_segment) => ask({not_segment})} />
        {board !== undefined && board !== unsavedBoard && (
          <>
            {may('admin') && (
              <button type="button" class="button" onClick={() => setOpened('share')}>
                <Icon name="send" />
                Share
              </button>
            )}
            {may('analyst') && (
              <button type="button" class="button" onClick={() => setOpened('digest')}>
                <Icon name="calendar" />
                Digest
              </button>
            )}
          </>
        )}
        {board !== undefined && may('analyst') && (
          <button
            type="button"
            class="button primary"
            disabled={!hasRoom(board)}
            title={hasRoom(board) ? undefined : `It has ${tilesMax} tiles: remove one first`}
            onClick={() => setOpened('add')}
          >
            <Icon name="Plus" />
            Add tiles
          </button>
        )}
      </Head>
      {opened === 'add' && board !== undefined && <AddTiles board={board} onClose={close} />}
      {opened === 'share' && board !== undefined && <ShareDialog board={board} onClose={close} />}
      {opened === 'digest' && board !== undefined && <DigestForm of={board.id} onClose={close} />}
      {isOpen && <BoardFilters all={question} onChange={ask} />}
      {(range !== null || filters.length > 0) && (
        <p class="against" role="status">
          {range === null ? '' : 'The days are of all tiles. '}
          {filters.length === 0 ? '' : `All tiles count only ${filters.join(', and ')}. `}
          <button type="button" class="link" onClick={() => ask({...asSaved, not_segment: question.not_segment})}>
            Show it as saved
          </button>
        </p>
      )}
      <AddressProblems problems={problems} onDrop={() => ask({})} />
    </>
  );
}

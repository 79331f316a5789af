// Moves a tile, gives it another title, width or text, or removes it: for who may change the board.
import {useRef, useState} from 'preact/hooks';
import {Popover} from '../controls/popover';
import type {Reorder} from '../controls/reorder';
import {changeTile, moveTile, removeTile} from '../service/board-changes';
import {type BoardTile, isReport, type TileWidth, tileKeys} from '../service/board-tiles';
import type {Board} from '../service/boards';
import {may} from '../service/session';
import {Icon} from '../shell/icon';

interface OfTile {
  readonly board: Board;
  readonly tile: BoardTile;
  /** Its key among the tiles of the board. */
  readonly place: string;
  readonly title: string;
}

export function TileTools({reorder, ...ofTile}: OfTile & {readonly reorder: Reorder<string>}) {
  const {board, place, title} = ofTile;
  const [said, setSaid] = useState('');
  const tools = useRef<HTMLSpanElement>(null);
  const keys = tileKeys(board.tiles);
  const at = keys.indexOf(place);
  const last = keys.length - 1;
  if (!may('analyst')) return null;
  const move = (by: -1 | 1): void => {
    const to = at + by;
    if (to < 0 || to > last) return;
    moveTile(board, place, to);
    setSaid(`${title} is number ${to + 1} of ${last + 1} now`);
    // The card moves, and the focus stays with it.
    requestAnimationFrame(() => {
      const [forward, back] = tools.current!.querySelectorAll<HTMLButtonElement>('.handle');
      (by < 0 === !forward!.disabled ? forward : back)?.focus();
    });
  };
  const handle = {
    ...reorder.handle(place),
    onKeyDown: (event: KeyboardEvent) => {
      const by = ({ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1} as const)[event.key as 'ArrowUp'];
      if (!event.altKey || by === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      move(by);
    },
  };
  return (
    <span class="pin-tools" ref={tools}>
      {last > 0 && (
        <>
          <button
            type="button"
            class="quiet handle"
            {...handle}
            disabled={at === 0}
            aria-label={`Move ${title} forward`}
            title="Move forward, or drag it (Alt and arrow)"
            onClick={() => move(-1)}
          >
            <Icon name="ChevronUp" />
          </button>
          <button
            type="button"
            class="quiet handle"
            {...handle}
            disabled={at === last}
            aria-label={`Move ${title} back`}
            title="Move back, or drag it (Alt and arrow)"
            onClick={() => move(1)}
          >
            <Icon name="chevronDown" />
          </button>
        </>
      )}
      <Popover label={`Change ${title}`} title="Title, width, remove" button={<Icon name="Rename" />} look="quiet">
        {(close) => <TileForm {...ofTile} onClose={close} />}
      </Popover>
      <span class="visually-hidden" role="status">
        {said}
      </span>
    </span>
  );
}

const widths: readonly (readonly [TileWidth, string])[] = [
  ['third', 'Third'],
  ['half', 'Half'],
  ['full', 'Full'],
];

function TileForm({board, tile, place, title, onClose}: OfTile & {readonly onClose: () => void}) {
  const [name, setName] = useState(tile.name ?? '');
  const [text, setText] = useState(tile.text ?? '');
  const isText = !isReport(tile);
  const save = (event: Event): void => {
    event.preventDefault();
    const members = {name: name.trim() || undefined, ...(isText && text.trim() !== '' && {text})};
    changeTile(board, place, members);
    onClose();
  };
  return (
    <form class="tile-form" onSubmit={save}>
      <label>
        Title
        <input
          data-first-focus
          autocomplete="off"
          maxLength={256}
          placeholder={isText ? 'None' : title}
          value={name}
          onInput={({currentTarget}) => setName(currentTarget.value)}
        />
      </label>
      {isText && (
        <label>
          Text
          <textarea
            rows={5}
            maxLength={2000}
            value={text}
            onInput={({currentTarget}) => setText(currentTarget.value)}
          />
        </label>
      )}
      <fieldset class="choice">
        <legend class="visually-hidden">Width</legend>
        {widths.map(([width, words]) => (
          <button
            key={width}
            type="button"
            aria-pressed={width === (tile.width ?? 'half')}
            onClick={() => changeTile(board, place, {width})}
          >
            {words}
          </button>
        ))}
      </fieldset>
      <div class="tile-form-foot">
        <button type="button" class="link bad" onClick={() => removeTile(board, place, title)}>
          Remove from the board
        </button>
        <button type="submit" class="button primary">
          Save
        </button>
      </div>
    </form>
  );
}

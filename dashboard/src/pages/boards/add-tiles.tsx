// Adds tiles to a board: saved reports, reports of the events that there are, numbers, and a text. Several at once.
import {useEffect, useState} from 'preact/hooks';
import {daysOf} from '../../address/range';
import {range} from '../../address/report-address';
import {DialogForm} from '../../controls/dialog-form';
import {useNames} from '../../controls/suggested-event';
import {addTiles} from '../../service/board-changes';
import {type BoardTile, tilesMax} from '../../service/board-tiles';
import type {Board} from '../../service/boards';
import {readSavedReports, savedReports} from '../../service/saved-reports';
import {today} from '../../service/today';
import {matching, readyMade, savedChoices, type TileChoice} from './tile-choices';
import './boards.css';

/** Rows of each list; a search finds the others. */
const rowsMax = 10;

export interface AddTilesProps {
  readonly board: Board;
  readonly onClose: () => void;
}

export function AddTiles({board, onClose}: AddTilesProps) {
  useEffect(() => void readSavedReports(), []);
  const names = useNames(daysOf(range.absent, today.value)).value?.data.map(({name}) => name);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<readonly TileChoice[]>([]);
  const [text, setText] = useState('');
  const texts: readonly BoardTile[] = text.trim() === '' ? [] : [{text: text.trim(), width: 'full'}];
  const added = [...texts, ...chosen.map(({tile}) => tile)];
  const room = tilesMax - board.tiles.length;
  const lists = [
    ['Saved reports', matching(savedChoices(savedReports.value ?? []), typed, rowsMax)],
    ['From your events', matching(readyMade(names ?? []), typed, rowsMax)],
  ] as const;
  const toggle = (one: TileChoice): void =>
    setChosen(chosen.some(({key}) => key === one.key) ? chosen.filter(({key}) => key !== one.key) : [...chosen, one]);
  return (
    <DialogForm
      title={`Add tiles to ${board.name}`}
      actText={added.length < 2 ? 'Add' : `Add ${added.length} tiles`}
      isReady={added.length > 0 && added.length <= room}
      act={async () => {
        addTiles(board, added);
        onClose();
        return undefined;
      }}
      onClose={onClose}
    >
      <label for="tile-search">Find a report or an event</label>
      <input
        id="tile-search"
        type="search"
        autocomplete="off"
        value={typed}
        onInput={({currentTarget}) => setTyped(currentTarget.value)}
      />
      {lists.map(
        ([title, choices]) =>
          choices.length > 0 && (
            <fieldset key={title} class="tile-choices">
              <legend>{title}</legend>
              {choices.map((one) => {
                const is = chosen.some(({key}) => key === one.key);
                return (
                  <label key={one.key}>
                    <input
                      type="checkbox"
                      checked={is}
                      disabled={!is && added.length >= room}
                      onChange={() => toggle(one)}
                    />
                    <span>{one.title}</span>
                    <span class="faint">{one.note}</span>
                  </label>
                );
              })}
            </fieldset>
          ),
      )}
      {lists.every(([, choices]) => choices.length === 0) && names !== undefined && (
        <p class="help">Nothing is called so. Any other report is pinned on its own page.</p>
      )}
      <label for="tile-text">A text, such as what the board is for</label>
      <textarea
        id="tile-text"
        rows={2}
        maxLength={2000}
        value={text}
        onInput={({currentTarget}) => setText(currentTarget.value)}
      />
    </DialogForm>
  );
}

// A pin of a board, with its place in their order. What it shows is loaded by the page of its report.

import type {FunctionComponent} from 'preact';
import {useRef, useState} from 'preact/hooks';
import {addressOf, type KeptReport} from '../../../src/asks/address.js';
import {homeZone} from '../address/zone';
import type {Reorder} from '../controls/reorder';
import {type ReportEntry, reports} from '../reports/all';
import {movePin, togglePin} from '../service/board-changes';
import type {Board} from '../service/boards';
import type {Freshness} from '../service/freshness';
import {pinKey} from '../service/pin-list';
import {may} from '../service/session';
import {Icon} from '../shell/icon';
import {later} from '../shell/later';
import {Loading} from '../shell/states';
import {type OfTiles, type TileProps, tileOf} from './report-tile';

const waiting = (
  <div class="card">
    <Loading lines={8} />
  </div>
);

export const tileLater = (entry: ReportEntry): FunctionComponent<TileProps> =>
  later(async () => tileOf(entry, (await entry.script()).report), waiting);

/** By the path of the report's page. */
export const tiles: ReadonlyMap<string, FunctionComponent<TileProps>> = new Map(
  reports.map((entry) => [entry.path, tileLater(entry)]),
);

export interface PinnedProps extends OfTiles {
  readonly board: Board;
  readonly pin: KeptReport;
  readonly reorder: Reorder<string>;
  /** Absent: the page says by itself how fresh its numbers are. */
  readonly onFresh?: (pin: string, freshness: Freshness | undefined) => void;
}

export function Pinned({board, pin, reorder, onFresh, ...ofTiles}: PinnedProps) {
  const tools = (title: string) => <PinTools board={board} pin={pin} title={title} reorder={reorder} />;
  const {page, search} = addressOf(pin, homeZone());
  const Tile = tiles.get(page)!;
  return <Tile {...ofTiles} search={search} tools={tools} onFresh={(freshness) => onFresh?.(pinKey(pin), freshness)} />;
}

/** Moves the pin or takes it off: for who may change the board. */
function PinTools({
  board,
  pin,
  title,
  reorder,
}: {
  readonly board: Board;
  readonly pin: KeptReport;
  readonly title: string;
  readonly reorder: Reorder<string>;
}) {
  const [said, setSaid] = useState('');
  const tools = useRef<HTMLSpanElement>(null);
  const key = pinKey(pin);
  const keys = board.tiles.map(pinKey);
  const at = keys.indexOf(key);
  const last = keys.length - 1;
  if (!may('analyst')) return null;
  const move = (by: -1 | 1): void => {
    const to = at + by;
    if (to < 0 || to > last) return;
    movePin(board, key, to);
    setSaid(`${title} is number ${to + 1} of ${last + 1} now`);
    // The card moves, and the focus stays with it.
    requestAnimationFrame(() => {
      const [forward, back] = tools.current!.querySelectorAll<HTMLButtonElement>('.handle');
      (by < 0 === !forward!.disabled ? forward : back)?.focus();
    });
  };
  const handle = {
    ...reorder.handle(key),
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
      <button
        type="button"
        class="quiet"
        aria-label={`Take ${title} off the board`}
        title="Take it off the board"
        onClick={() => togglePin(board, pin)}
      >
        <Icon name="Close" />
      </button>
      <span class="visually-hidden" role="status">
        {said}
      </span>
    </span>
  );
}

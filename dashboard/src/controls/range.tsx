// Button and panel for the days of a page and of its comparison: presets by letter, a text, two dates.
import {useRef} from 'preact/hooks';
import {type Compare, compares, daysOf, type Range, steppedRange} from '../address/range';
import {datesText, rangeName} from '../charts/format';
import {Icon} from '../shell/icon';
import {useKeys} from '../shell/keys';
import {later} from '../shell/later';
import {Popover, type PopoverHandle} from './popover';

const presets: readonly (readonly [letter: string, range: Range])[] = [
  ['d', {kind: 'last', amount: 1, unit: 'day'}],
  ['y', {kind: 'yesterday'}],
  ['w', {kind: 'last', amount: 7, unit: 'day'}],
  ['m', {kind: 'last', amount: 30, unit: 'day'}],
  ['q', {kind: 'last', amount: 90, unit: 'day'}],
  ['h', {kind: 'last', amount: 12, unit: 'month'}],
];

const RangePanel = later(() => import('./range-panel').then(({RangePanel: Panel}) => Panel));

/** Whose days they are. */
export interface DayPlace {
  readonly zone: string;
  /** The current day there. */
  readonly today: number;
}

export function RangeControl({
  range,
  unchosen,
  compare,
  place,
  onRange,
  onCompare,
}: {
  readonly range: Range;
  /** Words in place of the range, while it is not what the page shows. */
  readonly unchosen?: string | undefined;
  /** Undefined: this page compares nothing. */
  readonly compare?: Compare;
  readonly place: DayPlace;
  readonly onRange: (range: Range) => void;
  readonly onCompare?: (compare: Compare) => void;
}) {
  const days = daysOf(range, place.today);
  const name = unchosen ?? rangeName(range);
  const dates = datesText(days, place.today);
  const popover = useRef<PopoverHandle>(undefined);
  /** The panel opens for its dates, and not for its presets. */
  const wantsDates = useRef(false);
  const step = (by: -1 | 1): void => {
    const next = steppedRange(range, place.today, by);
    if (next !== undefined) onRange(next);
  };
  const take = (chosen: Range | undefined, close: () => void): void => {
    if (chosen === undefined) return;
    onRange(chosen);
    close();
  };
  useKeys({
    ...Object.fromEntries(presets.map(([letter, preset]) => [letter, () => onRange(preset)])),
    '[': () => step(-1),
    ']': () => step(1),
    c: () => {
      wantsDates.current = true;
      popover.current?.open();
    },
    ...(compare === undefined
      ? {}
      : {x: () => onCompare?.(compares[(compares.indexOf(compare) + 1) % compares.length]!)}),
  });
  return (
    <Popover
      label="Days that the page is about"
      handle={popover}
      button={
        <>
          <Icon name="calendar" />
          {name ?? dates}
          {name !== undefined && name !== dates && unchosen === undefined && <span class="minor">{dates}</span>}
          <Icon name="chevronDown" />
        </>
      }
    >
      {(close) => (
        <RangePanel
          range={range}
          compare={compare}
          place={place}
          presets={presets}
          wantsDates={wantsDates}
          onTake={(chosen) => take(chosen, close)}
          onCompare={onCompare}
        />
      )}
    </Popover>
  );
}

// Which days a page is about, and what they are compared with: presets by letter, a text, two dates. All days are UTC.
import {type Compare, compares, daysOf, type Range, steppedRange} from '../address/range';
import {datesText, rangeName} from '../charts/format';
import {Icon} from '../shell/icon';
import {later} from '../shell/later';
import {today} from '../shell/today';
import {Popover} from './popover';

const presets: readonly (readonly [letter: string, range: Range])[] = [
  ['d', {kind: 'last', amount: 1, unit: 'day'}],
  ['y', {kind: 'yesterday'}],
  ['w', {kind: 'last', amount: 7, unit: 'day'}],
  ['m', {kind: 'last', amount: 30, unit: 'day'}],
  ['q', {kind: 'last', amount: 90, unit: 'day'}],
  ['h', {kind: 'last', amount: 12, unit: 'month'}],
];

const RangePanel = later(() => import('./range-panel').then(({RangePanel: Panel}) => Panel));

export function RangeControl({
  range,
  compare,
  onRange,
  onCompare,
}: {
  readonly range: Range;
  /** Undefined: this page compares nothing. */
  readonly compare?: Compare;
  readonly onRange: (range: Range) => void;
  readonly onCompare?: (compare: Compare) => void;
}) {
  const days = daysOf(range, today.value);
  const name = rangeName(range);
  const dates = datesText(days, today.value);
  const take = (chosen: Range | undefined, close: () => void): void => {
    if (chosen === undefined) return;
    onRange(chosen);
    close();
  };
  const onKey = (key: string, close: () => void): boolean => {
    const preset = presets.find(([letter]) => letter === key);
    if (preset !== undefined) take(preset[1], close);
    else if (key === '[' || key === ']') take(steppedRange(range, today.value, key === '[' ? -1 : 1), close);
    else if (key === 'x' && compare !== undefined) {
      onCompare?.(compares[(compares.indexOf(compare) + 1) % compares.length]!);
    } else if (key === 'c') document.getElementById('range-from')?.focus();
    else return false;
    return true;
  };
  return (
    <Popover
      label="Days that the page is about"
      onKey={onKey}
      button={
        <>
          <Icon name="calendar" />
          {name ?? dates}
          {name !== undefined && name !== dates && <span class="minor">{dates}</span>}
          <Icon name="chevronDown" />
        </>
      }
    >
      {(close) => (
        <RangePanel
          range={range}
          compare={compare}
          presets={presets}
          onTake={(chosen) => take(chosen, close)}
          onCompare={onCompare}
        />
      )}
    </Popover>
  );
}

// The lines of Trends in numbers: in all, users, mean, newest full bucket, change. A click on a column sorts by it, one on a number
// explains it.

import {useState} from 'preact/hooks';
import type {Interval} from '../../address/range';
import {figuresOf} from '../../charts/charted';
import {count} from '../../charts/format';
import type {SeriesLine} from '../../charts/series-lines';
import {TableFrame} from '../../controls/table-frame';
import {ChangeText} from '../../shell/change-text';
import {type Behind, Explained} from '../../shell/explained';
import {lineKey} from './trends-drawn';

export interface SeriesRow {
  readonly line: SeriesLine;
  /** By the headings. */
  readonly names: readonly string[];
  /** Distinct users of the whole range; undefined where it is not known. */
  readonly users: number | undefined;
  /** Number of the compared range, up to the same moment. */
  readonly before: number | undefined;
  /** Text of a value of a quotient, which has no users and no mean. */
  readonly say?: (value: number) => string;
}

/** Columns whose numbers have something behind them. */
export type ExplainedColumn = 'total' | 'users' | 'last';

type Column = 'total' | 'users' | 'mean' | 'last' | 'change';

const mean = new Intl.NumberFormat('en-US', {maximumFractionDigits: 1});
const dash = <span class="faint">–</span>;

export interface SeriesTableProps {
  /** What the lines are named by: the event, and each breakdown. */
  readonly headings: readonly string[];
  readonly rows: readonly SeriesRow[];
  readonly interval: Interval;
  readonly isCompared: boolean;
  readonly behind: (line: SeriesLine, value: number, column: ExplainedColumn) => Behind;
  readonly switches: LineSwitches;
}

/** Which lines the chart has. */
export interface LineSwitches {
  /** Keys of those that can be drawn, and of those that are. */
  readonly drawable: readonly string[];
  readonly drawn: readonly string[];
  readonly onSwitch: (key: string) => void;
}

export function SeriesTable({headings, rows, interval, isCompared, behind, switches}: SeriesTableProps) {
  const [sorted, setSorted] = useState<{column: Column; way: 'descending' | 'ascending'}>();
  const columns: readonly (readonly [Column, string])[] = [
    ['total', 'Total'],
    ['users', 'Users'],
    ['mean', `Average per ${interval}`],
    ['last', `Last full ${interval}`],
    ...(isCompared ? [['change', 'Change'] as const] : []),
  ];
  const shown = rows.map((row) => {
    const {line, before} = row;
    const figures = figuresOf(line.answer, line.meta);
    // Sorted by what came or went: a line that grew from 1 to 5 does not stand above one that grew by a thousand.
    const change = before === undefined || line.total === null ? undefined : line.total - before;
    return {...row, ...figures, ...(row.say && {mean: null}), total: line.total, change};
  });
  if (sorted !== undefined) {
    const {column, way} = sorted;
    const figureOf = (row: (typeof shown)[number]): number => row[column] ?? Number.NEGATIVE_INFINITY;
    shown.sort((a, b) => (way === 'descending' ? figureOf(b) - figureOf(a) : figureOf(a) - figureOf(b)));
  }
  const sortBy = (column: Column): void =>
    setSorted({column, way: sorted?.column === column && sorted.way === 'descending' ? 'ascending' : 'descending'});
  return (
    <TableFrame label="The lines in numbers">
      <table class="grid-table series-table">
        <thead>
          <tr>
            {headings.map((heading, at) => (
              <th key={at}>{heading}</th>
            ))}
            {columns.map(([column, name]) => (
              <th key={column} class="number" aria-sort={sorted?.column === column ? sorted.way : undefined}>
                <button type="button" onClick={() => sortBy(column)}>
                  {name}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({line, names, users, before, say, ...row}) => (
            <tr key={lineKey(line)} class={`tone-${line.tone}`}>
              {names.map((name, at) => (
                <td key={at} class="name" title={name}>
                  {at === 0 && <DrawnButton line={line} switches={switches} />}
                  {name}
                </td>
              ))}
              {(['total', 'users', 'mean', 'last'] as const).map((column) => (
                <td key={column} class="number">
                  <Figure row={{line, users, say, ...row}} column={column} behind={behind} />
                </td>
              ))}
              {isCompared && (
                <td class="number">
                  {row.total === null || say !== undefined ? dash : <ChangeText now={row.total} before={before} />}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

/** A chart without any line would say nothing: the last one stays. */
function DrawnButton({
  line,
  switches: {drawable, drawn, onSwitch},
}: {
  readonly line: SeriesLine;
  readonly switches: LineSwitches;
}) {
  const swatch = <span class="swatch" aria-hidden="true" />;
  const key = lineKey(line);
  if (drawable.length < 2 || !drawable.includes(key)) return swatch;
  const is = drawn.includes(key);
  return (
    <button
      type="button"
      class="quiet line-switch"
      aria-label={`Draw ${line.label}`}
      title={is ? 'Take it out of the chart' : 'Draw it'}
      aria-pressed={is}
      disabled={is && drawn.length === 1}
      onClick={() => onSwitch(key)}
    >
      {swatch}
    </button>
  );
}

interface Figures {
  readonly line: SeriesLine;
  readonly say: SeriesRow['say'] | undefined;
  readonly total: number | null;
  readonly users: number | undefined;
  readonly mean: number | null;
  readonly last: number | null;
}

function Figure({
  row,
  column,
  behind,
}: {
  readonly row: Figures;
  readonly column: ExplainedColumn | 'mean';
  readonly behind: (line: SeriesLine, value: number, column: ExplainedColumn) => Behind;
}) {
  const {line, say = count} = row;
  const value = row[column];
  if (value === null || value === undefined) return dash;
  if (column === 'mean') return <span title="Average of finished periods that have a value">{mean.format(value)}</span>;
  if (row.say !== undefined && column !== 'total') return <span>{say(value)}</span>;
  const of = {total: '', users: 'users of ', last: 'last of '}[column];
  return <Explained text={say(value)} of={`${of}${line.label}`} behind={behind(line, value, column)} />;
}

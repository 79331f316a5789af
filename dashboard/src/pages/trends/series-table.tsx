// The lines of Trends in numbers: in all, users, mean, newest full bucket, change. A click on a column sorts by it, one on a number
// explains it.

import {useState} from 'preact/hooks';
import {isShared} from '../../address/base';
import type {Interval} from '../../address/range';
import {figuresOf} from '../../charts/charted';
import {count} from '../../charts/format';
import type {SeriesLine} from '../../charts/series-lines';
import {ChangeText} from '../../shell/change-text';

export interface SeriesRow {
  readonly line: SeriesLine;
  /** Distinct users of the whole range; undefined where it is not known. */
  readonly users: number | undefined;
  /** Number of the compared range, up to the same moment. */
  readonly before: number | undefined;
}

type Column = 'total' | 'users' | 'mean' | 'last' | 'change';

const mean = new Intl.NumberFormat('en-US', {maximumFractionDigits: 1});
const dash = <span class="faint">–</span>;

export function SeriesTable({
  rows,
  interval,
  isCompared,
  onExplain,
}: {
  readonly rows: readonly SeriesRow[];
  readonly interval: Interval;
  readonly isCompared: boolean;
  readonly onExplain: (line: SeriesLine, value: number | null, isUsers: boolean) => void;
}) {
  const [sorted, setSorted] = useState<{column: Column; way: 'descending' | 'ascending'}>();
  const columns: readonly (readonly [Column, string])[] = [
    ['total', 'In all'],
    ['users', 'Users'],
    ['mean', `Mean a${interval === 'hour' ? 'n' : ''} ${interval}`],
    ['last', `Last full ${interval}`],
    ...(isCompared ? [['change', 'Change'] as const] : []),
  ];
  const shown = rows.map((row) => {
    const {line, before} = row;
    const figures = figuresOf(line.answer, line.headers);
    const change = !before || line.total === null ? undefined : line.total / before;
    return {...row, ...figures, total: line.total, change};
  });
  if (sorted !== undefined) {
    const {column, way} = sorted;
    const figureOf = (row: (typeof shown)[number]): number => row[column] ?? Number.NEGATIVE_INFINITY;
    shown.sort((a, b) => (way === 'descending' ? figureOf(b) - figureOf(a) : figureOf(a) - figureOf(b)));
  }
  const sortBy = (column: Column): void =>
    setSorted({column, way: sorted?.column === column && sorted.way === 'descending' ? 'ascending' : 'descending'});
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard
    <section class="table-frame" tabIndex={0} aria-label="The lines in numbers">
      <table class="grid-table series-table">
        <thead>
          <tr>
            <th>Event</th>
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
          {shown.map(({line, users, before, ...row}) => (
            <tr key={`${line.series}/${line.label}`} class={`tone-${line.tone}`}>
              <td class="name" title={line.label}>
                <span class="swatch" aria-hidden="true" />
                {line.label}
              </td>
              <td class="number">
                <Explained value={row.total} of={line.label} onExplain={() => onExplain(line, row.total, false)} />
              </td>
              <td class="number">
                <Explained
                  value={users ?? null}
                  of={`users of ${line.label}`}
                  onExplain={() => onExplain(line, users ?? null, true)}
                />
              </td>
              <td class="number">{row.mean === null ? dash : mean.format(row.mean)}</td>
              <td class="number">{row.last === null ? dash : count(row.last)}</td>
              {isCompared && (
                <td class="number">{row.total === null ? dash : <ChangeText now={row.total} before={before} />}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Explained({
  value,
  of,
  onExplain,
}: {
  readonly value: number | null;
  readonly of: string;
  readonly onExplain: () => void;
}) {
  if (value === null) return dash;
  if (isShared) return <>{count(value)}</>;
  return (
    <button
      type="button"
      class="explained"
      title="What is behind it"
      aria-label={`${count(value)}, ${of}: what is behind it`}
      onClick={onExplain}
    >
      {count(value)}
    </button>
  );
}

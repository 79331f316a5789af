// The lines of Trends in numbers: total, users, mean, newest full bucket, change. A click on a column sorts by it.

import {useState} from 'preact/hooks';
import type {Interval} from '../../address/range';
import {type AnsweredLine, figuresOf} from '../../charts/charted';
import {count} from '../../charts/format';
import type {Fault} from '../../service/client';
import {ChangeText} from '../../shell/change-text';

export interface SeriesRow {
  readonly key: string;
  readonly label: string;
  readonly tone: number;
  /** Undefined: it was not answered. */
  readonly line: AnsweredLine | undefined;
  /** Distinct users of the whole range; undefined where it is not known. */
  readonly users: number | undefined;
  /** Total of the time that is compared with. */
  readonly before: number | undefined;
  readonly fault: Fault | undefined;
}

type Column = 'total' | 'users' | 'mean' | 'last' | 'change';

const mean = new Intl.NumberFormat('en-US', {maximumFractionDigits: 1});
const dash = <span class="faint">–</span>;

export function SeriesTable({
  rows,
  interval,
  isCompared,
}: {
  readonly rows: readonly SeriesRow[];
  readonly interval: Interval;
  readonly isCompared: boolean;
}) {
  const [sorted, setSorted] = useState<{column: Column; way: 'descending' | 'ascending'}>();
  const columns: readonly (readonly [Column, string])[] = [
    ['total', 'Total'],
    ['users', 'Users'],
    ['mean', `Mean a${interval === 'hour' ? 'n' : ''} ${interval}`],
    ['last', `Last full ${interval}`],
    ...(isCompared ? [['change', 'Change'] as const] : []),
  ];
  const shown = rows
    .filter(({line}) => line !== undefined)
    .map((row) => {
      const figures = figuresOf(row.line!.answer, row.line!.headers);
      const share = row.before === undefined || row.before === 0 ? undefined : figures.total / row.before;
      return {...row, ...figures, change: share};
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
          {shown.map((row) => (
            <tr key={row.key} class={`tone-${row.tone}`}>
              <td class="name">
                <span class="swatch" aria-hidden="true" />
                {row.label}
              </td>
              <td class="number">{count(row.total)}</td>
              <td class="number">{row.users === undefined ? dash : count(row.users)}</td>
              <td class="number">{row.mean === null ? dash : mean.format(row.mean)}</td>
              <td class="number">{row.last === null ? dash : count(row.last)}</td>
              {isCompared && (
                <td class="number">
                  <ChangeText now={row.total} before={row.before} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

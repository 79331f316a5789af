// Cohorts by row, periods by column: the share of each that returned, as a figure on a ground whose strength is the share.

import type {RetentionAnswer} from '../../../src/edge/answers/engagement.js';
import type {Interval} from '../address/range';
import {TableFrame} from '../controls/table-frame';
import {type Behind, Explained} from '../shell/explained';
import type {CohortCell, Cohorts} from './cohorts';
import {clockText, count, dayText, monthText, percent, secondsOf} from './format';
import './cohorts.css';

interface CohortTableProps {
  readonly cohorts: Cohorts;
  readonly overall: RetentionAnswer['overall'];
  readonly interval: Interval;
  readonly show: 'share' | 'users';
  /**
   * Explanation of a number of users. `size`: the whole that `value` is a share of. `cohort` absent: all cohorts. `period` absent:
   * the size itself.
   */
  readonly behind: (value: number, size: number, cohort: number | undefined, period: number | undefined) => Behind;
}

/** Share of the palette's first colour at 100 %: text on it stays readable in both themes. */
const heatMax = 46;

export const cohortName = (date: string, interval: Interval): string => {
  const seconds = secondsOf(date);
  if (interval === 'hour') return `${dayText(seconds)}, ${clockText(seconds).slice(0, 5)}`;
  return interval === 'month' ? monthText(seconds) : `${dayText(seconds)} ${date.slice(0, 4)}`;
};

export function CohortTable({cohorts, overall, interval, show, behind}: CohortTableProps) {
  const users = cohorts.rows.reduce((all, {size}) => all + size, 0);
  return (
    <TableFrame label="Cohorts in a table">
      <table class="cohorts">
        <thead>
          <tr>
            <th>{interval === 'week' ? 'Week of' : 'Cohort'}</th>
            <th class="number">Users</th>
            {overall.map((_, period) => (
              <th key={period} class="number">
                <span class="visually-hidden">Period </span>
                {period}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr class="all">
            <th scope="row">All complete</th>
            <td class="number">
              <Explained
                text={count(users)}
                of="users of all cohorts"
                behind={behind(users, users, undefined, undefined)}
              />
            </td>
            {overall.map(({rate, count: returned, size}, period) => (
              <td
                key={period}
                class="number heat"
                style={{'--heat': heatOf(rate)}}
                title={`${count(returned)} of ${count(size)}`}
              >
                {rate === null ? (
                  '–'
                ) : (
                  <Explained
                    text={show === 'share' ? percent(rate) : count(returned)}
                    of={`all complete, period ${period}`}
                    behind={behind(returned, size, undefined, period)}
                  />
                )}
              </td>
            ))}
          </tr>
          {cohorts.rows.map(({date, size, cells}, at) => (
            <tr key={date}>
              <th scope="row">{cohortName(date, interval)}</th>
              <td class="number">
                <Explained
                  text={count(size)}
                  of={`users of ${cohortName(date, interval)}`}
                  behind={behind(size, size, at, undefined)}
                />
              </td>
              {cells.map((cell, period) => (
                <Heat
                  key={period}
                  cell={cell}
                  size={size}
                  show={show}
                  of={`${cohortName(date, interval)}, period ${period}`}
                  behind={behind(cell.count, size, at, period)}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

const heatOf = (share: number | null): string => `${((share ?? 0) * heatMax).toFixed(1)}%`;

function Heat({
  cell: {count: returned, share, state},
  size,
  show,
  of,
  behind,
}: {
  readonly cell: CohortCell;
  readonly size: number;
  readonly show: 'share' | 'users';
  readonly of: string;
  readonly behind: Behind;
}) {
  if (state === 'ahead') return <td class="number ahead" />;
  const isOpen = state === 'open';
  return (
    <td
      class={isOpen ? 'number heat open' : 'number heat'}
      style={{'--heat': heatOf(share)}}
      title={`${count(returned)} of ${count(size)}${isOpen ? ', so far' : ''}`}
    >
      {share === null ? (
        '–'
      ) : (
        <Explained
          text={show === 'share' ? percent(share) : count(returned)}
          of={isOpen ? `${of}, so far` : of}
          behind={behind}
        />
      )}
    </td>
  );
}

// The numbers of a chart over time as a table: every chart has one.
import {isShared} from '../address/base';
import {TableFrame} from '../controls/table-frame';
import {clockText, count, longDayText} from './format';
import type {Series} from './time-chart';

export interface TimeTableProps {
  readonly label: string;
  /** Epoch seconds. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly openFrom?: number | undefined;
  readonly clock?: boolean;
  readonly zone?: string;
  /** A number was chosen: the bucket, and the index of its series. */
  readonly onNumber?: (at: number, series: number) => void;
  readonly say?: (value: number) => string;
  /** Text of a time. */
  readonly moment?: (seconds: number) => string;
}

export function TimeTableRows({
  label,
  times,
  series,
  openFrom,
  clock = false,
  zone = 'UTC',
  onNumber,
  say = count,
  moment = clock ? clockText : longDayText,
}: TimeTableProps) {
  return (
    <TableFrame label={`${label}, as a table`} look="time-table">
      <table class="grid-table">
        <thead>
          <tr>
            <th>Time ({zone})</th>
            {series.map(({label: name}) => (
              <th key={name} class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, at) => (
            <tr key={time}>
              <td>
                {moment(time)}
                {openFrom !== undefined && at >= openFrom && <span class="faint"> so far</span>}
              </td>
              {series.map(({label: name, values}, index) => (
                <td key={name} class="number">
                  {values[at] == null ? (
                    ''
                  ) : onNumber === undefined || isShared ? (
                    say(values[at])
                  ) : (
                    <button type="button" class="explained" onClick={() => onNumber(at, index)}>
                      {say(values[at])}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

// The metrics in numbers: mean, last full bucket, now.
import {type AnsweredLine, figuresOf} from '../../charts/charted';
import {count} from '../../charts/format';
import {TableFrame} from '../../controls/table-frame';
import {openFrom} from '../../service/freshness';
import type {Shown} from '../../service/reports';
import {Explained} from '../../shell/explained';
import {pointOf} from './active-behind';
import type {AskedActive} from './active-drawn';

const mean = new Intl.NumberFormat('en-US', {maximumFractionDigits: 1});

export interface NumbersProps {
  readonly lines: readonly AnsweredLine[];
  readonly shown: Shown<AskedActive>;
  readonly moment: (at: number) => string;
}

export function Numbers({lines, shown, moment}: NumbersProps) {
  const {interval} = shown.question;
  return (
    <TableFrame label="Active users in numbers">
      <table class="grid-table">
        <thead>
          <tr>
            <th>Users</th>
            <th class="number">Average of finished periods</th>
            <th class="number">Last full {interval}</th>
            <th class="number">Now</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, index) => {
            const figures = figuresOf(line.answer, line.meta);
            const newest = openFrom(line.answer.data, line.meta);
            const end = line.answer.data.length;
            const explained = (at: number, value: number, of: string) => (
              <Explained
                text={count(value)}
                of={`${of} of ${line.label}`}
                behind={pointOf(shown, line, index, at, moment(at))}
              />
            );
            return (
              <tr key={line.label} class={`tone-${line.tone}`}>
                <td>
                  <span class="swatch" aria-hidden="true" />
                  {line.label}
                </td>
                <td class="number">{figures.mean === null ? '–' : mean.format(figures.mean)}</td>
                <td class="number">
                  {figures.last === null ? '–' : explained((newest ?? end) - 1, figures.last, `last full ${interval}`)}
                </td>
                <td class="number">{explained(newest ?? end - 1, figures.now, 'now')}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </TableFrame>
  );
}

// A funnel for each value of a breakdown, all on one scale, and whether their conversions differ (charts/difference.ts).
import type {WalkedFunnelAnswer} from '../../../../src/edge/answers/funnels.js';
import {differenceInterval, type Interval, type Share, shareInterval, verdictOf} from '../../charts/difference';
import {count, percent} from '../../charts/format';
import {stepName} from '../../charts/funnel';
import {rowText} from '../../charts/series-lines';
import {TableFrame} from '../../controls/table-frame';
import {type Behind, Explained} from '../../shell/explained';
import type {Outcome} from './funnel-question';
import './variants.css';

export type VariantRow = NonNullable<WalkedFunnelAnswer['breakdown']>['rows'][number];
type Row = VariantRow;

interface VariantsProps {
  readonly rows: readonly Row[];
  /** Names of the steps; absent where they come in any order. */
  readonly names: readonly string[] | undefined;
  /** Explanation of a number of a row. */
  readonly behind: (step: number, outcome: Outcome, row: VariantRow, name: string) => Behind;
}

export function Variants({rows, names, behind}: VariantsProps) {
  return (
    <>
      <ul class="variants">
        {rows.map((row) => (
          <li key={rowText(row)}>
            <h3>
              <span title={rowText(row)}>{rowText(row)}</span>
              <b>{percent(row.conversion_rate)}</b>
            </h3>
            <ol>
              {row.steps.map((step, at) => (
                <li key={at}>
                  <span class="variant-name" title={names?.[at] ?? stepName(step)}>
                    {names?.[at] ?? stepName(step)}
                  </span>
                  <span class="variant-lane" aria-hidden="true">
                    <span style={{'--now': `${(step.conversion_rate * 100).toFixed(2)}%`}} />
                  </span>
                  <span class="number">
                    <Explained
                      text={count(step.count)}
                      of={`${rowText(row)} at step ${at + 1}`}
                      behind={behind(at + 1, 'reached', row, rowText(row))}
                    />
                  </span>
                  <span class="number share">{percent(step.conversion_rate)}</span>
                </li>
              ))}
            </ol>
          </li>
        ))}
      </ul>
      <Differences rows={rows} />
    </>
  );
}

const shareOf = ({steps, total}: Row): Share => ({did: steps.at(-1)!.count, all: total});
const points = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value * 100).toFixed(1)}`;
const intervalText = ({low, high}: Interval, say: (value: number) => string): string => `${say(low)} to ${say(high)}`;

function Differences({rows}: {readonly rows: readonly Row[]}) {
  const [base, ...others] = rows.filter(({kind}) => kind === undefined);
  if (base === undefined || others.length === 0 || base.steps.length < 2) return null;
  const undecided = rows.reduce((all, row) => all + (row.undecided ?? 0), 0);
  return (
    <div class="differences">
      <h3>Does the conversion differ?</h3>
      <TableFrame label="Conversion of each value, and its difference to the first">
        <table class="grid-table">
          <thead>
            <tr>
              <th>Value</th>
              <th class="number">Users</th>
              <th class="number">Converted</th>
              <th class="number">Conversion, 95 %</th>
              <th class="number">Against {rowText(base)}, points</th>
              <th>Verdict</th>
            </tr>
          </thead>
          <tbody>
            {[base, ...others].map((row) => {
              const share = shareOf(row);
              const own = shareInterval(share);
              const difference = row === base ? undefined : differenceInterval(share, shareOf(base), others.length);
              return (
                <tr key={rowText(row)}>
                  <td class="name">{rowText(row)}</td>
                  <td class="number">{count(share.all)}</td>
                  <td class="number">{count(share.did)}</td>
                  <td class="number">{own === undefined ? '–' : intervalText(own, (value) => percent(value))}</td>
                  <td class="number">{difference === undefined ? '–' : intervalText(difference, points)}</td>
                  <td>{row === base ? <span class="faint">compared with</span> : verdictOf(difference)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </TableFrame>
      <p class="page-note">
        Intervals of shares are Wilson's, those of differences Newcombe's (1998, method 10), at 95 % for all comparisons
        together. While an interval includes zero nobody can tell yet: more users make it narrower. It is only a fair
        test where chance decides who gets which value.
        {undecided > 0 && ` ${count(undecided)} users may still convert, so it is too early for a verdict.`}
      </p>
    </div>
  );
}

// The lines of Trends as one number each, of the whole range.
import {count} from '../../charts/format';
import type {SeriesLine} from '../../charts/series-lines';
import {ChangeText} from '../../shell/change-text';
import {type Behind, Explained} from '../../shell/explained';
import type {BeforeOf, DrawnTrends} from './trends-drawn';

export function Totals({
  lines,
  say,
  beforeOf,
  behind,
}: Pick<DrawnTrends, 'lines' | 'say'> & {
  readonly beforeOf: BeforeOf;
  readonly behind: (line: SeriesLine, value: number, column: 'total') => Behind;
}) {
  return (
    <ul class="trend-totals">
      {lines.map((line) => {
        const {total, label, tone} = line;
        const before = say === undefined ? beforeOf(line) : undefined;
        return (
          <li key={`${line.series}/${label}`} class={`tile tone-${tone}`}>
            <span class="label" title={label}>
              <span class="swatch" aria-hidden="true" />
              {label}
            </span>
            <span class="figure">
              {total === null ? (
                <span class="faint">–</span>
              ) : (
                <Explained text={(say ?? count)(total)} of={label} behind={behind(line, total, 'total')} />
              )}
            </span>
            {total !== null && before !== undefined && (
              <span class="change" title={`${count(before)} then`}>
                <ChangeText now={total} before={before} />
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

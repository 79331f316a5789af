// Values of the lines of a chart at one moment.
import type {Signal} from '@preact/signals';
import {change} from './format';

interface TipRow {
  readonly label: string;
  readonly tone: number;
  readonly value: string;
  /** Against the period before; empty where there is nothing to compare with. */
  readonly change: string;
}

export interface Tip {
  /** Start of the bucket, where it is a time. */
  readonly seconds?: number;
  /** Texts of its annotations. */
  readonly notes?: readonly string[];
  readonly when: string;
  readonly rows: readonly TipRow[];
  /** px from one of the two edges of the chart. */
  readonly side: 'left' | 'right';
  readonly distance: number;
}

export const changeText = (value: number | null, before: number | null | undefined): string =>
  value === null || before == null ? '' : change(value, before);

export const tipText = ({when, rows, notes = []}: Tip): string =>
  [`${when}: ${rows.map(({label, value}) => `${label} ${value}`).join(', ')}`, ...notes].join('. ');

export function TimeTip({tip}: {readonly tip: Signal<Tip | undefined>}) {
  if (tip.value === undefined) return null;
  const {when, rows, notes = [], side, distance} = tip.value;
  return (
    <div class="tip" aria-hidden="true" style={{[side]: `${distance}px`, top: '12px'}}>
      <div class="when">{when}</div>
      <table>
        <tbody>
          {rows.map(({label, tone, value, change: share}) => (
            <tr key={label} class={`tone-${tone}`}>
              <td>
                <i />
                {label}
              </td>
              <td class="number">{value}</td>
              <td class="number change">{share}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {notes.map((note) => (
        <p key={note} class="when">
          {note}
        </p>
      ))}
    </div>
  );
}

// The JSON texts of measured series and their breakdowns (docs/api/reports/counts.md).
import {isAdditive, type MeasuredCells} from './measures.js';
import {kindsShown, type ShownGroups, type ValueGroups} from './value-groups.js';

/** `"data":[…],"total":n` of one series, with values if the question measures any. */
export function seriesFields(cells: MeasuredCells, series: number, labels: readonly string[]): string {
  const hasValues = cells.measure !== undefined;
  const data = labels.map((label, bucket) => {
    const value = hasValues ? `,"value":${JSON.stringify(cells.value(series, bucket))}` : '';
    return `{"date":"${label}","count":${cells.count(series, bucket)}${value}}`;
  });
  const totalValue = hasValues ? `,"total_value":${JSON.stringify(cells.totalValue(series))}` : '';
  return `"data":[${data.join()}],"total":${cells.total(series)}${totalValue}`;
}

/** Name of a row of a breakdown: `"value":"pro"`, or `"kind":"other","values":12` and the other kinds. */
export function rowName(row: number, groups: ValueGroups, shown: ShownGroups): string {
  const {top, others} = shown;
  if (row < top.length) return `"value":${JSON.stringify(groups.text(top[row]))}`;
  const kind = kindsShown[row - top.length];
  return kind === 'other' ? `"kind":"other","values":${others}` : `"kind":"${kind}"`;
}

/** Rows of a breakdown: row r is series r + 1, series 0 is the unbroken one. Kinds without events are left out. */
export function breakdownFields(
  property: string,
  groups: ValueGroups,
  shown: ShownGroups,
  cells: MeasuredCells,
  labels: readonly string[],
): string {
  const rows: string[] = [];
  for (let row = 0; row < shown.top.length + kindsShown.length; row++) {
    if (cells.total(row + 1) === 0) continue;
    rows.push(`{${rowName(row, groups, shown)},${seriesFields(cells, row + 1, labels)}}`);
  }
  const additive = isAdditive(cells.measure);
  return `"breakdown":{"property":${JSON.stringify(property)},"additive":${additive},"rows":[${rows.join()}]}`;
}

/** Upper bound of the rows that a breakdown shows. */
export const rowsOf = ({top}: ShownGroups): number => top.length + kindsShown.length;

// The JSON texts of measured series and their breakdowns (docs/api/reports/counts.md).
import {isAdditive, type MeasuredCells} from './measures.js';
import {brokenBy, type ShownRows} from './tuple-groups.js';

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

/** Rows of a breakdown: row r is series r + 1, series 0 is the unbroken one. Rows without events are left out. `names`: of its properties. */
export function breakdownFields(
  names: readonly string[],
  shown: ShownRows,
  cells: MeasuredCells,
  labels: readonly string[],
): string {
  const rows: string[] = [];
  for (let row = 0; row < shown.count; row++) {
    if (cells.total(row + 1) === 0) continue;
    rows.push(`{${shown.name(row)},${seriesFields(cells, row + 1, labels)}}`);
  }
  const additive = isAdditive(cells.measure);
  return `"breakdown":{${brokenBy(names)},"additive":${additive},"rows":[${rows.join()}]}`;
}

// Answers as text for a terminal.
//   AT1. A terminal obeys control characters, and text that runs from the right changes what stands beside it: both are shown as escapes.

interface Bucket {
  readonly date: string;
  readonly count: number;
  readonly value?: number | null;
}

interface Series {
  readonly data: readonly Bucket[];
  readonly total: number;
  readonly total_value?: number | null;
}

type Broken<Row> = {readonly rows: readonly (Row & {readonly value?: string; readonly kind?: string})[]};

interface Counted extends Partial<Series> {
  readonly event?: string;
  readonly breakdown?: Broken<Series>;
  readonly series?: readonly (Series & {readonly event: string; readonly breakdown?: Broken<Series>})[];
}

interface Steps {
  readonly steps: readonly {
    readonly event: string;
    readonly count: number;
    readonly conversion_rate: number;
    readonly step_conversion_rate: number;
    readonly drop_off: number;
  }[];
  readonly total: number;
  readonly conversion_rate: number;
  readonly data?: readonly (Bucket & {readonly converted: number})[];
}

interface Funnel extends Steps {
  readonly breakdown?: Broken<Steps>;
}

export interface Answered {
  readonly question: {readonly report: string; readonly interval?: string};
  readonly answer: Counted | Funnel;
  readonly meta: {readonly as_of: string; readonly hint: string | null};
}

const marks = '▁▂▃▄▅▆▇█';
const marksMax = 60;
const barCharactersMax = 30;

/** AT1 */
export const shown = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`);

/** A mark for each bucket; of many buckets for some neighbours together, which their note says. */
function sparkline(numbers: readonly number[]): {readonly text: string; readonly perMark: number} {
  const perMark = Math.max(1, Math.ceil(numbers.length / marksMax));
  const sums: number[] = [];
  for (let at = 0; at < numbers.length; at += perMark)
    sums.push(numbers.slice(at, at + perMark).reduce((sum, one) => sum + one, 0));
  const most = Math.max(...sums, 0);
  const markOf = (sum: number): string =>
    most <= 0 ? marks[0]! : marks[Math.min(marks.length - 1, Math.floor((Math.max(0, sum) / most) * marks.length))]!;
  return {text: sums.map(markOf).join(''), perMark};
}

const numberOf = ({count, value}: Bucket): number => (value === undefined ? count : (value ?? 0));
const totalOf = ({total, total_value}: Series): number | null => (total_value === undefined ? total : total_value);
const text = (value: number | null): string => (value === null ? '-' : value.toLocaleString('en-US'));
const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`;
const nameOf = ({value, kind}: {readonly value?: string; readonly kind?: string}): string =>
  value === undefined ? `(${kind})` : shown(value);

/** Rows with their columns aligned; numbers to the right. */
function aligned(rows: readonly (readonly string[])[], isText: readonly boolean[]): string[] {
  const widths = isText.map((_, column) => Math.max(...rows.map((row) => [...row[column]!].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const space = ' '.repeat(widths[column]! - [...cell].length);
        return isText[column] ? cell + space : space + cell;
      })
      .join('  ')
      .trimEnd(),
  );
}

export function linesOf({question, answer, meta}: Answered): readonly string[] {
  const lines = 'steps' in answer ? funnelLines(answer) : countLines(answer as Counted, question.interval ?? 'day');
  const notes = [...(meta.hint === null ? [] : [shown(meta.hint)]), `as of ${meta.as_of}`];
  return [...lines, '', ...notes];
}

function countLines(answer: Counted, interval: string): string[] {
  if (answer.series !== undefined || answer.breakdown !== undefined) return seriesLines(answer, interval);
  const {data = []} = answer;
  const most = Math.max(...data.map(numberOf), 0);
  const bar = (bucket: Bucket): string =>
    '█'.repeat(most <= 0 ? 0 : Math.round((numberOf(bucket) / most) * barCharactersMax));
  const rows = data.map((bucket) => [
    bucket.date,
    text(bucket.value === undefined ? bucket.count : bucket.value),
    bar(bucket),
  ]);
  return aligned([...rows, ['total', text(totalOf(answer as Series)), '']], [true, false, true]);
}

/** A row for each series or value, with its course. */
function seriesLines({series, breakdown, ...one}: Counted, interval: string): string[] {
  const named =
    series === undefined
      ? [{name: 'total', of: one as Series}, ...(breakdown?.rows ?? []).map((row) => ({name: nameOf(row), of: row}))]
      : series.flatMap((each) => [
          {name: shown(each.event), of: each as Series},
          ...(each.breakdown?.rows ?? []).map((row) => ({name: `  ${nameOf(row)}`, of: row})),
        ]);
  const courses = named.map(({of}) => sparkline(of.data.map(numberOf)));
  const rows = named.map(({name, of}, at) => [name, text(totalOf(of)), courses[at]!.text]);
  const perMark = courses[0]?.perMark ?? 1;
  return [
    ...aligned(rows, [true, false, true]),
    ...(perMark > 1 ? [`a mark is up to ${perMark} buckets of a ${interval}`] : []),
  ];
}

function funnelLines({steps, breakdown, data}: Funnel): string[] {
  if (breakdown !== undefined) {
    const rows = breakdown.rows.map((row) => [
      nameOf(row),
      text(row.total),
      text(row.steps.at(-1)!.count),
      percent(row.conversion_rate),
    ]);
    return aligned([['', 'first', 'last', 'converted'], ...rows], [true, false, false, false]);
  }
  if (data !== undefined) {
    const rows = data.map(({date, count, converted}) => [date, text(count), text(converted)]);
    return aligned([['', 'entered', 'converted'], ...rows], [true, false, false]);
  }
  const rows = steps.map((step) => [
    shown(step.event),
    text(step.count),
    percent(step.conversion_rate),
    text(step.drop_off),
    '█'.repeat(Math.round(step.conversion_rate * barCharactersMax)),
  ]);
  return aligned([['', 'people', 'of the first', 'lost', ''], ...rows], [true, false, false, false, true]);
}

// The tables that tools show of answers.
import type {Kind} from '../../asks/question/kinds.js';
import type {ActiveAnswer} from '../answers/active-users.js';
import type {CountsAnswer, EntriesAnswer} from '../answers/counts.js';
import type {PathsAnswer, RetentionAnswer} from '../answers/engagement.js';
import type {HistoryAnswer} from '../answers/events.js';
import type {WalkedFunnelAnswer} from '../answers/funnels.js';
import type {NamesAnswer, PropertiesAnswer, TraitsAnswer, ValuesAnswer} from '../answers/lists.js';
import type {ProfileAnswer, UsersAnswer} from '../answers/users.js';
import type {Cell, Table} from './result.js';

type Rows = Table['rows'];

/** What a row of a breakdown, a list of values, or a place of a path has: a text, or a kind that is none. */
const shownValue = ({value, kind}: {readonly value?: string | undefined; readonly kind?: string | undefined}): string =>
  value ?? `(${kind})`;

/** Of several breakdowns the names beside each other. */
const shownRow = ({
  by,
  ...row
}: Parameters<typeof shownValue>[0] & {readonly by?: Parameters<typeof shownValue>[0][] | undefined}): string =>
  (by ?? [row]).map(shownValue).join(' · ');

const shownPlace = ({event, kind}: {readonly event?: string | undefined; readonly kind?: string | undefined}): string =>
  event ?? `(${kind})`;

const byBucket = 'By date: ask without breakdown.';
const more = (hasMore: boolean): string[] => (hasMore ? ['There are more: raise limit, or narrow the question.'] : []);
const skippedNote = ({skipped}: {readonly skipped?: number | undefined}): string[] =>
  skipped === undefined || skipped === 0 ? [] : [`${skipped} values are no numbers and were skipped.`];

/** `value` where something is measured, else `count`. */
const numberOf = ({count, value}: {readonly count: number; readonly value?: number | null | undefined}): Cell =>
  value === undefined ? count : value;
const totalOf = (series: {readonly total: number; readonly total_value?: number | null | undefined}): Cell =>
  series.total_value === undefined ? series.total : series.total_value;

function countsTable(answer: CountsAnswer | EntriesAnswer): Table {
  if ('series' in answer) return seriesTable(answer);
  const {property, properties} = answer.breakdown ?? {};
  const title = `Events by ${property ?? properties?.join(' · ') ?? answer.interval}`;
  const isMeasured = answer.total_value !== undefined;
  const columns = isMeasured ? ['count', 'value'] : ['count'];
  const cells = (count: number, value: number | null | undefined): Cell[] => [
    count,
    ...(isMeasured ? [value ?? null] : []),
  ];
  const total = ['total', ...cells(answer.total, answer.total_value)];
  if (answer.breakdown !== undefined) {
    const rows = answer.breakdown.rows.map((row) => [shownRow(row), ...cells(row.total, row.total_value)]);
    const notes = [byBucket, ...skippedNote(answer)];
    return {title, columns: ['value', ...columns], rows: [total, ...rows], keeps: 'first', notes};
  }
  const rows = answer.data.map(({date, count, value}) => [date, ...cells(count, value)]);
  return {title, columns: ['date', ...columns], rows: [...rows, total], keeps: 'last', notes: skippedNote(answer)};
}

/** Several entries, and formulas: a column each. */
function seriesTable({interval, series, formulas = [], ...answer}: EntriesAnswer): Table {
  const broken = series.flatMap((one) =>
    (one.breakdown?.rows ?? []).map((row): Cell[] => [labelOf(one), shownRow(row), totalOf(row)]),
  );
  if (series.some(({breakdown}) => breakdown !== undefined)) {
    const rows = [...series.map((one): Cell[] => [labelOf(one), 'total', totalOf(one)]), ...broken];
    const notes = [byBucket, ...skippedNote(answer)];
    return {title: 'Events by value', columns: ['events', 'value', 'number'], rows, keeps: 'first', notes};
  }
  const dates = series[0]!.data.map(({date}) => date);
  const rows: Rows = dates.map((date, at) => [
    date,
    ...series.map(({data}) => numberOf(data[at]!)),
    ...formulas.map(({data}) => data[at]!.value),
  ]);
  const total: Cell[] = ['total', ...series.map(totalOf), ...formulas.map((one) => one.total_value)];
  const columns = ['date', ...series.map(labelOf), ...formulas.map(({as}) => as)];
  return {title: `Events by ${interval}`, columns, rows: [...rows, total], keeps: 'last', notes: skippedNote(answer)};
}

const labelOf = ({as, event}: {readonly as?: string; readonly event?: string | undefined}): string =>
  [as, event ?? 'any event'].filter((one) => one !== undefined).join(': ');

function activeTable({metric, interval, data, total, breakdown}: ActiveAnswer): Table {
  const title = `Active users (${metric})`;
  const all: Cell[] = ['whole range, distinct', total];
  if (breakdown !== undefined) {
    const rows = breakdown.rows.map((row): Cell[] => [shownValue(row), row.total]);
    const notes = ['A user may be in several rows.', byBucket];
    return {
      title: `${title} by ${breakdown.property}`,
      columns: ['value', 'users'],
      rows: [all, ...rows],
      keeps: 'first',
      notes,
    };
  }
  const rows = data.map(({date, count}): Cell[] => [date, count]);
  return {title: `${title} by ${interval}`, columns: ['date', 'users'], rows: [...rows, all], keeps: 'last', notes: []};
}

function funnelTable({steps, undecided, data, breakdown}: WalkedFunnelAnswer): Table {
  const notes = undecided === undefined ? [] : [`${undecided} users may still convert.`];
  if (breakdown !== undefined) {
    const columns = ['value', 'step 1', 'last step', 'conversion'];
    const rows = breakdown.rows.map((row): Cell[] => [
      shownValue(row),
      row.total,
      row.steps.at(-1)!.count,
      row.conversion_rate,
    ]);
    return {title: `Funnel by ${breakdown.property}`, columns, rows, keeps: 'first', notes};
  }
  if (data !== undefined) {
    const columns = ['date', 'step 1', 'last step', 'conversion'];
    const rows = data.map(({date, count, converted, conversion_rate}): Cell[] => [
      date,
      count,
      converted,
      conversion_rate,
    ]);
    return {title: 'Funnel by the time of entry', columns, rows, keeps: 'last', notes};
  }
  const columns = ['step', 'event', 'users', 'of step 1', 'of the step before', 'lost', 'median seconds'];
  const rows = steps.map((step, at): Cell[] => [
    at + 1,
    step.event ?? `any ${step.level}`,
    step.count,
    step.conversion_rate,
    step.step_conversion_rate,
    step.drop_off,
    step.median_seconds,
  ]);
  return {title: 'Funnel', columns, rows, keeps: 'first', notes};
}

function retentionTable({interval, cohorts, overall, breakdown}: RetentionAnswer): Table {
  const periods = overall.map((_, at) => `${interval} ${at}`);
  const rates = (of: RetentionAnswer['overall']): Cell[] => of.map(({rate}) => rate);
  if (breakdown !== undefined) {
    const rows = breakdown.rows.map((row): Cell[] => [shownValue(row), ...rates(row.overall)]);
    const title = `Retention by ${breakdown.property}: shares of all cohorts`;
    return {title, columns: ['value', ...periods], rows, keeps: 'first', notes: []};
  }
  const rows = cohorts.map(({date, size, cells}): Cell[] => [date, size, ...cells.map(({count}) => count)]);
  const all: Cell[] = ['all, shares', null, ...rates(overall)];
  const notes = ['The last periods of late cohorts have not ended: their counts may grow. Shares leave them out.'];
  return {
    title: 'Retention: users who returned',
    columns: ['cohort', 'size', ...periods],
    rows: [...rows, all],
    keeps: 'last',
    notes,
  };
}

function pathsTable({edges}: PathsAnswer): Table {
  const rows = edges.map(({step, from, to, users}): Cell[] => [step, shownPlace(from), shownPlace(to), users]);
  return {title: 'Paths', columns: ['step', 'from', 'to', 'users'], rows, keeps: 'first', notes: []};
}

function namesTable({data, has_more}: NamesAnswer): Table {
  const rows = data.map(({name, count, first_seen, last_seen}): Cell[] => [name, count, first_seen, last_seen]);
  const first = data.map((one) => one.first_seen).sort()[0];
  const span = first === undefined ? [] : [`The earliest of these events is of ${first}.`];
  const columns = ['event', 'count', 'first ever', 'last ever'];
  return {title: 'Events of the range', columns, rows, keeps: 'first', notes: [...span, ...more(has_more)]};
}

const typesText = (types: Readonly<Record<string, number | undefined>>): string => Object.keys(types).join(', ');

function propertiesTable({data, has_more}: PropertiesAnswer | TraitsAnswer): Table {
  const rows = data.map((one): Cell[] => ['trait' in one ? one.trait : one.property, one.share, typesText(one.types)]);
  return {title: 'Properties', columns: ['property', 'share', 'types'], rows, keeps: 'first', notes: more(has_more)};
}

function valuesTable({data, distinct, has_more}: ValuesAnswer): Table {
  const rows = data.map((one): Cell[] => [shownValue(one), one.count]);
  const notes = [`${distinct} different values.`, ...more(has_more)];
  return {title: 'Values', columns: ['value', 'count'], rows, keeps: 'first', notes};
}

function peopleTable({data, total, has_more}: UsersAnswer): Table {
  const hasValue = data.some(({value}) => value !== undefined);
  const rows = data.map(({id, kind, value, last_seen, traits}): Cell[] => [
    id,
    kind,
    ...(hasValue ? [value ?? null] : []),
    last_seen,
    JSON.stringify(traits),
  ]);
  const columns = ['id', 'kind', ...(hasValue ? ['value'] : []), 'last seen', 'traits'];
  const notes = [...(total === undefined ? [] : [`${total} people in all.`]), ...more(has_more)];
  return {title: 'People', columns, rows, keeps: 'first', notes};
}

export function profileTable({id, anonymous_ids = [], created_at, last_seen, traits, events}: ProfileAnswer): Table {
  const rows: Rows = [
    ['id', id],
    ['first seen', created_at],
    ['last seen', last_seen],
    ...anonymous_ids.map((one): Cell[] => ['anonymous id', one]),
    ...Object.entries(traits).map(([trait, value]): Cell[] => [`trait ${trait}`, textOf(value)]),
  ];
  const notes = [`${events.length} of the newest events are here: ask events for them.`];
  return {title: 'A user', columns: ['field', 'value'], rows, keeps: 'first', notes};
}

const textOf = (value: unknown): Cell =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null
    ? value
    : JSON.stringify(value);

export function historyTable({data, has_more}: HistoryAnswer): Table {
  const rows = data.map(({timestamp, event, userId, anonymousId, properties}): Cell[] => [
    timestamp,
    event,
    userId ?? anonymousId,
    JSON.stringify(properties),
  ]);
  const columns = ['time', 'event', 'user', 'properties'];
  return {title: 'Events, the newest first', columns, rows, keeps: 'first', notes: more(has_more)};
}

/** By the kind of the question that a tool asks. */
export const tables = {
  counts: countsTable,
  active: activeTable,
  funnel: funnelTable,
  retention: retentionTable,
  paths: pathsTable,
  names: namesTable,
  properties: propertiesTable,
  values: valuesTable,
  traits: propertiesTable,
  trait_values: valuesTable,
  people: peopleTable,
} as const satisfies Partial<Record<Kind, (answer: never) => Table>>;

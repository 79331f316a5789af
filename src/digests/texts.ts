// Texts of digests for chats: names of events and of what is kept, and numbers, never a user. src/webhooks escapes them.
import {joinedCharsMax, minuteText, number, percent, shown} from '../alerts/texts.js';
import {changeOf, type Figure} from './figures.js';

export interface ToldReport {
  /** Dates of the range. */
  readonly from: string;
  readonly to: string;
  readonly figures: readonly Figure[];
  /** Why there are none. */
  readonly error?: string;
  /** Address of the page with these numbers. */
  readonly link?: string;
}

export interface ToldDigest {
  readonly name: string;
  readonly isWeekly: boolean;
  readonly dueMs: number;
  readonly isLate: boolean;
  readonly missed: number;
  readonly reports: readonly ToldReport[];
}

/** Reports that do not fit are counted. */
export function digestText({name, isWeekly, dueMs, isLate, missed, reports}: ToldDigest): string {
  const late = isLate
    ? ` Late: it was due at ${minuteText(dueMs)}${missed === 0 ? '' : `, and ${missed} earlier ${missed === 1 ? 'one was' : 'ones were'} missed`}.`
    : '';
  const lines = [`${isWeekly ? 'Weekly' : 'Daily'} digest: ${shown(name)}.${late}`];
  let chars = lines[0]!.length;
  for (const [at, report] of reports.entries()) {
    const text = reportText(report);
    chars += text.length + 1;
    if (chars > joinedCharsMax) return [...lines, `and ${reports.length - at} more.`].join('\n');
    lines.push(text);
  }
  return lines.join('\n');
}

/** Its days: `2026-06-01 to 2026-06-07`. */
export const reportHead = ({from, to}: Pick<ToldReport, 'from' | 'to'>): string =>
  from === to ? from : `${from} to ${to}`;

function reportText(report: ToldReport): string {
  const {figures, error, link} = report;
  const lines = error === undefined ? figures.map(figureText) : [`No numbers: ${error}`];
  return [`${reportHead(report)}: ${lines.join('; ')}`, ...(link === undefined ? [] : [link])].join('\n');
}

function figureText(figure: Figure): string {
  const {name, value, change} = figureWords(figure);
  return `${name} ${value} (${change})`;
}

/** `ordered`, `120`, `+20 %, 100 before`. */
export function figureWords(figure: Figure): {readonly name: string; readonly value: string; readonly change: string} {
  const {name, value, previous, is_share: isShare} = figure;
  const text = (one: number | null): string => (isShare ? percent(one) : one === null ? 'none' : number(rounded(one)));
  const change = `${changeText(changeOf(figure))}${text(previous)} before`;
  return {name: shown(name), value: text(value), change};
}

/** Two digits behind the point: sums and means have more. */
const rounded = (value: number): number => Math.round(value * 100) / 100;

/** `+12.3 %, `; empty where there is no change to tell. Above tenfold: `14 times `. */
function changeText(change: number | null): string {
  if (change === null) return '';
  if (change >= 9) return `${number(Math.round(change + 1))} times `;
  const tenths = Math.round(change * 1_000) / 10;
  return `${tenths > 0 ? '+' : ''}${tenths} %, `;
}

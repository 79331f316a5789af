// The range of a question as an address writes it: `30d` for `-30d`, `this-week`, `2026-10`, `2026-11-03..2026-11-09`.
import {daysFromCivil, daysInMonth} from '../../../actors/calendar.js';
import {type Days, lastMonths, wholeDays} from './day-range.js';

export type RangeMember = string | {readonly from: string; readonly to: string};

const moving = /^-(\d+(?:d|mo))$/;
const whole = /^(this|last) (week|month|quarter|year)$/;
const wholeText = /^(this|last)-(?:sunday-(?=week))?(week|month|quarter|year)$/;
const date = /^\d{4}-\d\d-\d\d$/;

/** Weeks from Sunday are others. */
export function rangeText(range: RangeMember, weekStart: 'monday' | 'sunday' = 'monday'): string {
  if (typeof range === 'string') {
    const [, which, unit] = whole.exec(range) ?? [];
    if (which === undefined) return moving.exec(range)?.[1] ?? range;
    return `${which}-${unit === 'week' && weekStart === 'sunday' ? 'sunday-' : ''}${unit}`;
  }
  const {from, to} = range;
  for (const length of [4, 7]) {
    const text = from.slice(0, length);
    const days = date.test(from) ? wholeIn(text) : undefined;
    if (days?.from === from && days.to === to) return text;
  }
  return from === to ? from : `${from}..${to}`;
}

/** Undefined for a text that is none. Of other texts the service says what is wrong. */
export function rangeIn(text: string): RangeMember | undefined {
  if (/^\d+(?:d|mo)$/.test(text)) return `-${text}`;
  if (text === 'today' || text === 'yesterday') return text;
  const [, which, unit] = wholeText.exec(text) ?? [];
  if (which !== undefined) return `${which} ${unit}`;
  const days = wholeIn(text);
  if (days !== undefined) return days;
  const [from, to = from, ...more] = text.split('..') as [string, string?, ...string[]];
  return more.length > 0 || !/^\d{4}-\d\d-\d\d/.test(from) ? undefined : {from, to};
}

/** Bounds of a year, `2026`, or of a month, `2026-10`. */
function wholeIn(text: string): {readonly from: string; readonly to: string} | undefined {
  const [, year, month] = /^(\d{4})(?:-(\d\d))?$/.exec(text) ?? [];
  if (year === undefined || Number(year) === 0) return undefined;
  if (month === undefined) return {from: `${year}-01-01`, to: `${year}-12-31`};
  if (Number(month) < 1 || Number(month) > 12) return undefined;
  return {from: `${text}-01`, to: `${text}-${daysInMonth(Number(year), Number(month))}`};
}

/** Days of the range where it is shortest, and where it is longest. */
export function extremesOf(range: RangeMember): readonly [shortest: Days, longest: Days] {
  if (typeof range !== 'string') {
    const [from, to] = [range.from, range.to].map(dayIn) as [number, number];
    return [
      {from, to},
      {from, to},
    ];
  }
  const [, amount, unit] = /^-(\d+)(d|mo)$/.exec(range) ?? [];
  if (unit === 'd') return same(Number(amount));
  const [, which, stretch] = whole.exec(range) ?? [];
  if (unit === undefined && which === undefined) return same(1);
  const all = Array.from({length: 12}, (_, month) => [1, 28, 31].map((day) => firstOf(month) + day - 1)).flat();
  const of = (today: number): Days =>
    unit === undefined ? wholeDays(`${which}-${stretch}`, today) : lastMonths(Number(amount), today);
  const byLength = all.map(of).sort((a, b) => a.to - a.from - (b.to - b.from));
  return [byLength[0]!, byLength.at(-1)!];
}

const same = (length: number): readonly [Days, Days] => {
  const days = {from: 1, to: length};
  return [days, days];
};
/** First day of a month of 2028, a leap year: there a range of months is at its longest. */
const firstOf = (month: number): number => daysFromCivil(2028, month + 1, 1);

function dayIn(text: string): number {
  const [year, month, day] = text.slice(0, 10).split('-').map(Number) as [number, number, number];
  return daysFromCivil(year, month, day);
}

// Range of days as a person types it.
import {dateText} from '../../../actors/calendar.js';
import {dayOf, dayOfText, daysFrom, lastOf, parseRange, type Range, wholeOf} from '../address/range.js';

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Range that a person typed: a preset, `-7d`, `7 days`, `3 Nov - 9 Nov`, `3 Nov 2026`, `Oct 2026`, `2026-11-03 - 2026-11-09`. */
export function parseTypedRange(typed: string, today: number): Range | undefined {
  const text = typed.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  const last = /^(?:-|last )?([1-9]\d{0,3}) ?(d|day|w|week|m|mo|month|y|year)s?$/.exec(text);
  if (last !== null) {
    const amount = Number(last[1]);
    if (last[2]!.startsWith('d')) return lastOf(amount, 'day');
    if (last[2]!.startsWith('w')) return lastOf(7 * amount, 'day');
    return lastOf(last[2]!.startsWith('y') ? 12 * amount : amount, 'month');
  }
  const month = /^([a-z]{3})[a-z]* (\d{4})$/.exec(text);
  if (month !== null) return wholeOf(Number(month[2]), monthNames.indexOf(month[1]!) + 1);
  const [first, second, ...more] = text.split(/ ?(?:–|\.\.| to | - ) ?/);
  if (more.length > 0) return undefined;
  const to = typedDay(second ?? first!, today);
  const from = second === undefined ? to : typedDay(first!, today, to);
  return parseRange(text) ?? daysFrom(from, to);
}

/** Day of a text such as `3 Nov 2026`; without a year the last such day up to `until`. */
function typedDay(text: string, today: number, until = today): number | undefined {
  const [, day, name, year] = /^(\d{1,2})\.? ([a-z]{3})[a-z]*\.?(?: (\d{4}))?$/.exec(text) ?? [];
  if (day === undefined) return dayOfText(text);
  const month = monthNames.indexOf(name!) + 1;
  if (year !== undefined) return dayOf(Number(year), month, Number(day));
  const thisYear = Number(dateText(until).slice(0, 4));
  const candidates = [thisYear, thisYear - 1].map((one) => dayOf(one, month, Number(day)));
  return candidates.find((one) => one !== undefined && one <= until);
}

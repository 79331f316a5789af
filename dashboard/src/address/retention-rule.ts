// Rule by which the cells of Retention are counted, in words.
import type {Draft} from './page-question.js';
import type {Interval} from './range.js';

const lengths: Readonly<Partial<Record<Interval, string>>> = {
  hour: 'an hour',
  day: '24 hours',
  week: '7 days',
  month: '30 days',
};

/** Sentence on the page and on each of its cells. */
export function retentionRule(
  {cohort, criteria, frame, return: back}: Draft<'retention'>,
  start: string,
  interval: Interval,
): string {
  const who =
    cohort === 'first'
      ? `A user is in the ${interval} of their first ${start} of all time`
      : `A user is in each ${interval} in which they did ${start}`;
  const when =
    frame === 'calendar'
      ? `the ${interval} that is so many ${interval}s later; 0 is the rest of their own`
      : `the period that begins so many times ${lengths[interval]} after their start`;
  const how =
    criteria === 'on'
      ? `who did ${back?.event ?? 'any event'} in`
      : `who did ${back?.event ?? 'any event'} in or after`;
  return `${who}. A cell counts those ${how} ${when}.`;
}

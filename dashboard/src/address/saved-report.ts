// Saved reports in words and in order.
import type {ReportQuestion} from '../../../src/asks/address.js';
import {rangeText} from '../../../src/asks/question/range-text.js';

/** A number that is a place between two others; before the first, or after the last one, where one of them is undefined. */
export const placeBetween = (before: number | undefined, after: number | undefined): number => {
  if (before !== undefined && after !== undefined) return (before + after) / 2;
  return before === undefined ? (after ?? 1) - 1 : before + 1;
};

/** The folder of a name, empty for none: `Growth / Weekly` is `Weekly` in `Growth`. */
export function folderOf(name: string): {readonly folder: string; readonly leaf: string} {
  const at = name.lastIndexOf('/');
  const [folder, leaf] = [name.slice(0, Math.max(0, at)).trim(), name.slice(at + 1).trim()];
  return folder === '' || leaf === '' ? {folder: '', leaf: name} : {folder, leaf};
}

function eventsOf(question: ReportQuestion): readonly ({readonly event?: string | undefined} | undefined)[] {
  switch (question.report) {
    case 'funnel':
      return question.steps;
    case 'retention':
      return [question.start, question.return];
    case 'paths':
      return [question.start ?? question.end];
    default:
      return question.events ?? [];
  }
}

/** Short text of what a report asks: `signup, login; 30d`. */
export function summaryOf(question: ReportQuestion): string {
  const events = eventsOf(question).flatMap((one) => (one === undefined ? [] : [one.event ?? 'any event']));
  const range = rangeText(question.range, 'week_start' in question ? question.week_start : undefined);
  return [events.join(', '), range].filter((part) => part !== '').join('; ');
}

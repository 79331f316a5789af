// The three metrics of active users, and how each is counted by the length of a bucket (docs/api/reports/active.md).
import type {Interval} from '../../address/range';
import type {Metric} from '../../address/report-address';

export const metricLabels: Readonly<Record<Metric, string>> = {dau: 'Daily', wau: 'Weekly', mau: 'Monthly'};

/** Meaning of a point of the chart. */
export const countedHow: Readonly<Record<Interval, string>> = {
  hour: 'Each point counts who was active within the 1, 7 or 30 days that end with its hour.',
  day: 'Daily counts who was active on the day; weekly and monthly who was within the 7 or 30 days that end with it.',
  week: 'Daily and weekly count who was active in the calendar week, so they are equal; monthly counts the 30 days that end with it.',
  month: 'All three count who was active in the calendar month, so they are equal.',
  quarter: 'All three count who was active in the calendar quarter, so they are equal.',
  year: 'All three count who was active in the calendar year, so they are equal.',
};

// Explanations of the page's numbers.
import {metrics} from '../../address/report-address';
import type {AnsweredLine} from '../../charts/charted';
import type {Shown} from '../../service/reports';
import type {Behind} from '../../shell/explained';
import type {AskedActive} from './active-drawn';
import type {BehindRow} from './by-value';

/** Explanation of the users of all days. */
export const allOf =
  ({question: {question, days, dates, zone}, freshness}: Shown<AskedActive>, value: number): Behind =>
  ({activeBehind}) => {
    return activeBehind({value, question, days, point: undefined, when: `${dates} (${zone})`, freshness});
  };

/** Explanation of the users of a row of the breakdown. */
export const rowOf =
  ({question, days, dates, zone}: AskedActive): BehindRow =>
  (row, rows, freshness) =>
  ({activeBehind}) => {
    const when = `${dates} (${zone})`;
    return activeBehind({value: row.total, question, days, point: undefined, when, row, rows, freshness});
  };

/** Explanation of a point of a metric's line. */
export const pointOf =
  (
    {question: {question, days, interval, zone}, freshness}: Shown<AskedActive>,
    {answer: {data}}: AnsweredLine,
    metric: number,
    at: number,
    bucket: string,
  ): Behind =>
  ({activeBehind}) => {
    const point = {metric: metrics[metric]!, interval, dates: data.map(({date}) => date), at};
    const when = bucket.includes(zone) ? bucket : `${bucket} (${zone})`;
    return activeBehind({value: data[at]!.count ?? 0, question, days, point, when, freshness});
  };

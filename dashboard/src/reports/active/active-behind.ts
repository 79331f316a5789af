// Explanations of the page's numbers.
import type {ActiveAnswer} from '../../../../src/edge/answers/active-users.js';
import {metrics} from '../../address/report-address';
import type {AnsweredLine} from '../../charts/charted';
import type {Freshness} from '../../service/freshness';
import type {Shown} from '../../service/reports';
import type {Behind} from '../../shell/explained';
import type {AskedActive} from './active-drawn';
import {activeBehind} from './behind';

type Row = NonNullable<ActiveAnswer['breakdown']>['rows'][number];

/** Days or a bucket in words with their zone, which the text of an hour has. */
const whenIn = (text: string, zone: string): string => (text.includes(zone) ? text : `${text} (${zone})`);

/** Explanation of the users of all days. */
export const allOf =
  ({question: {question, days, dates, zone}, freshness}: Shown<AskedActive>, value: number): Behind =>
  () =>
    activeBehind({value, question, days, point: undefined, when: `${dates} (${zone})`, freshness});

/** Explanation of the users of a row of the breakdown, or of the bucket of it with this index and text. */
export const rowOf =
  ({question, days, dates, interval, zone}: Pick<AskedActive, 'question' | 'days' | 'dates' | 'interval' | 'zone'>) =>
  (row: Row, freshness: Freshness | undefined, bucket?: {readonly at: number; readonly text: string}): Behind =>
  () => {
    const {data} = row;
    const point = bucket && {metric: question.metric, interval, dates: data.map(({date}) => date), at: bucket.at};
    return activeBehind({
      value: bucket === undefined ? row.total : data[bucket.at]!.count,
      question,
      days,
      point,
      when: whenIn(bucket?.text ?? dates, zone),
      row,
      freshness,
    });
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
  () => {
    const point = {metric: metrics[metric]!, interval, dates: data.map(({date}) => date), at};
    const when = whenIn(bucket, zone);
    return activeBehind({value: data[at]!.count ?? 0, question, days, point, when, freshness});
  };

// A number of Lifecycle: the users of a stage in a bucket, or those who were active in so many buckets.
import type {NumberPlace} from '../../../../src/asks/question/flat.js';
import {askedOver, conditionsOf, type Draft, ofUsers, stickinessAsked} from '../../address/page-question.js';
import type {Interval} from '../../address/range.js';
import type {Span} from '../../address/report-address.js';
import {count} from '../../charts/format.js';
import {devicesToo, type Explanation, eventsText, ofUsersText} from '../../explained/explanation.js';
import type {Freshness} from '../../service/freshness.js';

export type Stage = 'new' | 'returning' | 'resurrecting' | 'dormant';

interface OfLifecycle {
  readonly value: number;
  readonly question: Draft<'lifecycle'>;
  readonly days: Span;
  readonly interval: Interval;
  readonly freshness: Freshness | undefined;
}

interface StageNumber extends OfLifecycle {
  /** Undefined: everybody of the bucket. */
  readonly stage: Stage | undefined;
  /** Date of the bucket; `when` is its text. */
  readonly date: string;
  readonly when: string;
}

interface OftenNumber extends OfLifecycle {
  /** Number of buckets; undefined: any number. */
  readonly buckets: number | undefined;
  readonly isAtLeast: boolean;
  readonly when: string;
}

const whatOf = ({events: [entry] = [], where, ...question}: Draft<'lifecycle'>): string =>
  `${eventsText(entry?.event ?? null, conditionsOf(where))}${ofUsersText(ofUsers(question))}`;

const explanationOf = ({value, freshness}: OfLifecycle, how: string, people: NumberPlace): Explanation => ({
  title: `${count(value)} user${value === 1 ? '' : 's'}`,
  how: [how, devicesToo],
  people,
  freshness,
});

/** `<stage>` of a bucket. What comes after the days does not count, what is before them does. */
export function stageBehind(number: StageNumber): Explanation {
  const {question, days, interval, stage, date, when} = number;
  const rules: Readonly<Record<Stage, string>> = {
    new: `, and none ever before`,
    returning: `, and in the ${interval} before`,
    resurrecting: `, none in the ${interval} before, and some earlier`,
    dormant: '',
  };
  const what = whatOf(question);
  const how =
    stage === 'dormant'
      ? `Different users with ${what}, in the ${interval} before ${when} and none in it.`
      : `Different users with ${what}, in ${when}${stage === undefined ? '' : rules[stage]}.`;
  const people = {question: askedOver(question, days, interval), point: {date, state: stage}};
  return explanationOf(number, how, people);
}

export function oftenBehind(number: OftenNumber): Explanation {
  const {question, days, interval, buckets, isAtLeast, when} = number;
  const people = {question: askedOver(stickinessAsked(question), days, interval), point: {buckets}};
  if (buckets === undefined || (isAtLeast && buckets === 1))
    return explanationOf(number, `Different users with ${whatOf(question)}, ${when}. Each counts once.`, people);
  const often = `${isAtLeast ? 'at least' : 'exactly'} ${count(buckets)} ${interval}${buckets === 1 ? '' : 's'}`;
  return explanationOf(number, `Different users with ${whatOf(question)} in ${often}, ${when}.`, people);
}

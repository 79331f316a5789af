// A number of Lifecycle: the users of a stage in a bucket, or those who were active in so many buckets.
import {bucketBefore, laterBucket} from '../address/bucket-span.js';
import type {LifecycleQuestion} from '../address/engagement-address.js';
import type {Interval} from '../address/range.js';
import type {Span} from '../address/report-address.js';
import {type AskedDeed, whoDidPath} from '../address/who-did.js';
import {count} from '../charts/format.js';
import type {Freshness} from '../service/freshness.js';
import {devicesToo, type Explanation, eventsText, ofUsersText, tooMany, zoneOf} from './explanation.js';

export type Stage = 'new' | 'returning' | 'resurrecting' | 'dormant';
type Did = Pick<LifecycleQuestion, 'event' | 'where' | 'user_where'>;

interface OfLifecycle {
  readonly value: number;
  readonly question: Did;
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

const whatOf = ({event, where, user_where: userWhere}: Did): string =>
  `${eventsText(event, where)}${ofUsersText(userWhere)}`;

const explanationOf = (
  {value, question, freshness}: OfLifecycle,
  how: string,
  deeds: readonly AskedDeed[],
): Explanation => {
  const path = whoDidPath(deeds, question.user_where);
  return {
    title: `${count(value)} user${value === 1 ? '' : 's'}`,
    how: [how, devicesToo],
    people: path === undefined ? undefined : {path, when: 'Last seen', total: value},
    noPeople: path === undefined ? tooMany : undefined,
    freshness,
  };
};

/** `<stage>` of a bucket. What comes after the days does not count, what is before them does. */
export function stageBehind(number: StageNumber): Explanation {
  const {question, days, interval, stage, date, when} = number;
  const whole = laterBucket(date, 0, interval, zoneOf(days));
  const now = {...whole, to: Math.min(whole.to, days.to)};
  const before = bucketBefore(date, interval, zoneOf(days));
  const {event, where} = question;
  const did = (span: AskedDeed['when'], isAbsent = false): AskedDeed => ({event, where, when: span, isAbsent});
  const deeds: Readonly<Record<Stage, readonly AskedDeed[]>> = {
    new: [did(now), did({before: now}, true)],
    returning: [did(now), did(before)],
    resurrecting: [did(now), did(before, true), did({before})],
    dormant: [did(before), did(now, true)],
  };
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
  return explanationOf(number, how, stage === undefined ? [did(now)] : deeds[stage]);
}

export function oftenBehind(number: OftenNumber): Explanation {
  const {question, days, interval, buckets, isAtLeast, when} = number;
  const {event, where} = question;
  const all = explanationOf(number, `Different users with ${whatOf(question)}, ${when}. ${eachOnce}`, [
    {event, where, when: days},
  ]);
  if (buckets === undefined || (isAtLeast && buckets === 1)) return all;
  const often = `${isAtLeast ? 'at least' : 'exactly'} ${count(buckets)} ${interval}${buckets === 1 ? '' : 's'}`;
  const {people: _, ...rest} = all;
  return {
    ...rest,
    how: [`Different users with ${whatOf(question)} in ${often}, ${when}.`, devicesToo],
    noPeople: `No list of these users: a list does not count the ${interval}s in which a user was active.`,
  };
}

const eachOnce = 'Each counts once.';

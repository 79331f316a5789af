// A value with which an alert would have fired: the number of the minutes, or days, that ended then.
import type {NumberPlace} from '../../../src/asks/question/flat.js';
import type {AlertPreviewAnswer} from '../../../src/edge/answers/alerts.js';
import {count, duration, minuteText, percent} from '../charts/format.js';
import {spanOfMoments} from '../explained/bucket-span.js';
import type {Explanation} from '../explained/explanation.js';
import {everything, trendBehind} from './trends/behind.js';
import {deedWords, type WatchedQuestion} from './watched-question.js';

export interface Firing {
  readonly kind: 'threshold' | 'absence' | 'funnel_drop';
  readonly firing: AlertPreviewAnswer['firings'][number];
  readonly question: WatchedQuestion;
  readonly minutes: number;
  /** Days over which a funnel is judged. */
  readonly days: number;
}

const minuteMs = 60_000;

export function firingBehind({kind, firing, question, minutes, days}: Firing): Explanation {
  const {from, bound} = firing;
  const value = firing.value ?? 0;
  const endMs = Date.parse(from);
  const at = `${minuteText(endMs)} UTC`;
  if (kind === 'funnel_drop')
    return {
      title: percent(value),
      how: [
        `The conversion of the saved funnel over the ${count(days)} day${days === 1 ? '' : 's'} that ended ${at}.`,
        `The bound was ${percent(bound)}.`,
      ],
      noPeople: 'No list of these users: Funnels counts whole days, and this time ended within one.',
      freshness: undefined,
    };
  const span = spanOfMoments(endMs - minutes * minuteMs, endMs - 1);
  const {events: [series = {}] = [], measure, ...rest} = question;
  const deeds = deedWords(question);
  const explained = trendBehind({
    value,
    series: {...series, measure: kind === 'threshold' ? measure : undefined},
    question: {...everything, ...rest},
    row: undefined,
    answer: undefined,
    days: span,
    when: `in the ${duration(minutes * 60)} that ended ${at}`,
    freshness: undefined,
  });
  const how = [...explained.how, kind === 'absence' ? 'None came in that time.' : `The bound was ${count(bound)}.`];
  const people = {
    ...explained.people!,
    question: {...explained.people!.question, timezone: question.timezone} as NumberPlace['question'],
  };
  return {
    ...explained,
    how: deeds.length === 0 ? how : [...how, `Only users who ${deeds.join(' and ')} count.`],
    people,
  };
}

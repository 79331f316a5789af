// Trends: events over time, up to six series of one event, one measure and its own conditions, or the rows of a breakdown of them.
import {intervalOf} from '../../address/report-address';
import {divisorIn, labelsOf, seriesOf, type TrendsQuestion, trendsForm} from '../../address/trends-address';
import {byWords, once, people, userWords} from '../question-words';
import {ofForm, type Report} from '../report';
import {Fields} from './fields';
import {Result} from './result';

function dividedBy(question: TrendsQuestion): string {
  const labels = labelsOf(seriesOf(question));
  return labels[divisorIn(question, labels) ?? -1] ?? '';
}

export const report: Report<TrendsQuestion> = {
  ...ofForm(trendsForm),
  isAsked: ({event}) => event.length > 0,
  title: (question) => {
    const by = dividedBy(question);
    const labels = labelsOf(seriesOf(question));
    return by === '' ? labels.join(', ') : `${labels.filter((label) => label !== by).join(', ')} / ${by}`;
  },
  words: (question) => [
    ['Counted', labelsOf(seriesOf(question)).join('; ')],
    ['Divided by', dividedBy(question)],
    ...userWords(question),
    byWords(question),
    ['How', `${once} ${people}`],
  ],
  interval: ({every}, days) => intervalOf(every, days),
  suggest: ([mostFrequent]) => (mostFrequent === undefined ? undefined : {event: [mostFrequent]}),
  unasked: {
    title: 'Choose an event',
    text: (dates) => `Add one at the left, and see how often it came ${dates}. Up to six stand beside each other.`,
  },
  Fields,
  Result,
};

// Questions of a report's page, read from its address. The service asks them itself for a report that is shared.
//   AQ1. Each page asks by the functions that are used here, so that a shared page never lacks an answer.
import type {FixedQuestion} from '../../../src/asks/question/flat.js';
import {activeQuestionForm} from './active-address.js';
import {activeAsked, activeUntilQuestion} from './active-asked.js';
import {type Form, type Problem, type QuestionOf, readAddress} from './codec.js';
import {
  lifecycleForm,
  lifecycleQuestion,
  pathsForm,
  pathsQuestion,
  retentionForm,
  retentionQuestion,
  stickinessQuestion,
  usualPeriod,
} from './engagement-address.js';
import {funnelForm, funnelQuestion, funnelTimesQuestion} from './funnel-address.js';
import {dayOfMs, daysOf} from './range.js';
import {intervalOf} from './report-address.js';
import {trendsForm} from './trends-address.js';
import {trendsAsked, trendsQuestions, trendsUntil} from './trends-asked.js';
import {wallMs} from './zone.js';

interface AskedQuestions {
  /** Empty: the address names no event yet. */
  readonly asks: readonly FixedQuestion[];
  /** Questions that depend on the time up to which the answers to `asks` are exact, epoch ms. */
  readonly until: (asOfMs: number) => readonly FixedQuestion[];
  readonly problems: readonly Problem[];
}

type Asking = (search: string, nowMs: number) => AskedQuestions;

const nothing = (): readonly FixedQuestion[] => [];

/** `ask` gets the question, and the current day of its zone. */
const asking =
  <F extends Form & {readonly zone: Form[string]}>(
    form: F,
    ask: (question: QuestionOf<F>, today: number) => Pick<AskedQuestions, 'asks'> & Partial<AskedQuestions>,
  ): Asking =>
  (search, nowMs) => {
    const {question, problems} = readAddress(form, search);
    const today = dayOfMs(wallMs(question.zone as string, nowMs));
    return {until: nothing, ...ask(question, today), problems};
  };

/** Questions by the path of the page. */
export const askedQuestions = {
  '/trends': asking(trendsForm, (question, today) => {
    const asked = trendsAsked(question, today);
    return {
      asks: trendsQuestions(asked),
      until: (asOfMs) => trendsUntil(asked, today, asOfMs)?.asks ?? [],
    };
  }),
  '/active': asking(activeQuestionForm, (question, today) => {
    const asked = activeAsked(question, today);
    return {
      asks: [...asked.asks, ...asked.pastAsks, ...(asked.asksBy === undefined ? [] : [asked.asksBy])],
      until: (asOfMs) => [activeUntilQuestion(question, asked, today, asOfMs)].filter((one) => one !== undefined),
    };
  }),
  '/funnels': asking(funnelForm, (question, today) => {
    const days = {...daysOf(question.range, today), zone: question.zone};
    const {length} = question.step;
    if (length === 0) return {asks: []};
    const funnel = funnelQuestion(question, days);
    const times = (): FixedQuestion => funnelTimesQuestion(question, days, intervalOf(question.every, days));
    return {asks: length === 1 ? [funnel] : [funnel, times()]};
  }),
  '/retention': asking(retentionForm, (question, today) => {
    const days = {...daysOf(question.range, today), zone: question.zone};
    const {start} = question;
    return {
      asks: start === null ? [] : [retentionQuestion(question, start, days, question.every ?? usualPeriod(days))],
    };
  }),
  '/lifecycle': asking(lifecycleForm, (question, today) => {
    const days = {...daysOf(question.range, today), zone: question.zone};
    const interval = question.every ?? usualPeriod(days);
    return {asks: [lifecycleQuestion(question, days, interval), stickinessQuestion(question, days, interval)]};
  }),
  '/paths': asking(pathsForm, (question, today) => {
    const days = {...daysOf(question.range, today), zone: question.zone};
    const {event} = question;
    return {asks: event === null ? [] : [pathsQuestion(question, event, days)]};
  }),
} as const satisfies Readonly<Record<string, Asking>>;

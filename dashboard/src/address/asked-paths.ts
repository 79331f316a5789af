// Questions of a report's page, read from its address. The service asks them itself for a report that is shared.
//   AP1. Each page asks by the functions that are used here, so that a shared page never lacks an answer.
import {activeQuestionForm} from './active-address.js';
import {activeAsked, activeUntilPath} from './active-asked.js';
import {type Form, type Problem, type QuestionOf, readAddress} from './codec.js';
import {
  lifecycleForm,
  lifecyclePath,
  pathsForm,
  pathsPath,
  retentionForm,
  retentionPath,
  stickinessPath,
  usualPeriod,
} from './engagement-address.js';
import {funnelForm, funnelPath, funnelTimesPath} from './funnel-address.js';
import {dayOfMs, daysOf} from './range.js';
import {intervalOf} from './report-address.js';
import {trendsForm} from './trends-address.js';
import {trendsAsked, trendsPaths, trendsUntil} from './trends-asked.js';
import {wallMs} from './zone.js';

interface AskedPaths {
  /** Paths such as `v1/reports/events?event=signup&…`. Empty: the question names no event yet. */
  readonly paths: readonly string[];
  /** Paths that depend on the time up to which the answers to `paths` are exact, epoch ms. */
  readonly until: (asOfMs: number) => readonly string[];
  readonly problems: readonly Problem[];
}

type Asking = (search: string, nowMs: number) => AskedPaths;

const nothing = (): readonly string[] => [];

/** `ask` gets the question, and the current day of its zone. */
const asking =
  <F extends Form & {readonly zone: Form[string]}>(
    form: F,
    ask: (question: QuestionOf<F>, today: number) => Omit<AskedPaths, 'problems' | 'until'> & Partial<AskedPaths>,
  ): Asking =>
  (search, nowMs) => {
    const {question, problems} = readAddress(form, search);
    const today = dayOfMs(wallMs(question.zone as string, nowMs));
    return {until: nothing, ...ask(question, today), problems};
  };

/** Questions by the path of the page. */
export const askedPaths = {
  '/trends': asking(trendsForm, (question, today) => {
    const asked = trendsAsked(question, today);
    return {
      paths: trendsPaths(asked),
      until: (asOfMs) => trendsUntil(asked, today, asOfMs)?.paths ?? [],
    };
  }),
  '/active': asking(activeQuestionForm, (question, today) => {
    const asked = activeAsked(question, today);
    return {
      paths: [...asked.paths, ...asked.pastPaths, ...(asked.byPath === undefined ? [] : [asked.byPath])],
      until: (asOfMs) => [activeUntilPath(question, asked, today, asOfMs)].filter((path) => path !== undefined),
    };
  }),
  '/funnels': asking(funnelForm, (question, today) => {
    const days = {...daysOf(question.range, today), zone: question.zone};
    const {length} = question.step;
    if (length === 0) return {paths: []};
    const path = funnelPath(question, days);
    return {paths: length === 1 ? [path] : [path, funnelTimesPath(question, days, intervalOf(question.every, days))]};
  }),
  '/retention': asking(retentionForm, (question, today) => {
    const days = {...daysOf(question.range, today), zone: question.zone};
    const {start} = question;
    return {paths: start === null ? [] : [retentionPath(question, start, days, question.every ?? usualPeriod(days))]};
  }),
  '/lifecycle': asking(lifecycleForm, (question, today) => {
    const days = {...daysOf(question.range, today), zone: question.zone};
    const interval = question.every ?? usualPeriod(days);
    return {paths: [lifecyclePath(question, days, interval), stickinessPath(question, days, interval)]};
  }),
  '/paths': asking(pathsForm, (question, today) => {
    const days = {...daysOf(question.range, today), zone: question.zone};
    const {event} = question;
    return {paths: event === null ? [] : [pathsPath(question, event, days)]};
  }),
} as const satisfies Readonly<Record<string, Asking>>;

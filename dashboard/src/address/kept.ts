// A report as it is kept: the question of its page, and what the page asks beside it. Saved reports and boards keep it, and a link
// answers it.
import {
  type Address,
  asked,
  isAsked,
  type KeptReport,
  pageIn,
  type ReportQuestion,
  usualEvery,
  type View,
} from '../../../src/asks/address.js';
import {showable} from './page-question.js';
import {metrics} from './report-address.js';

/** What the page shows at this address; undefined: it names no event yet. */
export function keptIn(address: Address): KeptReport | undefined {
  const {draft} = pageIn(address, showable);
  if (!isAsked(draft)) return undefined;
  const question = asked(draft);
  const every = draft.view?.every ?? changingInterval(question);
  const view = {...draft.view, ...(every && {every})};
  return {questions: asks(question, view), ...(Object.keys(view).length > 0 && {view})};
}

/** The interval of a funnel over time, where that which is usual depends on the day. */
function changingInterval({report, range}: ReportQuestion): View['every'] {
  if (report !== 'funnel') return undefined;
  const {interval, isSure} = usualEvery(range);
  return isSure ? undefined : interval;
}

/** The question, and what its page asks beside it. */
function asks(question: ReportQuestion, view: View): readonly ReportQuestion[] {
  switch (question.report) {
    case 'counts': {
      const {compare: _, formulas: __, measure, ...counted} = question;
      const events = counted.events ?? [{}];
      if (events.every((one) => (one.measure ?? measure)?.of === 'users')) return [question];
      return [question, {...counted, events: events.map((one) => ({...one, measure: {of: 'users' as const}}))}];
    }
    case 'active': {
      const {breakdown, ...all} = question;
      const {compare: _, ...broken} = question;
      return [...metrics.map((metric) => ({...all, metric})), ...(breakdown === undefined ? [] : [broken])];
    }
    case 'funnel': {
      const {breakdown: _, ...all} = question;
      if (question.steps.length === 1) return [question];
      const interval = view.every ?? usualEvery(question.range).interval;
      return [question, {...all, interval, histogram: 'clock', percentiles: true}];
    }
    case 'lifecycle':
      return [question, {...question, report: 'stickiness', at_least: view.often === 'at_least'}];
    default:
      return [question];
  }
}

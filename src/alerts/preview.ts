// Computes when an alert would have fired over the last 30 days, with the same questions, judgements and states as a stored alert.
//   PV1. An alert is evaluated after each publication, a preview at steps: it misses what begins and ends between two steps.
//        `for` becomes as many steps as its evaluations take, rounded up.
import {dayMs, hourMs} from '../../actors/limits.js';
import type {ReportQuery} from '../asks/report.js';
import {type AlertState, step} from './alert-state.js';
import {isOfUsers, questionsOf, type ReportRule, type RuleContext} from './rule-questions.js';

const previewDays = 30;
export const firingsListedMax = 1_000;

export interface Previewed {
  readonly rule: ReportRule;
  readonly for: number;
  readonly repeatMinutes?: number;
}

export interface Firing {
  readonly fromMs: number;
  /** End of the firing; undefined: it was still firing at the end. */
  readonly untilMs: number | undefined;
  readonly value: number | null;
  readonly bound: number;
}

export interface Preview {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  readonly firings: readonly Firing[];
  /** Number of messages: first ones, repeated ones, and ends. */
  readonly messages: number;
}

interface PreviewQuestions {
  readonly questions: readonly ReportQuery[];
  readonly previewOf: (bodies: readonly unknown[]) => Preview;
}

/** Time between two readings. It is longer for users, who are counted by a scan of each window, and for funnels, a question per reading. */
function stepMsOf(rule: ReportRule): number {
  if (rule.kind === 'funnel_drop') return dayMs;
  return rule.kind === 'threshold' && isOfUsers(rule) ? hourMs : hourMs / 6;
}

/** `asOfMs`: end of what the published snapshots include. `refreshMs`: period of publications. */
export function previewQuestions(
  alert: Previewed,
  asOfMs: number,
  refreshMs: number,
  context: RuleContext,
): PreviewQuestions {
  const stepMs = stepMsOf(alert.rule);
  const count = (previewDays * dayMs) / stepMs;
  const ends = Array.from({length: count}, (_, i) => asOfMs - (count - 1 - i) * stepMs);
  const {questions, readingsOf} = questionsOf(alert.rule, ends, context);
  const pace = {...alert, for: 1 + Math.ceil(((alert.for - 1) * refreshMs) / stepMs)};
  return {
    questions,
    previewOf: (bodies) => {
      let [state, messages] = [undefined as AlertState | undefined, 0];
      const firings: Firing[] = [];
      for (const reading of readingsOf(bodies)) {
        const next = step(state, reading, '', pace);
        state = next.state;
        if (next.change === undefined) continue;
        messages += 1;
        const {value, bound, toMs} = reading;
        if (next.change.state === 'ok') firings.push({...firings.pop()!, untilMs: toMs});
        else if (!next.change.isAgain) firings.push({fromMs: toMs, untilMs: undefined, value, bound});
      }
      return {fromMs: ends[0]!, toMs: asOfMs, stepMs, firings, messages};
    },
  };
}

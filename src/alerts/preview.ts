// When an alert would have fired over the last 30 days, by the questions, the judgements and the states of the one that is stored.
//   PV1. The alert itself is evaluated with each publication, a preview at steps: what begins and ends between two of them is
//        not seen. `for` becomes as many steps as its evaluations take, rounded up.
import {dayMs, hourMs} from '../../actors/limits.js';
import type {ReportQuery} from '../asks.js';
import {type AlertState, step} from './alert-state.js';
import {questionsOf, type ReportRule, type RuleContext} from './rule-questions.js';

const previewDays = 30;
export const firingsListedMax = 1_000;

export interface Previewed {
  readonly rule: ReportRule;
  readonly for: number;
  readonly repeatMinutes?: number;
}

export interface Firing {
  readonly fromMs: number;
  /** Undefined: it was still firing at the end. */
  readonly untilMs: number | undefined;
  readonly value: number | null;
  readonly bound: number;
}

export interface Preview {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  readonly firings: readonly Firing[];
  /** First messages, repeated ones, and those that say that it is over. */
  readonly messages: number;
}

export interface PreviewQuestions {
  readonly questions: readonly ReportQuery[];
  readonly previewOf: (bodies: readonly unknown[]) => Preview;
}

/** Distinct users are counted by walking all rows of a window; a funnel is asked once for each step. */
function stepMsOf(rule: ReportRule): number {
  if (rule.kind === 'funnel_drop') return dayMs;
  return rule.kind === 'threshold' && rule.count === 'users' ? hourMs : hourMs / 6;
}

/** `asOfMs`: what the published snapshots include. `refreshMs`: between two publications. */
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

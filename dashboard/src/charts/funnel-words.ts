// A funnel in words, and as rows of a CSV: the same on its page and on Overview.
import type {FunnelAnswer} from '../../../src/edge/answers.js';
import {windowText} from '../address/window-text';

export const funnelTitle = ({steps}: Pick<FunnelAnswer, 'steps'>): string =>
  steps.length < 2 ? 'Funnel' : `From ${steps[0]!.event} to ${steps.at(-1)!.event}`;

export const windowNote = (window: string | null): string =>
  window === null ? 'without a limit of time' : `within ${windowText(window)} of the first step`;

export const funnelRows = ({steps}: FunnelAnswer) => [
  ['step', 'event', 'count', 'conversion_rate', 'step_conversion_rate', 'drop_off', 'median_seconds'],
  ...steps.map((step, at) => [
    at + 1,
    step.event,
    step.count,
    step.conversion_rate,
    step.step_conversion_rate,
    step.drop_off,
    step.median_seconds,
  ]),
];

// A funnel in words, and as rows of a CSV: the same on its page and on Overview.
import {windowText} from './format';
import {type ShownStep, stepName} from './funnel';

export const funnelTitle = (steps: readonly {readonly event: string}[]): string =>
  steps.length < 2 ? 'Funnel' : `From ${steps[0]!.event} to ${steps.at(-1)!.event}`;

export const windowNote = (window: string | undefined): string =>
  window === undefined ? 'without a limit of time' : `within ${windowText(window)} of the first step`;

export const funnelRows = ({steps}: {readonly steps: readonly ShownStep[]}) => [
  ['step', 'event', 'count', 'conversion_rate', 'step_conversion_rate', 'drop_off', 'median_seconds'],
  ...steps.map((step, at) => [
    at + 1,
    stepName(step),
    step.count,
    step.conversion_rate,
    step.step_conversion_rate,
    step.drop_off,
    step.median_seconds,
  ]),
];

// A funnel in words, and as rows of a CSV: the same on its page and on Overview.
import {windowText} from '../address/window-text';
import {type ShownStep, stepName} from './funnel';

export const funnelTitle = (names: readonly string[]): string =>
  names.length < 2 ? 'Funnel' : `From ${names[0]} to ${names.at(-1)}`;

export const windowNote = (window: string | null): string =>
  window === null ? 'without a limit of time' : `within ${windowText(window)} of the first step`;

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

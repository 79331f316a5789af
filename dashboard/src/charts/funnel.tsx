// A funnel as a list of lanes: solid is who came, hatched is who was lost since the step before. It reads as a list.
import type {FunnelStep} from '../../../src/edge/answers.js';
import {count, duration, percent} from './format';
import './funnel.css';

export function Funnel({steps}: {readonly steps: readonly FunnelStep[]}) {
  const worst = worstStep(steps);
  return (
    <ol class="funnel">
      {steps.map((step, at) => (
        <li key={`${at}/${step.event}`}>
          <span class="name">
            <span class="step" aria-hidden="true">
              {at + 1}
            </span>
            <span class="event" title={step.event}>
              {step.event}
            </span>
            {at > 0 && (
              <span class={`between${at === worst ? ' worst' : ''}`}>
                <span>
                  <b>{percent(step.step_conversion_rate)}</b> of step {at}
                  {at === worst && <span class="visually-hidden">, the smallest share</span>}
                </span>
                <span>{count(step.drop_off)} lost</span>
                {step.median_seconds !== null && <span>median {duration(step.median_seconds)}</span>}
              </span>
            )}
          </span>
          <span class="lane" aria-hidden="true">
            <span class="lost" style={{'--before': share(steps[Math.max(0, at - 1)]!.conversion_rate)}} />
            <span class="kept" style={{'--now': share(step.conversion_rate)}} />
          </span>
          <span class="number">
            <span class="count">{count(step.count)}</span>
          </span>
          <span class="number rate">{percent(step.conversion_rate)}</span>
        </li>
      ))}
    </ol>
  );
}

const share = (rate: number): string => `${(rate * 100).toFixed(2)}%`;

/** The step that keeps the smallest share of the one before; undefined where no two can be compared. */
export function worstStep(steps: readonly FunnelStep[]): number | undefined {
  if (steps.length < 3) return undefined;
  const reached = steps.map((_, at) => at).filter((at) => at > 0 && steps[at - 1]!.count > 0);
  if (reached.length < 2) return undefined;
  return reached.reduce((worst, at) =>
    steps[at]!.step_conversion_rate < steps[worst]!.step_conversion_rate ? at : worst,
  );
}

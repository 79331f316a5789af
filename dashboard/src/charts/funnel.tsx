// A funnel as a list of lanes: solid is who came, hatched is who was lost since the step before. It reads as a list.
import {count, duration, percent} from './format';
import './funnel.css';

export interface ShownStep {
  /** Absent where steps come in any order. */
  readonly event?: string | undefined;
  readonly level?: number | undefined;
  readonly count: number;
  readonly conversion_rate: number;
  readonly step_conversion_rate: number;
  readonly drop_off: number;
  readonly median_seconds: number | null;
}

/** `signup`, `2 of them`. */
export const stepName = ({event, level}: ShownStep): string =>
  event ?? (level === 1 ? 'any of them' : `${level} of them`);

export function Funnel({
  steps,
  names = steps.map(stepName),
  onWho,
}: {
  readonly steps: readonly ShownStep[];
  readonly names?: readonly string[];
  /** Shows who is behind a number of a step, which counts from 1. */
  readonly onWho?: (step: number, outcome: 'reached' | 'dropped') => void;
}) {
  const worst = worstStep(steps);
  return (
    <ol class="funnel">
      {steps.map((step, at) => (
        <li key={`${at}/${names[at]}`}>
          <span class="name">
            <span class="step" aria-hidden="true">
              {at + 1}
            </span>
            <span class="event" title={names[at]}>
              {names[at]}
            </span>
            {at > 0 && (
              <span class={`between${at === worst ? ' worst' : ''}`}>
                <span>
                  <b>{percent(step.step_conversion_rate)}</b> of step {at}
                  {at === worst && <span class="visually-hidden">, the smallest share</span>}
                </span>
                <Who onWho={onWho && (() => onWho(at + 1, 'dropped'))}>{count(step.drop_off)} lost</Who>
                {step.median_seconds !== null && <span>median {duration(step.median_seconds)}</span>}
              </span>
            )}
          </span>
          {/* The numbers beside it are buttons that do the same. */}
          <span
            class={onWho === undefined ? 'lane' : 'lane with-who'}
            aria-hidden="true"
            onClick={({target}) => {
              const isLost = (target as HTMLElement).classList.contains('lost');
              if (!isLost) onWho?.(at + 1, 'reached');
              else if (at > 0) onWho?.(at + 1, 'dropped');
            }}
          >
            <span class="lost" style={{'--before': share(steps[Math.max(0, at - 1)]!.conversion_rate)}} />
            <span class="kept" style={{'--now': share(step.conversion_rate)}} />
          </span>
          <span class="number">
            <span class="count">
              <Who onWho={onWho && (() => onWho(at + 1, 'reached'))}>{count(step.count)}</Who>
            </span>
          </span>
          <span class="number rate">{percent(step.conversion_rate)}</span>
        </li>
      ))}
    </ol>
  );
}

function Who({
  onWho,
  children,
}: {
  readonly onWho: (() => void) | undefined;
  readonly children: preact.ComponentChildren;
}) {
  if (onWho === undefined) return <span>{children}</span>;
  return (
    <button type="button" class="explained" title="Who it was" onClick={onWho}>
      {children}
    </button>
  );
}

const share = (rate: number): string => `${(rate * 100).toFixed(2)}%`;

/** The step that keeps the smallest share of the one before; undefined where no two can be compared. */
function worstStep(steps: readonly ShownStep[]): number | undefined {
  if (steps.length < 3) return undefined;
  const reached = steps.map((_, at) => at).filter((at) => at > 0 && steps[at - 1]!.count > 0);
  if (reached.length < 2) return undefined;
  return reached.reduce((worst, at) =>
    steps[at]!.step_conversion_rate < steps[worst]!.step_conversion_rate ? at : worst,
  );
}

// The steps of a funnel in their order: chosen, moved by dragging, by buttons or by Alt and an arrow, removed.
import {useRef, useState} from 'preact/hooks';
import {funnelStepsMax as stepsMax} from '../../../../actors/limits.js';
import {conditionsOf, membersOf} from '../../address/page-question';
import type {Days} from '../../address/range';
import {ConditionList} from '../../controls/condition-list';
import {EventPicker} from '../../controls/event-picker';
import {useReorder} from '../../controls/reorder';
import {Icon} from '../../shell/icon';
import type {Step} from './funnel-question';

export function StepsForm({
  steps,
  days,
  onSteps,
}: {
  readonly steps: readonly Step[];
  readonly days: Days;
  readonly onSteps: (steps: Step[]) => void;
}) {
  const [isAdding, setAdding] = useState(false);
  const [said, setSaid] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const hasNew = isAdding || steps.length < 2;
  const move = (at: number, to: number): void => {
    if (to < 0 || to >= steps.length) return;
    const others = steps.filter((_, index) => index !== at);
    setSaid(`${steps[at]!.event} is step ${to + 1} now`);
    onSteps([...others.slice(0, to), steps[at]!, ...others.slice(to)]);
    // The focus stays with the step that was moved.
    requestAnimationFrame(() => list.current?.children[to]?.querySelector('input')?.focus());
  };
  const reorder = useReorder(
    steps.map((_, at) => at),
    move,
  );
  const form = useRef<HTMLElement>(null);
  /** Focuses the step after the one that was chosen, or the button that adds a step. */
  const focusBehind = (at: number): void => {
    requestAnimationFrame(() => {
      const next = list.current?.children[at + 1]?.querySelector('input');
      (next ?? form.current?.querySelector<HTMLElement>('.builder-add'))?.focus();
    });
  };
  return (
    <section class="card builder-form" aria-label="Steps of the funnel" ref={form}>
      <header>
        <h2>Steps</h2>
        <span class="note">
          {steps.length} of {stepsMax}
        </span>
      </header>
      <ol class="builder-rows funnel-steps" ref={list}>
        {steps.map(({event: step, where}, at) => (
          <li
            key={`${at}/${step}`}
            {...reorder.place(at)}
            onKeyDown={(event) => {
              const by = event.altKey
                ? {ArrowUp: -1 as const, ArrowDown: 1 as const}[event.key as 'ArrowUp']
                : undefined;
              if (by === undefined) return;
              event.preventDefault();
              event.stopPropagation();
              move(at, at + by);
            }}
          >
            <div class="builder-row">
              <span class="step handle" aria-hidden="true" title="Drag it" {...reorder.handle(at)}>
                {at + 1}
              </span>
              <EventPicker
                label={`Step ${at + 1}`}
                name={step}
                days={days}
                onChoose={(name) => {
                  onSteps(steps.map((one, index) => (index === at ? {...one, event: name} : one)));
                  focusBehind(at);
                }}
              />
              <span class="step-tools">
                <button
                  type="button"
                  class="quiet"
                  disabled={at === 0}
                  aria-label={`Move ${step} up`}
                  title="Move up (Alt and arrow)"
                  onClick={() => move(at, at - 1)}
                >
                  <Icon name="ChevronUp" />
                </button>
                <button
                  type="button"
                  class="quiet"
                  disabled={at === steps.length - 1}
                  aria-label={`Move ${step} down`}
                  title="Move down (Alt and arrow)"
                  onClick={() => move(at, at + 1)}
                >
                  <Icon name="chevronDown" />
                </button>
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Remove ${step}`}
                  title="Remove"
                  onClick={() => onSteps(steps.filter((_, index) => index !== at))}
                >
                  <Icon name="Close" />
                </button>
              </span>
            </div>
            <div class="builder-more">
              <ConditionList
                conditions={conditionsOf(where)}
                keys={{of: 'events', event: step, days}}
                of={`of step ${at + 1}`}
                onChange={(changed) =>
                  onSteps(steps.map((one, index) => (index === at ? {...one, where: membersOf(changed)} : one)))
                }
              />
            </div>
          </li>
        ))}
        {hasNew && (
          <li key={`new/${steps.length}`}>
            <div class="builder-row">
              <span class="step" aria-hidden="true">
                {steps.length + 1}
              </span>
              <EventPicker
                label={`Step ${steps.length + 1}`}
                name={undefined}
                days={days}
                isFirstFocus={isAdding}
                onChoose={(name) => {
                  setAdding(false);
                  onSteps([...steps, {event: name}]);
                  focusBehind(steps.length);
                }}
              />
              {isAdding && steps.length >= 2 && (
                <button type="button" class="quiet" aria-label="Add no step" onClick={() => setAdding(false)}>
                  <Icon name="Close" />
                </button>
              )}
            </div>
          </li>
        )}
      </ol>
      {!hasNew && steps.length < stepsMax && (
        <button type="button" class="button builder-add" onClick={() => setAdding(true)}>
          <Icon name="Plus" />
          Step
        </button>
      )}
      <div class="visually-hidden" role="status">
        {said}
      </div>
    </section>
  );
}

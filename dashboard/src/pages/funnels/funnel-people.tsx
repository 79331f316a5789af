// Who is behind a number of a funnel, and how it is counted.

import {conditionText} from '../../address/conditions';
import {
  type FunnelQuestion,
  fitting,
  funnelUsersPath,
  type Outcome,
  stepLabel,
  stepsOf,
} from '../../address/funnel-address';
import type {Span} from '../../address/report-address';
import {windowText} from '../../address/window-text';
import {count, momentText} from '../../charts/format';
import {Dialog} from '../../controls/dialog';
import {PeopleBehind} from '../../shell/people-behind';

export interface FunnelPeopleProps {
  readonly question: FunnelQuestion;
  readonly span: Span;
  /** From 1. */
  readonly step: number;
  readonly outcome: Outcome;
  readonly value: number;
  readonly asOfMs: number | undefined;
  /** The days in words. */
  readonly when: string;
  readonly onClose: () => void;
}

export function FunnelPeople(props: FunnelPeopleProps) {
  const {question, span, step, outcome, value, onClose} = props;
  const did = outcome === 'reached' ? 'reached' : 'did not get to';
  return (
    <Dialog title={`${count(value)} ${did} step ${step}`} onClose={onClose}>
      <div class="behind">
        <p>{sentences(props).join(' ')}</p>
        <h3>Who it was</h3>
        <PeopleBehind
          path={funnelUsersPath(question, span, step, outcome)}
          when={outcome === 'reached' || step === 1 ? `At step ${step}` : `At step ${step - 1}`}
        />
        <div class="buttons">
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  );
}

const orderWords = {
  sequential: 'one after the other, with other events between',
  strict: 'one after the other, with no other event between',
  any: 'in any order',
} as const;

function sentences({question, span, step, outcome, asOfMs, when}: FunnelPeopleProps): string[] {
  const {order, window, exclude, user_where, hold, paths} = fitting(question);
  const steps = stepsOf(question).map(stepLabel);
  const unit = hold === null ? 'users' : `users, once for each value of ${hold}`;
  const names = order === 'any' ? `${step} of ${steps.join(', ')}` : steps.slice(0, step).join(', then ');
  const within = window === null ? '' : ` within ${windowText(window)} of the first`;
  const whose =
    user_where.length === 0 ? '' : ` Only of users whose trait ${user_where.map(conditionText).join(' and ')}.`;
  const without = exclude.map(
    ({event, between}) =>
      `An event ${event} between ${between === null ? 'two steps' : `steps ${between[0]} and ${between[1]}`} ends the attempt.`,
  );
  const days = paths === null ? 'Every step lies' : 'The first step lies';
  const first =
    outcome === 'reached'
      ? `Different ${unit} who did ${names}, ${orderWords[order ?? 'sequential']}${step === 1 ? '' : within}.`
      : `Different ${unit} who came as far as step ${step - 1}, and no further${within}. They would have gone on with ${order === 'any' ? 'another step' : steps[step - 1]}.`;
  return [
    first,
    `${days} in ${when} (${span.zone ?? 'UTC'}). Each counts once, with the path that gets furthest.${whose}`,
    ...without,
    ...(asOfMs === undefined ? [] : [`Exact as of ${momentText(asOfMs)} UTC.`]),
  ];
}

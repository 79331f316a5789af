// The numbers of a funnel in a sentence, and who may still convert.
import {fitting} from '../../../../src/asks/address.js';
import type {FunnelAnswer, WalkedFunnelAnswer} from '../../../../src/edge/answers/funnels.js';
import {count, windowText} from '../../charts/format';
import type {FunnelDraft} from './funnel-question';

interface FunnelNoteProps {
  readonly answer: FunnelAnswer | WalkedFunnelAnswer;
  readonly question: FunnelDraft;
}

export function FunnelNote({answer, question}: FunnelNoteProps) {
  return <p class="page-note funnel-note">{sentence(answer, question)}</p>;
}

function sentence(answer: FunnelAnswer | WalkedFunnelAnswer, question: FunnelDraft): string {
  const {steps, total} = answer;
  const {window, order, in_range: inRange, hold} = fitting(question);
  const undecided = 'undecided' in answer ? answer.undecided : undefined;
  if (total === 0) return `Nobody did ${question.steps[0]!.event} in these days.`;
  if (steps.length === 1) return 'Add a second step to see who goes on to it.';
  const within = window === undefined ? 'in these days' : `within ${windowText(window)} of the first step`;
  const how = order === 'any' ? 'in any order' : order === 'strict' ? 'with nothing between' : 'in this order';
  const unit = hold === undefined ? 'users' : `users, each once for every value of ${hold},`;
  const all = `${count(steps.at(-1)!.count)} of ${count(total)} ${unit} did ${steps.length === 2 ? 'both' : `all ${steps.length}`} steps ${how} ${within}.`;
  if (inRange !== undefined)
    return `${all} The first step lies in these days. ${count(undecided ?? 0)} may still convert.`;
  return window === undefined
    ? `${all} All steps lie in these days: who entered late has had less time to convert.`
    : `${all} All steps lie in these days: who entered less than ${windowText(window)} before their end may still convert.`;
}

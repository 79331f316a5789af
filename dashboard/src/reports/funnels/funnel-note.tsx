// The numbers of a funnel in a sentence, and who may still convert.
import type {FunnelAnswer, WalkedFunnelAnswer} from '../../../../src/edge/answers/funnels.js';
import {type FunnelQuestion, fitting} from '../../address/funnel-address';
import {windowText} from '../../address/window-text';
import {count} from '../../charts/format';

interface FunnelNoteProps {
  readonly answer: FunnelAnswer | WalkedFunnelAnswer;
  readonly question: FunnelQuestion;
}

export function FunnelNote({answer, question}: FunnelNoteProps) {
  return <p class="page-note funnel-note">{sentence(answer, question)}</p>;
}

function sentence(answer: FunnelAnswer | WalkedFunnelAnswer, question: FunnelQuestion): string {
  const {steps, total} = answer;
  const {window, order, paths, hold} = fitting(question);
  const undecided = 'undecided' in answer ? answer.undecided : undefined;
  if (total === 0) return `Nobody did ${question.step[0]!} in these days.`;
  if (steps.length === 1) return 'Add a second step to see who goes on to it.';
  const within = window === null ? 'in these days' : `within ${windowText(window)} of the first step`;
  const how = order === 'any' ? 'in any order' : order === 'strict' ? 'with nothing between' : 'in this order';
  const unit = hold === null ? 'users' : `users, each once for every value of ${hold},`;
  const all = `${count(steps.at(-1)!.count)} of ${count(total)} ${unit} did ${steps.length === 2 ? 'both' : `all ${steps.length}`} steps ${how} ${within}.`;
  if (paths !== null) return `${all} The first step lies in these days. ${count(undecided ?? 0)} may still convert.`;
  return window === null
    ? `${all} All steps lie in these days: who entered late has had less time to convert.`
    : `${all} All steps lie in these days: who entered less than ${windowText(window)} before their end may still convert.`;
}

// Questions of this page to the service (question-batches.ts). On a page that is shared its link has the answers.
import {type FixedQuestion, flatOf} from '../../../src/asks/question/flat.js';
import type {Meta} from '../../../src/edge/answers/report-meta.js';
import {ask, type Fault, taken} from './client';
import {expectPublication, publication} from './publication';
import {type QuestionAnswer, type QuestionAnswers, QuestionBatches, type SentAnswers} from './question-batches';
import {shared} from './shared';

const batches = new QuestionBatches({
  send,
  round: () => publication.peek(),
  beginRound: () => (publication.value = publication.peek() + 1),
  soon: (run) => setTimeout(run),
  nowMs: Date.now,
});

/** A part of the page is loading, and may ask. @returns what says that it is here. */
export const holdQuestions = (): (() => void) => batches.hold();

/** Asks with all other questions of this turn. Undefined: the page asks again, or `signal` was aborted. */
export const askTogether = (
  questions: readonly FixedQuestion[],
  signal: AbortSignal,
): Promise<QuestionAnswers | undefined> =>
  shared.peek()?.answersTo(questions.map(flatOf)) ?? batches.ask(questions, signal);

/** Asks a question that no route takes by itself. `at`: a position; undefined: the newest. */
export async function askAlone(question: object, at: string | undefined): Promise<QuestionAnswer> {
  const {answers} = await send([question], at, new AbortController().signal);
  return answers[0]!;
}

interface Batch {
  readonly answers: readonly (
    | {readonly answer: unknown; readonly meta: Meta}
    | {readonly error: Pick<Fault, 'code' | 'message' | 'field'>}
  )[];
  readonly log_position: string | null;
}

/** Status of one question that failed: only the whole request has a status of HTTP. */
const statusOfOne = 400;

async function send(questions: readonly object[], at: string | undefined, signal: AbortSignal): Promise<SentAnswers> {
  const headers = {'X-Millrace': '1', 'Content-Type': 'application/json'};
  const response = await ask('v1/query', {method: 'POST', headers, body: JSON.stringify({questions, at}), signal});
  const got = response instanceof Response ? await taken<Batch>(response) : response;
  if (got.kind === 'fault') return {answers: questions.map(() => got), position: undefined};
  const {answers, log_position: position} = got.value;
  const newest = answers.find((one) => 'meta' in one);
  // What is asked later is of the same snapshots, and knows no more of the next ones.
  if (at === undefined && newest !== undefined) expectPublication(Date.parse(newest.meta.next_by));
  return {
    answers: answers.map((one, place): QuestionAnswer => {
      if ('error' in one) return {kind: 'fault', fault: {...withoutPlace(one.error, place), status: statusOfOne}};
      return {kind: 'value', value: one.answer, meta: one.meta};
    }),
    position: position ?? undefined,
  };
}

/** The place of a question in its request says nothing to a reader. */
function withoutPlace<Error extends Pick<Fault, 'message' | 'field'>>(error: Error, place: number): Error {
  const head = `/questions/${place}/`;
  const {message, field} = error;
  return {...error, message: message.replace(head, ''), ...(field && {field: field.replace(head, '')})};
}

// The outcome of each thing of a request, from its answer (docs/api/events.md and Errors).

import type {Answer, Lost} from './http.js';
import type {Outcome, Thing} from './journal.js';

export interface Reading {
  readonly outcomes: readonly Outcome[];
  /** Set for an answer that the API does not have. */
  readonly strange?: string;
  readonly deletionId?: string;
}

const refusals = new Set([400, 413]);

export function readAnswer(things: readonly Thing[], answer: Answer | Lost): Reading {
  const all = (outcome: Outcome): Outcome[] => things.map(() => outcome);
  if (answer.kind === 'lost') {
    return {outcomes: all('unknown'), ...(answer.why === 'ETIMEDOUT' ? {strange: 'no answer in time'} : {})};
  }
  if (things[0]!.kind === 'deletion') return readDeletion(answer);
  if (things.length > 1) return readBatch(things.length, answer) ?? strange(all('unknown'), answer);
  if (answer.status === 200) return {outcomes: all('acked')};
  if (answer.status === 503 && answer.headers['retry-after'] !== undefined) return {outcomes: all('unknown')};
  if (refusals.has(answer.status)) return {outcomes: all('refused')};
  return strange(all('unknown'), answer);
}

const strange = (outcomes: readonly Outcome[], answer: Answer): Reading => ({
  outcomes,
  strange: answer.text.slice(0, 300),
});

/** 404 counts as refused, unless it names an earlier deletion: the user was unknown. */
function readDeletion(answer: Answer): Reading {
  if (answer.status === 503) return {outcomes: ['unknown']};
  if (![200, 202, 404].includes(answer.status)) return strange(['unknown'], answer);
  const {deletion} = JSON.parse(answer.text) as {deletion?: {id: string}};
  return deletion === undefined ? {outcomes: ['refused']} : {outcomes: ['acked'], deletionId: deletion.id};
}

interface BatchBody {
  readonly received?: number;
  readonly errors?: readonly {readonly index: number; readonly code: string}[];
}

/** Undefined for an answer that contradicts itself. */
function readBatch(count: number, answer: Answer): Reading | undefined {
  const {received, errors = []} = JSON.parse(answer.text) as BatchBody;
  // A 503 without a list: the service did not read the batch.
  if (answer.status === 503 && received === undefined) return {outcomes: Array<Outcome>(count).fill('unknown')};
  const outcomes = Array<Outcome>(count).fill('acked');
  for (const {index, code} of errors) outcomes[index] = code === 'unavailable' ? 'unknown' : 'refused';
  const has = (outcome: Outcome): boolean => outcomes.includes(outcome);
  const expected = has('unknown') ? 503 : !has('refused') ? 200 : has('acked') ? 207 : 400;
  const ackedCount = outcomes.filter((outcome) => outcome === 'acked').length;
  return answer.status === expected && received === ackedCount ? {outcomes} : undefined;
}

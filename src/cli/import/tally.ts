// Counts of lines by outcome: they add up, survive a restart of the import, and make the summary.

import type {Refusal} from './source-event.js';

/** Refusals that are shown; the others are only counted by reason. */
export const refusalsShownMax = 20;
/** Reasons that are counted separately; codes and fields are few. */
const reasonsMax = 100;
const otherReasons = 'other reasons';

export interface RefusedLine extends Refusal {
  readonly line: number;
}

/** Plain data, as the state file has it. */
export interface Tally {
  accepted: number;
  /** Accepted lines whose messageId an earlier accepted line has. */
  repeated: number;
  /** Lines of calls that have no place here. */
  leftOut: number;
  refused: number;
  firstRefused: RefusedLine[];
  /** Number of lines by reason. */
  refusedByReason: Record<string, number>;
}

export function emptyTally(): Tally {
  return {accepted: 0, repeated: 0, leftOut: 0, refused: 0, firstRefused: [], refusedByReason: {}};
}

export function countAccepted(tally: Tally, isRepeated: boolean): void {
  tally.accepted += 1;
  if (isRepeated) tally.repeated += 1;
}

export function countRefused(tally: Tally, line: number, refusal: Refusal): void {
  tally.refused += 1;
  insertRefused(tally.firstRefused, {line, ...refusal});
  addReason(tally.refusedByReason, reasonOf(refusal), 1);
}

export function addTally(sum: Tally, part: Tally): void {
  sum.accepted += part.accepted;
  sum.repeated += part.repeated;
  sum.leftOut += part.leftOut;
  sum.refused += part.refused;
  for (const refused of part.firstRefused) insertRefused(sum.firstRefused, refused);
  for (const [reason, lines] of Object.entries(part.refusedByReason)) addReason(sum.refusedByReason, reason, lines);
}

function reasonOf({code, field}: Refusal): string {
  return field === undefined ? code : `${code} (${field})`;
}

/** Lanes answer out of order: the list stays sorted, and its last element is dropped. */
function insertRefused(list: RefusedLine[], refused: RefusedLine): void {
  list.push(refused);
  list.sort((a, b) => a.line - b.line);
  if (list.length > refusalsShownMax) list.pop();
}

function addReason(reasons: Record<string, number>, reason: string, lines: number): void {
  const isKnown = Object.hasOwn(reasons, reason);
  const key = isKnown || Object.keys(reasons).length < reasonsMax ? reason : otherReasons;
  reasons[key] = (reasons[key] ?? 0) + lines;
}

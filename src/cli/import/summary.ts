// Summary of an import: accepted, repeated and refused lines, and why.

import {count, duration} from './progress.js';
import {type RefusedLine, refusalsShownMax, type Tally} from './tally.js';

interface SummaryFacts {
  readonly fileName: string;
  readonly baseUrl: string;
  readonly seconds: number;
  readonly tally: Tally;
  /** Number accepted in this run; fewer than the tally's if an earlier run did the rest. */
  readonly acceptedThisRun: number;
  /** False when the file has more message ids than are remembered. */
  readonly areRepeatsComplete: boolean;
}

export function summaryText(facts: SummaryFacts): string {
  const {tally} = facts;
  const rate = count(Math.round(facts.acceptedThisRun / Math.max(facts.seconds, 0.001)));
  return [
    `Imported ${facts.fileName} into ${facts.baseUrl} in ${duration(facts.seconds)} (${rate} events/s).`,
    `  accepted   ${count(tally.accepted)}`,
    `  duplicate  ${duplicateText(tally, facts.areRepeatsComplete)}`,
    ...(tally.leftOut === 0 ? [] : [`  left out   ${count(tally.leftOut)} lines that have no place here`]),
    `  refused    ${count(tally.refused)}`,
    ...refusalLines(tally),
    // The API acknowledges known events like new ones: only repeats within the file can be counted here.
    'What the service had before this import is accepted again and counted once; it does not say how much that was.',
    '',
  ].join('\n');
}

function duplicateText(tally: Tally, areRepeatsComplete: boolean): string {
  const repeated = `${areRepeatsComplete ? '' : 'at least '}${count(tally.repeated)}`;
  return `${repeated} within the file (user and messageId of an earlier accepted line; counted once)`;
}

/** The first refused lines, and all by reason where these are more. */
export function refusalLines(tally: Tally): string[] {
  if (tally.refused === 0) return [];
  const lines = tally.firstRefused.map(refusalLine);
  if (tally.refused > refusalsShownMax) {
    lines.push(`    all ${count(tally.refused)} by reason:`);
    const reasons = Object.entries(tally.refusedByReason).sort(([, a], [, b]) => b - a);
    for (const [reason, refused] of reasons) lines.push(`      ${count(refused).padStart(9)}  ${reason}`);
  }
  return lines;
}

function refusalLine({line, code, field, message}: RefusedLine): string {
  return `    line ${line}: ${code}${field === undefined ? '' : ` (${field})`}: ${printable(message)}`;
}

/** Removes control characters: a refusal may quote the file, which must not control the terminal. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ').slice(0, 200);
}

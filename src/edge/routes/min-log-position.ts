// `Min-Log-Position` of a report: the answer includes the writes at these positions, or there is none.
//   ML1. The report thread waits for a snapshot that is on its way. A secret key also has the partitions publish one; each does
//        so every 5 s at most, for all clients together. A read key only waits: with it anybody who sees a dashboard could keep the
//        partitions busy with snapshots.
import type {ReportAnswer, ReportQuestion} from '../../asks/report.js';
import {positionsPattern, readPositions} from '../../log-position.js';
import {type Failure, invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {askerOf} from '../query/asker-of.js';
import type {Asks} from '../query/asks.js';

type AskedReport = Extract<ReportQuestion, {ask: 'report'}>;
type AnsweredReport = Extract<ReportAnswer, {kind: 'report'}>;

const field = 'Min-Log-Position';
/** Clients expect an answer at once: one that takes longer had better come back. */
const waitMsMax = 2_000;
/** A partition publishes so often when asked to (src/partition/runner.ts). */
const forcedSecondsMin = 5;

/** @throws RequestFailure (400) for a value that no write of this service was answered with. */
export function readMinPosition({minLogPosition}: Exchange, partitionCount: number): string | undefined {
  if (minLogPosition === undefined) return undefined;
  const text = minLogPosition.replaceAll(/\s*,\s*/g, ',');
  const isGood =
    positionsPattern.test(text) && [...readPositions(text).keys()].every((partition) => partition < partitionCount);
  if (!isGood) throw new RequestFailure(invalidRequest(`${field} must be the Log-Position of a write`, field));
  return text;
}

/** @throws RequestFailure (503) if the writes are in no snapshot yet. */
export async function answerIncluding(
  {wallMs, reads: {asks}}: Front,
  exchange: Exchange,
  asked: AskedReport,
  includes: string,
): Promise<AnsweredReport> {
  const asker = askerOf(exchange);
  const first = await asks.report({...asked, includes: {positions: includes, waitMs: 0}}, asker);
  if (first.kind !== 'not_yet') return reportIn(first);
  const mayForce = exchange.caller.key?.kind === 'secret';
  if (mayForce) forceSnapshots(asks, first.lacking);
  const answer = await asks.report({...asked, includes: {positions: includes, waitMs: waitMsMax}}, asker);
  if (answer.kind !== 'not_yet') return reportIn(answer);
  const dueSeconds = Math.max(1, Math.ceil((answer.nextByMs - wallMs()) / 1_000));
  throw new RequestFailure(notYet(mayForce ? Math.min(dueSeconds, forcedSecondsMin) : dueSeconds));
}

/** Asks the partitions to publish, and ignores their answers: the report thread sees what is published. */
function forceSnapshots(asks: Asks, partitions: readonly number[]): void {
  void Promise.allSettled(partitions.map((partition) => asks.partition(partition, {ask: 'publish'}, ['publishing'])));
}

export function reportIn(answer: Awaited<ReturnType<Asks['report']>>): AnsweredReport {
  if (answer.kind !== 'report') throw new Error('the report role answered another question');
  return answer;
}

const notYet = (seconds: number): Failure => ({
  code: 'not_yet',
  message: `no snapshot includes the writes of ${field} yet: try again after Retry-After seconds`,
  field,
  headers: [['Retry-After', String(seconds)]],
});
